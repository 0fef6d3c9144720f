"""The paper's Example 1: publish a mean salary (in thousand rupees) with the least noise.

One person more or less well paid moves the mean of 194 salaries by at most 0.36. The budget is
epsilon = 1, delta = 0.2, and errors cost their square. Prints a certified bracket around the best
possible loss, what the usual mechanisms would add, and one private release.
"""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from leastnoise import design
from leastnoise.baselines import AnalyticGaussian, Gaussian, Laplace, TruncatedLaplace

MEAN_SALARY = 165.65  # as printed in the paper; pretend it is secret
BUDGET = {"epsilon": "1", "delta": "0.2", "sensitivity": "0.36"}


def main() -> None:
    console = Console()
    console.print(
        "Designing the best noise for a mean salary: "
        "epsilon 1, delta 0.2, sensitivity 0.36, squared error ..."
    )
    best = design(**BUDGET, loss="l2")
    table = Table("noise", "squared error", "std (rupees)", "above the bound")

    def row(name: str, squared_error: float, excess: str) -> None:
        table.add_row(name, f"{squared_error:.6f}", f"{1000 * squared_error**0.5:.2f}", excess)

    row("lower bound for all noise", best.lower, "")
    row("leastnoise (proven)", best.upper, f"at most {100 * best.gap:.2f} %")
    for kind in (TruncatedLaplace, AnalyticGaussian, Laplace, Gaussian):
        baseline = kind(**BUDGET)
        row(
            baseline.label, baseline.variance, f"{100 * (baseline.variance / best.lower - 1):.1f} %"
        )
    console.print(table)
    console.print(f"{best.status}; {best.stats['seconds']:.2f} s.", highlight=False)
    console.print(
        f"True mean {MEAN_SALARY}, one private release: "
        f"{best.release(MEAN_SALARY):.3f} (thousand rupees)",
        highlight=False,
    )
    report = best.verify()
    for claim in report.claims:
        console.print(f"  {claim.name}: {claim.verdict}; {claim.detail}", highlight=False)


if __name__ == "__main__":
    main()
