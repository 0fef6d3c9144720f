"""Table 3 at full size on a GPU (CuPy), for those who have one: the same descent, the same laws.

Two steps, because a machine with a GPU may hold nothing but CuPy:
    python benchmarks/descent_gpu.py prepare FOLDER      # here: datasets and tables of the noises
    python benchmarks/descent_gpu.py run FOLDER OUT.csv SPLITS DRAWS SCALE [DATASET ...]  # there

`run` appends one line per dataset, split and noise, in the format of the experiment's own results
(`table3-splits.csv`; SCALE 10 for `table3-tenfold-splits.csv`), so that the report takes them.
"""

from __future__ import annotations

import csv
import math
import sys
import time
from pathlib import Path

import numpy as np

FINE = 1 << 16  # entries of a table of quantiles
METHODS = (
    "none",
    "gaussian",
    "analytic-gaussian",
    "truncated-laplace",
    "optimal",
    "optimal-dependent",
)


def prepare(folder: Path) -> None:
    """Write datasets and noises as plain arrays."""
    from leastnoise.datasets import load
    from leastnoise.paper.experiments.noises import Channel, quantile, sign_channel
    from leastnoise.paper.experiments.published import rows

    folder.mkdir(parents=True, exist_ok=True)
    for row in rows("table3_logistic_regression"):
        features, labels = load(row["dataset"], "logistic").design_matrix()
        np.savez_compressed(
            folder / f"{row['dataset']}.npz",
            features=features.astype(np.float32),
            labels=labels.astype(np.float32),
        )
    middle = (np.arange(FINE) + 0.5) / FINE
    channel = Channel(sign_channel(100_000))
    tables = {name: quantile(name)(middle) for name in METHODS[1:5]}
    left, right = channel.tails
    np.savez(
        folder / "noises",
        **tables,
        outputs=channel.outputs,
        rows=channel.cumulative,
        low=channel.low,
        step=channel.step,
        left=left,
        right=right,
    )


class Noise:
    """Additive noise from tables of quantiles; the channel row by row."""

    def __init__(self, cp, folder: Path, scale: float) -> None:
        held = np.load(folder / "noises.npz")
        self.cp, self.scale = cp, scale
        self.tables = {name: cp.asarray(2.0 * scale * held[name]) for name in METHODS[1:5]}
        rows = held["rows"]
        self.last, self.width = len(rows) - 1, rows.shape[1]
        self.keys = cp.asarray((rows + np.arange(len(rows))[:, None]).ravel())
        self.outputs = cp.asarray(held["outputs"])
        self.low, self.step = float(held["low"]), float(held["step"])
        self.tails = [tuple(cp.asarray(x) for x in held[side]) for side in ("left", "right")]

    def additive(self, method: str, uniforms):
        """Noise, sensitivity 2 included."""
        return self.tables[method][(uniforms * FINE).astype(self.cp.int64)]

    def answers(self, values, uniforms):
        """One answer for each sum of gradients."""
        cp = self.cp
        place = (values - self.low) / self.step
        below = cp.floor(place)
        share = place - below
        up = uniforms < share
        node = below + up
        uniform = cp.where(
            up,
            uniforms / cp.where(up, share, 1.0),
            (uniforms - share) / cp.where(up, 1.0, 1.0 - share),
        )
        row = cp.clip(node, 0, self.last).astype(cp.int64)
        at = cp.searchsorted(self.keys, row + cp.minimum(uniform, 1 - 1e-12)) - row * self.width
        found = self.outputs[cp.clip(at, 0, self.width - 1)]
        centre = self.low + node * self.step
        for beyond, (offsets, sums) in zip((node < 0, node > self.last), self.tails, strict=True):
            j = cp.searchsorted(sums, cp.minimum(uniform, sums[-1]))
            found = cp.where(beyond, centre + offsets[cp.minimum(j, len(offsets) - 1)], found)
        return found


def one_split(cp, features, labels, number: int, draws: int, noise: Noise, methods) -> dict:
    """Mean errors of every noise on one split, percent."""
    rows = len(labels)
    order = np.random.default_rng([1, number]).permutation(rows)
    cut = rows // 5
    train, test = np.sort(order[cut:]), np.sort(order[:cut])
    signed = cp.asfortranarray(features[train] * labels[train, None])
    width, each = features.shape[1], math.ceil(features.shape[1] / 4)
    totals = signed.sum(axis=0, dtype=cp.float64)
    sums = {method: [[], []] for method in methods}
    together = max(1, min(draws, (1 << 29) // (len(train) * len(methods))))
    for block, start in enumerate(range(0, draws, together)):
        count = min(together, draws - start)
        rng = np.random.default_rng([3, number, block])
        first = cp.asarray(rng.uniform(-1, 1, (width, count)))
        h = cp.tile(first, (1, len(methods)))
        margins = 0.5 * (signed @ h.astype(cp.float32))
        for _ in range(100):
            chosen = rng.permutation(width)[:each]
            uniforms = cp.asarray(rng.random((each, count)))
            added = cp.zeros((each, h.shape[1]))
            for k, method in enumerate(methods):
                if method in noise.tables:
                    added[:, k * count : (k + 1) * count] = noise.additive(method, uniforms)
            back = cp.empty((each, h.shape[1]), dtype=cp.float32)
            for k, j in enumerate(chosen.tolist()):
                total = 0.5 * ((signed[:, j] @ cp.tanh(margins)).astype(cp.float64) - totals[j])
                noisy = total + added[k]
                if "optimal-dependent" in methods:
                    own = slice(methods.index("optimal-dependent") * count, None)
                    own = slice(own.start, own.start + count)
                    noisy[own] = noise.answers(total[own], uniforms[k])
                moved = h[j] - noisy / len(train)
                moved = cp.sign(moved) * cp.maximum(cp.abs(moved) - 1e-8, 0)
                step = moved - h[j]
                margins += 0.5 * signed[:, j, None] * step.astype(cp.float32)
                share = (each - k) / each
                h[j] += share * step
                back[k] = (share - 1) * step
            margins += 0.5 * (signed[:, chosen] @ back)
        for side, part in enumerate((train, test)):
            guess = cp.where(features[part] @ h.astype(cp.float32) >= 0, 1.0, -1.0)
            wrong = (guess != labels[part, None]).mean(axis=0)
            for k, method in enumerate(methods):
                sums[method][side].append(float(wrong[k * count : (k + 1) * count].sum()))
    return {m: tuple(100 * sum(part) / draws for part in sides) for m, sides in sums.items()}


def run(folder: Path, out: Path, splits: int, draws: int, scale: float, names: list[str]) -> None:
    """All splits of the named datasets."""
    import cupy as cp

    noise = Noise(cp, folder, scale)
    methods = METHODS if scale == 1 else METHODS[:-1]
    known = [path.stem for path in sorted(folder.glob("*.npz")) if path.stem != "noises"]
    for name in names or known:
        held = np.load(folder / f"{name}.npz")
        features, labels = cp.asarray(held["features"]), cp.asarray(held["labels"])
        start = time.perf_counter()
        for number in range(splits):
            found = one_split(cp, features, labels, number, draws, noise, methods)
            new = not out.exists()
            with out.open("a", newline="", encoding="utf-8") as file:
                writer = csv.writer(file, lineterminator="\n")
                if new:
                    writer.writerow(
                        (
                            "dataset",
                            "splits",
                            "draws",
                            "split",
                            "method",
                            "in_sample",
                            "out_of_sample",
                        )
                    )
                writer.writerows(
                    (name, splits, draws, number, method, f"{a:.4f}", f"{b:.4f}")
                    for method, (a, b) in found.items()
                )
        print(f"{name}: {time.perf_counter() - start:.1f} s", flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "prepare":
        prepare(Path(sys.argv[2]))
    elif len(sys.argv) >= 7 and sys.argv[1] == "run":
        run(
            Path(sys.argv[2]),
            Path(sys.argv[3]),
            int(sys.argv[4]),
            int(sys.argv[5]),
            float(sys.argv[6]),
            sys.argv[7:],
        )
    else:
        sys.exit(__doc__)
