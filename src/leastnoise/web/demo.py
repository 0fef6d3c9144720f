"""A table of people who do not exist, to try questions on: python -m leastnoise.web.demo FILE."""

from __future__ import annotations

import csv
import random
import sys
from pathlib import Path

PERSONS, ROWS = 900, 3000


def write_demo(path: str | Path) -> Path:
    """3,000 salaries of 900 persons in three regions and two years; the same file every time."""
    dice = random.Random(20)
    where = Path(path)
    with where.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(["person_id", "salary", "age", "region", "year"])
        for _ in range(ROWS):
            region = dice.choices(["north", "south", "west"], [5, 3, 2])[0]
            salary = dice.gauss({"north": 150, "south": 158, "west": 165}[region], 12)
            lines.writerow(
                [
                    dice.randint(1, PERSONS),
                    f"{salary:.2f}",
                    min(80, max(18, round(dice.gauss(43, 12)))),
                    region,
                    dice.choice([2023, 2024]),
                ]
            )
    return where


if __name__ == "__main__":
    print(write_demo(sys.argv[1]))
