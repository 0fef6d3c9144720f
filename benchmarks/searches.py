"""A search over epsilons with classifiers: CPU seconds and memory, with one process and with two.

    python benchmarks/searches.py [--quick]

Eighteen fits (six epsilons, three folds) of each classifier on a synthetic table, once with no
design kept on disk and once with those of the run before. Memory is that of the largest process
after the search, less that before it.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

EPSILONS = (0.1, 0.3, 0.5, 1, 2, 5)
CATEGORIES = {"colour": ["blue", "green", "red", "yellow"], "size": ["large", "small"]}


def resident() -> float:
    """Memory of this process now, in MB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def search(model: str, jobs: int, epsilons: list[float]) -> dict[str, float]:
    """One search in this process and those it starts: CPU seconds, and MB more than before."""
    import pandas as pd
    from joblib.externals.loky import get_reusable_executor
    from sklearn.model_selection import GridSearchCV

    from leastnoise import DPLogisticRegression, DPNaiveBayes
    from leastnoise.datasets import synthetic

    data = synthetic(4000)
    table = pd.DataFrame(data.columns())
    public = {"delta": 1e-5, "bounds": (0, 10), "classes": [0, 1]}
    if model == "naive Bayes":
        made = DPNaiveBayes(categories=CATEGORIES, **public)
    else:
        made, table = DPLogisticRegression(**public), table[["height", "width", "weight"]]
    before = resident()
    began = resource.getrusage(resource.RUSAGE_SELF)
    GridSearchCV(made, {"epsilon": epsilons}, cv=3, n_jobs=jobs, refit=False).fit(
        table, data.labels
    )
    if jobs > 1:
        get_reusable_executor().shutdown(wait=True)
    ended = resource.getrusage(resource.RUSAGE_SELF)
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime
    return {
        "CPU seconds": round(seconds + others.ru_utime + others.ru_stime, 1),
        "MB more": round(max(resident(), others.ru_maxrss / 2**10 if jobs > 1 else 0) - before),
    }


def main(quick: bool) -> None:
    """Print a row for each model, number of processes, and what was kept before."""
    epsilons = [5, 10] if quick else list(EPSILONS)
    print(f"{'':22}{'processes':>10}{'kept':>6}{'CPU seconds':>13}{'MB more':>9}")
    for model in ("logistic regression",) if quick else ("naive Bayes", "logistic regression"):
        for jobs in (1,) if quick else (1, 2):
            with tempfile.TemporaryDirectory() as folder:
                for kept in ("no", "yes"):
                    command = [sys.executable, __file__, model, str(jobs), json.dumps(epsilons)]
                    found = json.loads(
                        subprocess.run(
                            command,
                            env={**os.environ, "LEASTNOISE_CACHE": folder},
                            check=True,
                            capture_output=True,
                        ).stdout
                    )
                    row = f"{model:22}{jobs:>10}{kept:>6}"
                    print(f"{row}{found['CPU seconds']:>13}{found['MB more']:>9}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:] in ([], ["--quick"]):
        main("--quick" in sys.argv)
    else:
        print(json.dumps(search(sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3]))))
