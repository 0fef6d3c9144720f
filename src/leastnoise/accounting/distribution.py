"""A mechanism as a privacy loss distribution and an event of Google's dp-accounting.

So that designs compose with other people's mechanisms, and with Poisson subsampling. Everything is
on the safe side; statements and proofs: `distribution.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..baselines import Mechanism
from ..baselines.gaussian import Normal
from ..baselines.laplace import Laplace
from ..errors import ArgumentError
from ..exact import Number, rational
from ..formatting import float_towards
from ..numeric import Floats
from .composition import _farthest, _refine
from .convolution import distributions
from .dominating import Losses, dots, hockey, sum_error, upper_envelope
from .law import AccountedNoise, Pair, law_of

if TYPE_CHECKING:
    from ..design import Design

#: dp-accounting's own default, so that what it makes fits what we make.
INTERVAL = 1e-4
#: The most steps from 0 to the largest loss.
_MOST_STEPS = 1_000_000


def privacy_loss_distribution(
    mechanism: Design[Any] | Mechanism,
    *,
    sampling_probability: Number = 1,
    value_discretization_interval: float = INTERVAL,
) -> Any:
    """dp-accounting's `PrivacyLossDistribution` of one release: pessimistic at every epsilon.

    It dominates the mechanism: `get_delta_for_epsilon` is never below the true delta of one
    release, and composed with others (`compose`, `self_compose`, all with one interval) never below
    that of all together, but for dp-accounting's own rounding and cut tails, some 1e-15 each.

    sampling_probability: each person's data enter with this probability, independently (Poisson
        subsampling), and what is drawn is secret. Neighbors have one person more or less, and
        `sensitivity` is the most that this changes the query on any sample.
    """
    share = float(rational(sampling_probability, "sampling_probability"))
    if not 0 < share <= 1:
        raise ArgumentError("sampling_probability", sampling_probability, "above 0, at most 1")
    step = float(value_discretization_interval)
    if not 1e-7 <= step <= 1:
        raise ArgumentError(
            "value_discretization_interval", value_discretization_interval, "from 1e-7 to 1"
        )
    law = law_of(mechanism)
    far = _farthest(law)
    if far / step > _MOST_STEPS:
        raise ArgumentError(
            "value_discretization_interval",
            value_discretization_interval,
            f"at least {far / _MOST_STEPS:.1g} for this mechanism: its privacy losses reach "
            f"{far:.3g}",
        )
    index, removed, added = _curves(law, share, step, math.ceil(far / step) + 1)
    there = _with_margin(dots(step, index, removed, added), law)
    if share == 1:
        return distributions().create_from_rounded_probability(*_masses(there), step, True)
    back = _with_margin(dots(step, index, added, removed), law)
    return distributions().create_from_rounded_probability(
        *_masses(there), step, True, *_masses(back), False
    )


def _curves(
    law: AccountedNoise, share: float, step: float, n: int
) -> tuple[NDArray[np.int64], Floats, Floats]:
    """(grid points, curves there) for a person who is removed and for one who is added.

    Grid points are left out where both curves are affine in gamma, or smooth.
    """
    if law.smooth is not None:
        curves = [
            partial(_masses_removed, law.smooth, share),
            partial(_masses_added, law.smooth, share),
        ]
        index = np.union1d(*(_refine(curve, step, n)[1] for curve in curves))
        removed, added = (curve(np.exp(step * index)) for curve in curves)
        return index, removed, added
    whole = [_with_atom(law.pair(shift), law.atom) for shift in law.signed]
    there = [(share * p + (1 - share) * q, q) for p, q in whole]
    back = [(q, p) for p, q in there]
    index = np.union1d(*(upper_envelope(pairs, step, n)[1] for pairs in (there, back)))
    gammas = np.exp(step * index)
    removed, added = (
        np.max([hockey(p, q, gammas) for p, q in pairs], axis=0) for pairs in (there, back)
    )
    return index, removed, added


def _with_atom(pair: Pair, atom: float) -> Pair:
    """The two laws, with the atom of each on a point of its own: it never meets the other."""
    if atom == 0:
        return pair
    return np.append(pair[0], [atom, 0.0]), np.append(pair[1], [0.0, atom])


def _masses_removed(curve: Callable[[Floats], Floats], share: float, gammas: Floats) -> Floats:
    return share * curve(1 + (gammas - 1) / share)


def _masses_added(curve: Callable[[Floats], Floats], share: float, gammas: Floats) -> Floats:
    left = 1 - gammas * (1 - share)
    positive = left > 1e-300
    added = np.zeros(len(gammas))
    added[positive] = left[positive] * curve(
        np.maximum(gammas[positive] * share / left[positive], 1.0)
    )
    return added


def _with_margin(losses: Losses, law: AccountedNoise) -> Losses:
    """What rounding may have taken becomes infinite loss, so that nothing is missing."""
    terms = 1000 if law.smooth is not None else max(len(law.pair(s)[0]) for s in law.signed)
    terms += int(np.count_nonzero(losses.masses))
    lost = losses.slack + sum_error(terms)
    return replace(losses, infinite=losses.infinite + lost)


def _masses(losses: Losses) -> tuple[dict[int, float], float]:
    filled = np.flatnonzero(losses.masses)
    places = (filled + losses.start).tolist()
    return dict(zip(places, losses.masses[filled].tolist(), strict=True)), losses.infinite


# -- events -------------------------------------------------------------------------------------


def dp_event(mechanism: Design[Any] | Mechanism) -> Any:
    """A `DpEvent` of one release, to compose and to subsample (`PoissonSampledDpEvent`).

    Gaussian and Laplace noise have events of their own, which every accountant knows. A design with
    `gdp=mu` costs at most what Gaussian noise of 1/mu sensitivities costs, under composition and
    sampling too, and that is its event. For anything else the event is known to the accountant
    that `pld_accountant` makes.
    """
    distributions()  # refuse now if the extra is missing
    from dp_accounting import dp_event as events

    if isinstance(mechanism, Normal):
        return events.GaussianDpEvent(float(mechanism.std / mechanism.sensitivity))
    if isinstance(mechanism, Laplace):
        return events.LaplaceDpEvent(float(mechanism.scale / mechanism.sensitivity))
    stated = getattr(mechanism, "document", None)
    if stated is not None and stated.gdp is not None:
        return events.GaussianDpEvent(float_towards(1 / stated.gdp.mu, -math.inf))
    law_of(mechanism)  # refuse now what has no law
    return _classes()[0](mechanism)


def pld_accountant(*, value_discretization_interval: float = INTERVAL) -> Any:
    """dp-accounting's `PLDAccountant`, which knows every event of `dp_event`, too.

    Neighbors have one person more or less. Compose what you like: events of `dp_event`, Poisson
    samples of them, and all that `PLDAccountant` knows.
    """
    distributions()
    return _classes()[1](value_discretization_interval=value_discretization_interval)


@lru_cache(maxsize=1)
def _classes() -> tuple[Any, Any]:
    """(event, accountant), made where dp-accounting is known to be there."""
    import attr
    from dp_accounting import dp_event as events
    from dp_accounting.pld import PLDAccountant

    @attr.s(frozen=True, auto_attribs=True)
    class MechanismDpEvent(events.DpEvent):
        """One release of a design, or of a closed form that dp-accounting does not know."""

        mechanism: Any

    class Accountant(PLDAccountant):
        """A PLDAccountant that knows `MechanismDpEvent`, sampled or not."""

        def _maybe_compose(self, event: Any, count: int, do_compose: bool) -> Any:
            share, inner = 1.0, event
            if isinstance(event, events.PoissonSampledDpEvent):
                share, inner = event.sampling_probability, event.event
            if not isinstance(inner, MechanismDpEvent):
                return super()._maybe_compose(event, count, do_compose)
            if do_compose and share > 0:
                single = privacy_loss_distribution(
                    inner.mechanism,
                    sampling_probability=share,
                    value_discretization_interval=self._value_discretization_interval,
                )
                before: Any = self._pld  # type: ignore[has-type]
                self._pld = before.compose(single.self_compose(count))
            return None

    return MechanismDpEvent, Accountant
