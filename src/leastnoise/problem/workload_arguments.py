"""The arguments of `design` for a workload, checked before anything is computed."""

from __future__ import annotations

from fractions import Fraction

from ..errors import ArgumentError, Described
from ..exact import Number, rational
from .arguments import Arguments, DesignRequest, WorkloadArguments
from .budgets import check_budgets, check_mu
from .checks import check_gap, check_progress, check_sizes, check_time_limit
from .shape_arguments import LARGEST
from .workload import Workload
from .workload_problem import ADD_REMOVE, REPLACE, WorkloadBudget, WorkloadProblem

#: rho of zero-concentrated privacy that designs can have.
MIN_EPSILON = Fraction(1, 1000)
MIN_RHO, MAX_RHO = Fraction(1, 500_000), 18
#: The gap that is asked for if nobody says which, and the seconds for the search.
_GAP, _SECONDS = 1e-3, 60.0
_TAKEN = ("workload", *WorkloadArguments.__annotations__)


def workloaded(arguments: Arguments) -> DesignRequest[WorkloadProblem]:
    """What is meant; refuses what makes no sense, naming the argument."""
    for name, value in arguments.given().items():
        if name not in _TAKEN:
            raise ArgumentError(name, value, "left out for a workload")
    workload = arguments.workload
    if not isinstance(workload, Workload):
        raise ArgumentError("workload", Described(type(workload).__name__), "a Workload(...)")
    if arguments.loss not in ("l2", LARGEST):
        raise ArgumentError(
            "loss", arguments.loss, '"l2" (the total squared error) or "largest" (variance)'
        )
    neighbors = arguments.neighbors
    if neighbors not in (ADD_REMOVE, REPLACE):
        raise ArgumentError("neighbors", neighbors, f'"{ADD_REMOVE}" or "{REPLACE}"')
    check_progress(arguments.progress)
    gap, seconds = arguments.gap, check_time_limit(arguments.time_limit)
    return DesignRequest(
        WorkloadProblem(workload, neighbors, _budget(arguments), arguments.loss == LARGEST),
        float(check_gap(_GAP if gap is None else gap)),
        _SECONDS if seconds is None else seconds,
        None,
        arguments.progress,
    )


def _budget(arguments: Arguments) -> WorkloadBudget:
    for name in ("gdp", "zcdp", "epsilon", "delta"):
        check_sizes(name, getattr(arguments, name))
    if arguments.epsilon is None and arguments.delta is not None:
        raise ArgumentError("delta", arguments.delta, "left out without epsilon")
    given = [arguments.gdp, arguments.zcdp, arguments.epsilon]
    if sum(budget is not None for budget in given) != 1:
        raise ArgumentError(
            "gdp", arguments.gdp, "given, or zcdp, or epsilon and delta, but only one of these"
        )
    if arguments.epsilon is not None:
        if arguments.delta is None:
            raise ArgumentError("delta", None, "given with epsilon (it may be 0)")
        (epsilon, delta), _, _ = check_budgets(arguments.epsilon, arguments.delta, None, None)
        if epsilon < MIN_EPSILON:
            raise ArgumentError("epsilon", arguments.epsilon, f"at least {float(MIN_EPSILON)}")
        return WorkloadBudget(epsilon, delta)
    if arguments.gdp is not None:
        return WorkloadBudget(gdp=check_mu(arguments.gdp))
    assert arguments.zcdp is not None
    return WorkloadBudget(zcdp=check_rho(arguments.zcdp))


def check_rho(zcdp: Number) -> Fraction:
    """0.000002 <= rho <= 18: mu^2/2 for the mu that curves may have."""
    rho = rational(zcdp, "zcdp")
    if not MIN_RHO <= rho <= MAX_RHO:
        raise ArgumentError("zcdp", zcdp, f"from {float(MIN_RHO)} to {MAX_RHO}")
    return rho
