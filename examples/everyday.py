"""A private table, then a private number: epsilon = 1, about people who do not exist.

The first part asks a CSV file for the mean length of hospital stays by ward. It needs the extra
`tables`. The second part designs noise for a mean salary, and prints the proven bounds beside the
noise of the usual mechanisms.
"""

from __future__ import annotations

import tempfile
from fractions import Fraction
from pathlib import Path

from rich.console import Console
from rich.table import Table

from leastnoise import Mean, PrivacyUnit, ask, compare
from leastnoise.datasets import hospital_stays
from leastnoise.errors import MissingExtraError

WARDS = ["cardiology", "geriatrics", "maternity", "oncology", "pediatrics", "surgery"]
SALARIES = [31_200, 48_000, 57_500, 120_900] * 250  # 1,000 people, clamped to 0..200,000
BASELINES = ("design", "staircase", "laplace", "analytic-gaussian")
console = Console(highlight=False)


def show_table() -> None:
    """Mean length of stay by ward, with 95% confidence intervals."""
    console.print("\n[bold]A table: 6,000 hospital stays, made up[/bold]")
    with tempfile.TemporaryDirectory() as folder:
        path = hospital_stays(Path(folder) / "stays.csv")
        for line in path.read_text(encoding="utf-8").splitlines()[:4]:
            console.print(f"  {line}", style="dim")
        answer = ask(
            path,
            Mean("days", low=0, high=30, by="ward", keys=WARDS),
            epsilon=1,
            unit=PrivacyUnit("patient", max_rows_per_group=2, max_groups=2),
        )
    table = Table("ward", "mean days", "95% confidence interval")
    for ward, mean in answer.groups.items():
        table.add_row(ward, f"{float(mean.value):.1f}", f"{mean.low:.1f} to {mean.high:.1f}")
    console.print(table)
    console.print(
        f"Spent epsilon {float(answer.epsilon):g}, delta {float(answer.delta):g}. The answers hide "
        "whether any one patient is in the table: all their stays may be added or removed."
    )


def show_number() -> None:
    """The mean of 1,000 salaries: bounds, baselines, one release and its proof."""
    console.print("\n[bold]A number: the mean salary of 1,000 people, made up[/bold]")
    console.print(
        "Salaries are clamped to 0..200,000. Replacing one person's salary moves the mean by at "
        "most 200,000 / 1,000 = 200: that is the sensitivity."
    )
    secret = Fraction(sum(SALARIES), len(SALARIES))
    comparison = compare(epsilon=1, delta="1e-6", sensitivity=200)
    best = comparison.design
    table = Table("noise", "average error", "95% margin", "above the bound")
    table.add_row("proven lower bound", f"{best.lower:.2f}", "", "")
    for row in comparison:
        if row.name in BASELINES:
            label = "leastnoise" if row.name == "design" else row.label
            excess = f"{100 * row.excess:.2f}%"
            table.add_row(label, f"{row.loss:.2f}", f"{row['error_95']:.0f}", excess)
    console.print(table)
    console.print(f"Secret mean {float(secret):g}, one private release: {best.release(secret):.2f}")
    claims = ", ".join(f"{claim.name} {claim.verdict}" for claim in best.verify().claims)
    console.print(f"Checked in exact arithmetic: {claims}.")


def main() -> None:
    """Show the table first, then the number."""
    try:
        show_table()
    except MissingExtraError as missing:
        console.print(f"Skipped: {missing}")
    show_number()
    console.print("\nNext: leastnoise serve. The paper's example: python examples/mean_salary.py")


if __name__ == "__main__":
    main()
