"""What is true of a file of kind "dependent", computed from the laws of its answers directly."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from forged_additive import Noise
from forged_claims import CLOSE, composed_delta, curve_holds, gaussian_curve, guarded, releases_hold
from forged_loss import NODES, WEIGHTS, Loss, Unknown, Unreadable, exponential, number

Law = dict[Fraction, int]


class Channel:
    """The laws of all nodes that matter, and the expected loss at any value."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.low, self.high = (number(x) for x in document["bounds"])
        self.step = number(document["step"])
        self.reach = number(document["sensitivity"])
        self.n = int(self.reach / self.step)
        self.count = int((self.high - self.low) / self.step)
        self.whole = bool(document.get("integer", False))
        self.wide = (self.low, self.high)
        if "beyond" in document:
            self.wide = tuple(number(x) for x in document["beyond"])  # type: ignore[assignment]
        self.loss = Loss(document["loss"])
        channel = document["channel"]
        self.denominator = int(channel["denominator"]) if "denominator" in channel else 1
        self.noise = self._additive(document.get("additive"))
        self.laws: dict[int, Law] = {}
        if self.noise is None:
            self._rows(channel)

    def _additive(self, found: dict[str, Any] | None) -> Noise | None:
        if found is None:
            return None
        return Noise(number(found["step"]), found.get("grid"), found["noise"], self.reach)

    def _rows(self, channel: dict[str, Any]) -> None:
        rows = channel["rows"]
        if len(rows) != self.count + 1:
            raise Unreadable("rows")
        for k, row in enumerate(rows):
            if "outputs" in channel:
                places = [number(y) for y in channel["outputs"]]
            else:
                places = [self.low + (channel["first"] + j) * self.step for j in range(len(row))]
            if len(places) != len(row):
                raise Unreadable("outputs")
            self.laws[k] = {y: int(w) for y, w in zip(places, row, strict=True) if int(w)}
        if "beyond" in self.document and "noise" in channel:
            first, weights = channel["noise"]["first"], channel["noise"]["weights"]
            lowest = math.floor((self.wide[0] - self.low) / self.step)
            highest = math.ceil((self.wide[1] - self.low) / self.step)
            around = range(
                max(lowest, -2 * self.n - 2), min(highest, self.count + 2 * self.n + 2) + 1
            )
            if len(around) * len(weights) > 200_000:
                raise Unknown("too many nodes")
            for k in around:
                if not 0 <= k <= self.count:
                    self.laws[k] = {
                        self.low + (k + first + j) * self.step: int(w)
                        for j, w in enumerate(weights)
                        if int(w)
                    }

    # claims -------------------------------------------------------------------------------

    def sums(self) -> bool:
        """Whether every law is a distribution."""
        if self.noise is not None:
            return self.noise.total() == 1
        return all(sum(law.values()) == self.denominator for law in self.laws.values())

    def delta(self, epsilon: Fraction) -> Fraction:
        """The least delta at epsilon over all pairs of nodes within the sensitivity."""
        if self.noise is not None:
            return self.noise.delta(epsilon)
        growth = exponential(epsilon)
        up, down = growth.numerator, growth.denominator
        work = sum(len(law) for law in self.laws.values()) * 2 * self.n
        if work > 1_500_000:
            raise Unknown("too many pairs")
        worst = 0
        for k, law in self.laws.items():
            for m in range(k - self.n, k + self.n + 1):
                other = self.laws.get(m)
                if m == k or other is None:
                    continue
                total = 0
                for y, p in law.items():
                    term = p * down - up * other.get(y, 0)
                    if term > 0:
                        total += term
                worst = max(worst, total)
        return Fraction(worst, down * self.denominator)

    def curve(self, mu: Fraction) -> bool:
        """Whether the answers are below the Gaussian curve at many epsilons."""
        if self.noise is not None:
            return curve_holds(self.noise, mu)
        if mu > 30:
            raise Unknown("a huge mu")
        top = float(mu * mu / 2 + 6 * mu)
        some = [Fraction(round(s * top * 1000), 1000) for s in (0, 0.05, 0.15, 0.3, 0.5, 1)]
        return all(self.delta(e) <= gaussian_curve(mu, e) for e in some)

    def composed(self, found: dict[str, Any]) -> bool:
        """Whether so many releases may keep the total; False is certain."""
        if self.noise is not None:
            return releases_hold(self.noise, found)
        nodes = sorted(self.laws)
        pairs = []
        for k, m in (
            (nodes[0], nodes[0] + self.n),
            (nodes[-1], nodes[-1] - self.n),
            (nodes[len(nodes) // 2], nodes[len(nodes) // 2] + self.n),
        ):
            if m in self.laws:
                places = sorted({*self.laws[k], *self.laws[m]})
                p, q = (
                    np.array([self.laws[i].get(y, 0) / self.denominator for y in places])
                    for i in (k, m)
                )
                pairs += [(p, q), (q, p)]
        delta = composed_delta(pairs, found["count"], float(number(found["epsilon"])))
        return delta <= float(number(found["delta"]))

    def largest_error(self) -> Fraction:
        """How far an answer may be from a value that leads to it."""
        if self.noise is not None:
            raise Unknown("additive")
        worst = Fraction(0)
        for k, law in self.laws.items():
            node = self.low + k * self.step
            reach = 0 if self.whole else self.step
            first, last = max(self.wide[0], node - reach), min(self.wide[1], node + reach)
            worst = max([worst, *(max(y - first, last - y) for y in law)])
        return worst

    def rising(self) -> bool:
        """Whether P(answer <= y) never grows with the node."""
        if self.noise is not None:
            return True
        for k in sorted(self.laws):
            if k + 1 in self.laws:
                balance = 0
                one, two = self.laws[k], self.laws[k + 1]
                for y in sorted({*one, *two}):
                    balance += one.get(y, 0) - two.get(y, 0)
                    if balance < 0:
                        return False
        return True

    # losses -------------------------------------------------------------------------------

    def losses(self, values: np.ndarray) -> np.ndarray:
        """The expected loss of the release of each value, in floats."""
        if self.noise is not None:
            return self._additive_losses(values)
        nodes = sorted(self.laws)
        answers = sorted({y for law in self.laws.values() for y in law})
        places = np.array([float(y) for y in answers])
        where = {y: j for j, y in enumerate(answers)}
        law = np.zeros((len(nodes), len(answers)))
        for i, k in enumerate(nodes):
            for y, w in self.laws[k].items():
                law[i, where[y]] = w / self.denominator
        position = (values - float(self.low)) / float(self.step) - nodes[0]
        index = np.clip(np.floor(position + 1e-12).astype(int), 0, len(nodes) - 1)
        share = np.clip(position - index, 0, 1)
        mixed = (1 - share)[:, None] * law[index] + share[:, None] * law[
            np.minimum(index + 1, len(nodes) - 1)
        ]
        if values.size * places.size > 4_000_000:
            raise Unknown("too many answers")
        return (mixed * self._cost(places[None, :], values[:, None])).sum(axis=1)

    def _cost(self, answers: np.ndarray, values: np.ndarray) -> np.ndarray:
        errors = answers - values
        cost = self.loss.floats(errors.ravel()).reshape(errors.shape)
        if "crossing" in self.document:
            at = float(number(self.document["crossing"]["at"]))
            slope = float(number(self.document["crossing"]["slope"]))
            apart = (answers - at) * (values - at) < 0
            cost = cost + np.where(apart, slope * np.abs(answers - at), 0.0)
        return cost

    def _additive_losses(self, values: np.ndarray) -> np.ndarray:
        assert self.noise is not None
        places, mass = self.noise.points()
        if places.size * values.size > 4_000_000:
            raise Unknown("too many points")
        g = 1.0 if self.noise.integer else float(self.noise.step / self.noise.grid)
        floor = np.floor(values / g + 1e-9)
        share = np.clip(values / g - floor, 0, 1)
        low, high = float(self.wide[0]), float(self.wide[1])
        total = np.zeros_like(values)
        for add, weight in ((0, 1 - share), (1, share)):
            answers = np.clip(((floor + add) * g)[:, None] + places, low, high)
            total += weight * (self._cost(answers, values[:, None]) @ mass)
        return total

    def average(self) -> float:
        """The expected loss under the prior, within the bounds."""
        if self.whole:
            values = np.arange(self.count + 1) + float(self.low)
            prior = self.document["prior"]
            mass = (
                np.full(len(values), 1 / len(values))
                if prior == "uniform"
                else np.array([float(number(m)) for m in prior["masses"]])
            )
            return _finite(float(self.losses(values) @ mass))
        cuts = self._cuts()
        half, middle = np.diff(cuts) / 2, (cuts[1:] + cuts[:-1]) / 2
        values = (middle[:, None] + half[:, None] * NODES).ravel()
        weight = (half[:, None] * WEIGHTS).ravel() * self._density(values)
        if values.size > 60_000:
            raise Unknown("too many pieces")
        blocks = np.array_split(np.arange(values.size), max(1, values.size // 2000))
        return _finite(sum(float(self.losses(values[b]) @ weight[b]) for b in blocks))

    def _density(self, values: np.ndarray) -> np.ndarray:
        prior = self.document["prior"]
        if prior == "uniform":
            return np.full(values.shape, 1 / float(self.high - self.low))
        edges = [number(e) for e in prior["edges"]]
        heights = [
            float(number(m) / (v - u))
            for m, u, v in zip(prior["masses"], edges, edges[1:], strict=False)
        ]
        index = np.searchsorted([float(e) for e in edges], values, side="right") - 1
        return np.array(heights)[np.clip(index, 0, len(heights) - 1)]

    def _cuts(self) -> np.ndarray:
        """Where the expected loss, as a function of the value, or the prior has a break."""
        low, high = float(self.low), float(self.high)
        prior = self.document["prior"]
        cuts = set() if prior == "uniform" else {float(number(e)) for e in prior["edges"]}
        if "crossing" in self.document:
            cuts.add(float(number(self.document["crossing"]["at"])))
        if self.noise is not None:
            g = float(self.noise.step if self.noise.integer else self.noise.step / self.noise.grid)
            if (high - low) / g > 3000:
                raise Unknown("grid too fine")
            answers = [low, high, *(np.arange(math.floor(low / g), math.ceil(high / g) + 1) * g)]
            cuts |= set(answers)
        else:
            answers = [float(y) for y in {y for law in self.laws.values() for y in law}]
            cuts |= {low + k * float(self.step) for k in range(self.count + 1)}
        kinks = {y - float(t) for t in self.loss.breaks for y in answers}
        cuts |= kinks
        if self.loss.fractional:  # finely around a place where a power is not smooth
            if len(kinks) > 60:
                raise Unknown("too many places that are not smooth")
            cuts |= {x + s / 2**j for x in kinks for j in range(36) for s in (1, -1)}
        rounded = {round(x, 12) for x in cuts if low < x < high} | {low, high}
        return np.array(sorted(rounded))

    def worst(self) -> float:
        """At most the largest expected loss of any value that may be released."""
        if self.noise is not None:
            low, high = float(self.wide[0]), float(self.wide[1])
            values = np.linspace(low, high, 401)
            return _finite(float(self.losses(np.round(values) if self.whole else values).max()))
        nodes = np.array(sorted(self.laws)) * float(self.step) + float(self.low)
        if self.whole:
            return _finite(float(self.losses(nodes).max()))
        shares = (0, 0.11, 0.25, 0.4, 0.5, 0.6, 0.75, 0.89)
        values = np.concatenate([nodes[:-1] + s * float(self.step) for s in shares] + [nodes[-1:]])
        values = values[(values >= float(self.wide[0])) & (values <= float(self.wide[1]))]
        return _finite(float(self.losses(values).max()))


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise Unknown("beyond floats")
    return value


def dependent_truth(document: dict[str, Any]) -> list[tuple[str, bool | None]]:
    """(claim, whether it is true) for all claims but `lower`."""
    try:
        channel = Channel(document)
    except Unknown:
        return []
    truth: list[tuple[str, bool | None]] = [("distribution", guarded(channel.sums))]
    if not truth[0][1]:
        return truth
    epsilon, delta = number(document["epsilon"]), number(document["delta"])
    truth.append(("privacy", guarded(lambda: channel.delta(epsilon) <= delta)))
    if "profile" in document:
        pairs = [(number(e), number(d)) for e, d in document["profile"]]
        truth.append(("profile", guarded(lambda: all(channel.delta(e) <= d for e, d in pairs))))
    if "gdp" in document:
        truth.append(("gdp", guarded(channel.curve, number(document["gdp"]["mu"]))))
    if "releases" in document:
        truth.append(("releases", guarded(channel.composed, document["releases"])))

    def below(value: Any, key: str) -> bool | None:
        return guarded(lambda: value() <= float(number(document[key])) * (1 + CLOSE) + 1e-13)

    truth.append(("upper", below(channel.average, "upper")))
    if "instance_bound" in document:
        truth.append(("instance", below(channel.worst, "instance_bound")))
    if "max_error" in document:
        t = number(document["max_error"])
        truth.append(("max_error", guarded(lambda: channel.largest_error() <= t)))
    if document.get("monotone"):
        truth.append(("monotone", guarded(channel.rising)))
    return truth
