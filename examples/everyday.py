"""A mean and a count at an everyday budget: epsilon = 1, delta = 1e-6.

Prints for each a certified bracket around the best possible expected error, what the usual
mechanisms would add, and one private release. Everything secret here is made up.
"""

from __future__ import annotations

from fractions import Fraction

from rich.console import Console
from rich.table import Table

from leastnoise import compare

BUDGET = {"epsilon": "1", "delta": "1e-6"}
SALARIES = [31_200, 48_000, 57_500, 120_900] * 250  # 1,000 people, clamped to 0..200,000
SHOWN = (
    "design",
    "staircase",
    "discrete-laplace",
    "laplace",
    "analytic-gaussian",
    "discrete-gaussian",
)


def show(what: str, secret: Fraction | int, why: str, **question: object) -> None:
    """One query: its sensitivity, the table, and a release."""
    console = Console(highlight=False)
    console.print(f"\n[bold]{what}[/bold]\n{why}")
    found = compare(**BUDGET, **question)
    best = found.design
    table = Table("noise", "expected error", "95 % of errors within", "above the bound")
    table.add_row("lower bound for all noise", f"{best.lower:.6f}", "", "")
    for row in found:
        if row.name in SHOWN:
            label = "leastnoise (proven)" if row.name == "design" else row.label
            table.add_row(
                label, f"{row.loss:.6f}", f"{row.error_95:.4g}", f"{100 * row.excess:.2f} %"
            )
    console.print(table)
    console.print(f"{best.status}; {best.stats['seconds']:.2f} s.")
    for claim in best.verify().claims:
        console.print(f"  {claim.name}: {claim.verdict}")
    console.print(f"True answer {float(secret):g}, one private release: {best.release(secret):g}")


def main() -> None:
    console = Console(highlight=False)
    console.print("Budget: epsilon 1, delta 1e-6, for one release each.")
    show(
        "The mean salary of 1,000 people",
        Fraction(sum(SALARIES), len(SALARIES)),
        "Clamped to 0..200,000, so one person moves it by at most 200,000/1,000 = 200.",
        sensitivity=200,
    )
    show(
        "How many of them earn more than 50,000",
        sum(salary > 50_000 for salary in SALARIES),
        "One person moves a count by at most 1; noise on the integers.",
        sensitivity=1,
        integer=True,
    )
    console.print("\nThe paper's example: python examples/mean_salary.py")


if __name__ == "__main__":
    main()
