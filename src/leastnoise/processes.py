"""Processes that this package starts import nothing from the working folder.

`python -m` looks there first, so that a file numpy.py beside somebody's data would be run. A
process that was started by `leastnoise` does not look there either.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

#: Tells Python to leave the working folder out of what it imports from; like its option -P.
_SAFE = "PYTHONSAFEPATH"


@contextmanager
def safe_imports() -> Iterator[None]:
    """Processes that are started meanwhile, by joblib or dask too, import as this one does.

    (What stands on this process's own path, they are told.)
    """
    before = os.environ.get(_SAFE)
    os.environ[_SAFE] = "1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_SAFE, None)
        else:
            os.environ[_SAFE] = before
