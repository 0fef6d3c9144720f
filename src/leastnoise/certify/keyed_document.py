"""Mechanism files of kind "keyed": a key and the number of units that have it, from one draw.

The mechanism and why it is private: `keyed.proof.md`. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..ask.privacy import Point, Releases, points_to_json
from ..exact import nearest_float, text_of
from ..losses import Loss
from ..work import charge
from .about import about_text
from .base import MechanismDocument, check_file_keys, head_of, reading
from .curve import profile_from_json
from .fields import (
    check_keys,
    demand,
    read_bracket,
    read_count,
    read_delta,
    read_each,
    read_epsilon,
    read_integer,
    read_loss,
    read_not_negative,
    read_number,
    read_object,
    read_positive,
)

#: The farthest noise, and so the longest tables, of a file.
MAX_REACH = 10_000
#: One uniform number has so many bits at least: the sampler looks at 64 of them first.
LEAST_BITS = 64
MAX_KEYS_OF_A_UNIT = 1_000_000
EVEN_ONLY = "even and nowhere falling away from 0, such as l1, l2, power or huber"


@dataclass(frozen=True)
class Chain:
    """The law of a keyed release, for every number of units n, in whole numbers.

    Draw U uniform in 0..denominator - 1. A key that n units have is shown iff U < show(n); its
    value is then max(reach, n + X), where X >= j iff U < tail(j).
    """

    denominator: int
    shown: tuple[int, ...]  # show(1), show(2), ..., the last one is the denominator
    beyond: tuple[int, ...]  # tail(1), tail(2), ..., tail(reach) > 0

    @property
    def reach(self) -> int:
        """T: no value is further than this from the true number."""
        return len(self.beyond)

    @property
    def always_released_from(self) -> int:
        """A key that so many units have, or more, is always shown."""
        return len(self.shown)

    def show(self, n: int) -> int:
        """denominator * P(shown) of a key that n units have."""
        if n < 1:
            return 0
        return self.shown[min(n, len(self.shown)) - 1]

    def tail(self, j: int) -> int:
        """denominator * P(X >= j); X is symmetric."""
        if j > self.reach:
            return 0
        if j >= 1:
            return self.beyond[j - 1]
        return self.denominator - self.tail(1 - j)

    def mass(self, k: int) -> int:
        """denominator * P(X = k)."""
        return self.tail(k) - self.tail(k + 1)

    def least(self, n: int) -> int:
        """denominator * P(shown with the smallest value, `reach`), for n >= 1."""
        return self.show(n) - self.tail(self.reach + 1 - n)


@dataclass(frozen=True)
class FailureCurve:
    """mu-Gaussian privacy, but for a failure of this probability: a trade-off curve."""

    mu: Fraction
    failure: Fraction

    def to_json(self) -> dict[str, str]:
        """The JSON object of the mechanism file."""
        return {"mu": text_of(self.mu), "failure": text_of(self.failure)}


@dataclass(frozen=True)
class KeyedReleases(Releases):
    """`count` keys together keep the budget, those of the profile, and the curve, if any."""

    profile: tuple[Point, ...] = ()
    curve: FailureCurve | None = None

    @property
    def budgets(self) -> tuple[Point, ...]:
        """All that are kept."""
        return (self.epsilon, self.delta), *self.profile

    def to_json(self) -> dict[str, Any]:
        """The JSON object of the mechanism file."""
        data = super().to_json()
        if self.profile:
            data["profile"] = points_to_json(self.profile)
        if self.curve is not None:
            data["curve"] = self.curve.to_json()
        return data


@dataclass(frozen=True)
class KeyedDocument(MechanismDocument):
    """A keyed mechanism and its claims, exactly as stated. Nothing here is checked."""

    KINDS = ("keyed",)
    kind = KINDS[0]

    epsilon: Fraction
    delta: Fraction
    loss: Loss
    chain: Chain
    excess: Fraction
    upper: Fraction
    lower: Fraction
    profile: tuple[Point, ...] = ()
    curve: FailureCurve | None = None
    releases: KeyedReleases | None = None
    about: str = ""  # the text of a free JSON object, which nothing here reads

    # What documents of other kinds may claim, too.

    @property
    def sensitivity(self) -> Fraction:
        """One unit more or less is one more or less: always 1."""
        return Fraction(1)

    @property
    def integer(self) -> bool:
        """Whether releases are whole numbers: always."""
        return True

    @property
    def budgets(self) -> tuple[Point, ...]:
        """What a key keeps, and every baseline with it, where there is no curve."""
        return (self.epsilon, self.delta), *self.profile

    @property
    def competitors(self) -> str:
        """Among which mechanisms nothing shows a key more often: with several keys of a unit, those
        that give each key the same part of the budget.
        """
        if self.releases is None:
            return "nothing as private"
        if self.curve is not None:
            return "nothing that keeps this Gaussian curve with failures for each key"
        if self.profile:
            return "nothing that keeps an equal share of these budgets for each key"
        each = f"({nearest_float(self.epsilon):.4g}, {nearest_float(self.delta):.4g})"
        return f"nothing that keeps {each} for each key"

    def _body_json(self) -> dict[str, Any]:
        body: dict[str, Any] = {
            "chain": {
                "denominator": str(self.chain.denominator),
                "shown": [str(one) for one in self.chain.shown],
                "beyond": [str(one) for one in self.chain.beyond],
            },
            "excess": text_of(self.excess),
        }
        if self.profile:
            body["profile"] = points_to_json(self.profile)
        if self.curve is not None:
            body["curve"] = self.curve.to_json()
        if self.releases is not None:
            body["releases"] = self.releases.to_json()
        return body

    def _certificate_json(self) -> None:
        return None


def parse_keyed(data: object) -> KeyedDocument:
    """The document in a JSON object of kind "keyed"; `FormatError` if it is not one."""
    with reading():
        return _keyed(head_of(data, KeyedDocument.KINDS))


def _keyed(data: dict[str, Any]) -> KeyedDocument:
    check_file_keys(data, {"chain", "excess"}, {"certificate", "profile", "curve", "releases"})
    demand("certificate" not in data, 'a file of kind "keyed" has no "certificate"')
    demand(not {"profile", "curve"} <= set(data), '"profile" and "curve" exclude each other')
    demand(read_number(data["sensitivity"], "sensitivity") == 1, '"sensitivity" must be 1')
    loss = read_loss(data["loss"])
    demand(loss.symmetric and loss.falls_nowhere and loss.certified, f'"loss" must be {EVEN_ONLY}')
    lower, upper = read_bracket(data)
    return KeyedDocument(
        epsilon=read_epsilon(data["epsilon"]),
        delta=read_delta(data["delta"]),
        loss=loss,
        chain=_chain(data["chain"]),
        excess=read_not_negative(data["excess"], "excess"),
        upper=upper,
        lower=lower,
        profile=profile_from_json(data["profile"]) if "profile" in data else (),
        curve=_curve(data["curve"]) if "curve" in data else None,
        releases=_releases(data["releases"]) if "releases" in data else None,
        about=about_text(data.get("about", {})),
    )


def _chain(value: object) -> Chain:
    data = read_object(value, "chain")
    check_keys(data, "chain", {"denominator", "shown", "beyond"}, set())
    denominator = read_count(data["denominator"], "denominator")
    power = denominator > 0 and denominator & (denominator - 1) == 0
    demand(
        power and denominator.bit_length() > LEAST_BITS,
        f'"denominator" must be a power of two, at least 2^{LEAST_BITS}',
    )
    return Chain(
        denominator,
        _counts(data["shown"], "shown", 2 * MAX_REACH + 1),
        _counts(data["beyond"], "beyond", MAX_REACH),
    )


def _counts(value: object, name: str, longest: int) -> tuple[int, ...]:
    entries = read_each(value, name, longest, read_count)
    demand(len(entries) > 0, f'"{name}" must not be empty')
    charge(len(entries))
    return entries


def _curve(value: object) -> FailureCurve:
    data = read_object(value, "curve")
    check_keys(data, "curve", {"mu", "failure"}, set())
    failure = read_positive(data["failure"], "failure")
    demand(failure < 1, '"failure" must be below 1')
    return FailureCurve(read_positive(data["mu"], "mu"), failure)


def _releases(value: object) -> KeyedReleases:
    data = read_object(value, "releases")
    check_keys(data, "releases", {"count", "epsilon", "delta"}, {"profile", "curve"})
    return KeyedReleases(
        read_integer(data["count"], "count", 1, MAX_KEYS_OF_A_UNIT),
        read_epsilon(data["epsilon"]),
        read_delta(data["delta"]),
        profile_from_json(data["profile"]) if "profile" in data else (),
        _curve(data["curve"]) if "curve" in data else None,
    )
