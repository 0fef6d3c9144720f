"""A table of hospital stays made by code, to learn and test with: nobody in it exists.

In a shell: python -m leastnoise.datasets stays.csv
"""

from __future__ import annotations

import csv
import datetime
import math
import random
from collections.abc import Sequence
from pathlib import Path

COLUMNS = ("patient", "admitted", "ward", "diagnosis", "age", "days", "readmitted")
STAYS, PATIENTS = 6000, 9000
#: ward: (part of all stays, median days, spread of their logarithm, mean age and its spread,
#: diagnoses by frequency)
WARDS: dict[str, tuple[float, float, float, float, float, str]] = {
    "cardiology": (0.21, 5, 0.6, 67, 11, "I50 I21 I48 I20 I47 I35 I42 I33"),
    "geriatrics": (0.17, 11, 0.7, 82, 6, "S72 J18 N39 F05 E86 G30 A41 R29"),
    "maternity": (0.19, 3, 0.4, 31, 5, "O80 O82 O34 O60 O14 O46 O85"),
    "oncology": (0.12, 6, 0.8, 63, 12, "C34 C50 C18 C61 C90 C71 C49 C40"),
    "pediatrics": (0.11, 3, 0.6, 6, 4, "J20 A08 J45 P07 G40 E10 E84 Q87"),
    "surgery": (0.20, 4, 0.7, 54, 16, "K80 K35 M17 K40 M16 S52 T81 K56"),
}
#: Wards that a patient of one of them may come to next.
MOVES = ("cardiology", "oncology", "surgery")
_FIRST_DAY = datetime.date(2025, 1, 1)
_LONGEST_STAY = 240


def hospital_stays(path: str | Path) -> Path:
    """Write 6,000 synthetic hospital stays of 2025 to a CSV file; the same file every time.

    One row is one stay: `patient` (an id; most have one or two stays), `admitted` (a date),
    `ward`, `diagnosis` (an ICD-10 code; some are rare), `age`, `days` (how long the stay was;
    sometimes missing, a few very long) and `readmitted` (true if the patient was admitted in the 30
    days before). Returns the path.

    Example:
        >>> from leastnoise.datasets import hospital_stays
        >>> hospital_stays("stays.csv").read_text().splitlines()[0]   # doctest: +SKIP
        'patient,admitted,ward,diagnosis,age,days,readmitted'
    """
    dice = random.Random(2025)
    patients: dict[int, tuple[str, int, int]] = {}  # ward, age, day of the last admission
    rows = []
    for day in sorted(int(365 * dice.random()) for _ in range(STAYS)):
        # Most patients have one or two stays, a few have a dozen.
        patient = 10_000 + int(PATIENTS * dice.random() * (1 if dice.random() < 0.93 else 0.01))
        ward, age, last = patients.get(patient, ("", 0, -365))
        if not ward:
            ward = _pick(dice, list(WARDS), [part for part, *_ in WARDS.values()])
            age = round(WARDS[ward][3] + WARDS[ward][4] * _normal(dice))
            age = min(max(age, 0 if ward == "pediatrics" else 17), 99)
        elif ward in MOVES and dice.random() < 0.4:
            ward = MOVES[int(len(MOVES) * dice.random())]
        patients[patient] = ward, age, day
        readmitted = day - last <= 30
        _, median, spread, _, _, codes = WARDS[ward]
        names = codes.split()
        code = _pick(dice, names, [1 / (1 + place) ** 1.8 for place in range(len(names))])
        days = math.ceil(median * math.exp(spread * _normal(dice)))
        shown = "" if dice.random() < 0.01 else str(min(days, _LONGEST_STAY))
        date = _FIRST_DAY + datetime.timedelta(days=day)
        word = "true" if readmitted else "false"
        rows.append((patient, date.isoformat(), ward, code, age, shown, word))
    where = Path(path)
    with where.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(COLUMNS)
        lines.writerows(rows)
    return where


def _pick(dice: random.Random, names: Sequence[str], weights: Sequence[float]) -> str:
    """One of the names, with these weights."""
    left = dice.random() * sum(weights)
    for name, weight in zip(names, weights, strict=True):
        left -= weight
        if left < 0:
            return name
    return names[-1]


def _normal(dice: random.Random) -> float:
    """A sum of twelve uniform numbers, nearly normal: sums are the same on every machine."""
    return sum(dice.random() for _ in range(12)) - 6
