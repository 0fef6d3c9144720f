"""Draw the pictures of docs/tutorial.md: python docs/draw_tutorial.py [NAME ...] (a minute).

It takes the extras `tables`, `plot` and `estimators`, and Chromium for the picture of the report.
The noise is drawn anew, so that the pictures differ a little from run to run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

from leastnoise import (
    Count,
    DPNaiveBayes,
    Histogram,
    Mean,
    PrivacyUnit,
    Proportion,
    ask,
    ask_all,
    plan,
    report,
)
from leastnoise.datasets import hospital_stays
from leastnoise.show import Picture
from leastnoise.show.picture import canvas

HERE = Path(__file__).parent / "tutorial"
WARDS = ["cardiology", "geriatrics", "maternity", "oncology", "pediatrics", "surgery"]
BLUE, GRAY = "#1a56db", "#b6bcc6"
ONCE = PrivacyUnit("patient", max_rows_per_group=1)
ONE_BIN = PrivacyUnit("patient", max_rows_per_group=1, max_groups=1)
TWICE = PrivacyUnit("patient", max_rows_per_group=2, max_groups=2)
AGES = Histogram("age", low=0, high=100, bins=10)
DAYS = Mean("days", low=0, high=30, by="ward", keys=WARDS)
READMITTED = Proportion("readmitted = true", by="ward", keys=WARDS)
TABLE = "stays.csv"


def margins() -> Picture:
    """The margin of error of a count along epsilon."""
    epsilons = [0.1, 0.15, 0.25, 0.5, 0.75, 1, 1.5, 2]
    errors = [plan(Count(), epsilon=e, rows=4000, unit=ONCE).error for e in epsilons]
    with canvas(6.4, 3.0) as picture:
        axes = picture.figure.subplots()
        axes.plot(epsilons, errors, "o-", color=BLUE)
        axes.set(xlabel="epsilon", ylabel="95% margin of error (patients)", ylim=(0, 32))
        axes.set(xlim=(0, 2.05), title="A count of patients: less privacy, less error")
    return picture


def ages() -> Picture:
    """Patients by age."""
    return ask(TABLE, AGES, epsilon=0.5, unit=ONE_BIN).plot()


def days() -> Picture:
    """The mean length of stay by ward."""
    return ask_all(TABLE, [DAYS, READMITTED], epsilon=1, unit=TWICE)[0].plot()


def private_diagnoses() -> Picture:
    """The counts of the diagnoses that are released."""
    unit = PrivacyUnit("patient", max_rows_per_group=1, max_groups=2)
    query = Count(by="diagnosis", keys="private")
    return ask(TABLE, query, epsilon=1, delta=1e-6, unit=unit).plot()


def budget() -> Picture:
    """What each query of the tutorial spends of the year's epsilon."""
    parts = [("patients", 0.5), ("ages", 0.5), ("wards", 1), ("diagnoses", 1), ("left", 1)]
    with canvas(6.4, 1.5) as picture:
        axes, start = picture.figure.subplots(), 0.0
        for name, epsilon in parts:
            color = "white" if name == "left" else BLUE
            bar = axes.barh(0, epsilon, left=start, color=color, edgecolor=GRAY, height=0.8)
            ink = "black" if name == "left" else "white"
            words = [f"{name}\n{epsilon:g}"]
            axes.bar_label(bar, words, label_type="center", color=ink, fontsize=9)
            start += epsilon
        axes.set(xlim=(0, 4), yticks=[], xlabel="epsilon of the year: 4", xticks=range(5))
        axes.spines["left"].set_visible(False)
    return picture


def classifier() -> Picture:
    """The accuracy of private naive Bayes along epsilon, the mean of twenty fits."""
    import pandas as pd
    from sklearn.naive_bayes import GaussianNB

    stays = pd.read_csv(TABLE).drop_duplicates("patient")
    features = stays[["age", "days"]].fillna(15)
    train, test = slice(0, 2000), slice(2000, None)

    def score(model: object) -> float:
        fitted = model.fit(features[train], stays["ward"][train])  # type: ignore[attr-defined]
        return float(fitted.score(features[test], stays["ward"][test]))

    def private(epsilon: float) -> DPNaiveBayes:
        bounds = ([0, 0], [100, 30])
        return DPNaiveBayes(
            epsilon=epsilon, delta=0, neighbors="add-remove", bounds=bounds, classes=WARDS
        )

    epsilons = [0.03, 0.1, 0.3, 1, 3]
    scores = [fmean(score(private(epsilon)) for _ in range(20)) for epsilon in epsilons]
    with canvas(6.4, 3.0) as picture:
        axes = picture.figure.subplots()
        axes.semilogx(epsilons, scores, "o-", color=BLUE, label="private, mean of 20 fits")
        axes.axhline(score(GaussianNB()), color="black", label="without noise")
        largest = float(stays["ward"][test].value_counts(normalize=True).max())
        axes.axhline(largest, color=GRAY, linestyle="--", label="the largest ward")
        axes.set(xlabel="epsilon", ylabel="accuracy", ylim=(0, 0.75))
        axes.set_xticks(epsilons, [f"{epsilon:g}" for epsilon in epsilons])
        axes.legend(loc="lower right")
    return picture


def page_of_report() -> None:
    """The first answers of the tutorial's report, as a browser shows them."""
    answers = [
        ask(TABLE, Count(), epsilon=0.5, unit=ONCE),
        ask(TABLE, AGES, epsilon=0.5, unit=ONE_BIN),
        *ask_all(TABLE, [DAYS, READMITTED], epsilon=1, unit=TWICE),
    ]
    report(answers, "report.html", title="Hospital stays 2025")
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    flags = ["--headless", "--no-sandbox", "--hide-scrollbars", "--window-size=980,1000"]
    address = Path("report.html").resolve().as_uri()
    shot = f"--screenshot={HERE / 'report.png'}"
    subprocess.run([browser, *flags, shot, address], check=True, capture_output=True)


PICTURES: dict[str, Callable[[], Picture]] = {
    "plan.png": margins,
    "ages.png": ages,
    "days.png": days,
    "diagnoses.png": private_diagnoses,
    "budget.png": budget,
    "classifier.png": classifier,
}


def main() -> None:
    """Draw the pictures that are named, or all."""
    names = sys.argv[1:] or [*PICTURES, "report.png"]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        hospital_stays(TABLE)
        for name in names:
            if name == "report.png":
                page_of_report()
            else:
                PICTURES[name]().save(HERE / name)
            print(f"tutorial/{name}")
        os.chdir(HERE)


if __name__ == "__main__":
    main()
