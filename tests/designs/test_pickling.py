"""Designs cross process borders as mechanism files, and are checked again on the other side."""

from __future__ import annotations

import copy
import json
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from leastnoise import L1, CertificateError, Custom, FormatError, LeastnoiseError, design
from leastnoise.designs.pickling import restored

QUESTIONS = {
    "additive": {"epsilon": 1, "delta": 0.2, "sensitivity": 1, "gap": 0.01},
    "integer": {"epsilon": 1, "delta": 0.05, "sensitivity": 1, "integer": True},
    "tail": {"epsilon": 1, "delta": 0, "sensitivity": 1},
    "dependent": {"epsilon": 1, "delta": 0.2, "sensitivity": 2, "bounds": (0, 4), "gap": 0.1},
}


def size(x: float) -> float:
    return abs(x)


@pytest.fixture(scope="module", params=QUESTIONS)
def found(request):
    return design(**QUESTIONS[request.param])


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_and_back(found, protocol):
    again = pickle.loads(pickle.dumps(found, protocol))
    assert again == found and again is not found and type(again) is type(found)
    assert repr(again) == repr(found) and again.verify().proven
    assert (again.converged, again.status) == (found.converged, found.status)
    assert dict(again.stats) == dict(found.stats)
    assert again.certified and again.loss == found.loss
    again.release(1)


def test_copies(found):
    found.release(1)  # what is cached must not matter
    assert copy.deepcopy(found) == found == copy.copy(found)
    assert copy.deepcopy({"a": [found]})["a"][0] == found


@pytest.fixture(scope="module")
def pool():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as one:
        yield one


def test_a_worker_process_releases(found, pool):
    assert abs(float(pool.submit(found.release, 1).result(timeout=60)) - 1) < 100


def forged(found, change):
    make, (text, *rest) = found.__reduce__()
    raw = json.loads(text)
    change(raw)
    return pickle.dumps(Again(make, (json.dumps(raw), *rest)))


class Again:
    """Pickles as a call."""

    def __init__(self, make, arguments):
        self.call = make, arguments

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: raw.update(lower=raw["upper"]),
        lambda raw: raw.update(upper=raw["lower"]),
        lambda raw: raw.update(epsilon="0.5"),
        lambda raw: raw.update(delta="0"),
        lambda raw: raw.update(kind="other"),
    ],
)
def test_a_forged_pickle_gives_no_design(found, change):
    if found.delta == 0 and found.gap < 1e-9:
        pytest.skip("nothing to forge: the bracket is closed")
    data = forged(found, change)
    before = json.loads(found.document.dumps())
    after = dict(before)
    change(after)
    if after == before:
        pytest.skip("nothing changed")
    with pytest.raises(LeastnoiseError):
        pickle.loads(data)


def test_a_state_is_not_believed(found):
    bare = object.__new__(type(found))
    with pytest.raises(CertificateError, match="not from a pickled state"):
        bare.__setstate__(vars(found))


def test_python_functions_stay_estimates():
    found = design(epsilon=1, delta=0.2, sensitivity=1, loss=Custom(size, convex=True), gap=0.1)
    again = pickle.loads(pickle.dumps(found))
    assert again == found and not again.certified and again.loss_name == "custom"
    make, (text, _, *rest) = found.__reduce__()
    assert make is restored
    with pytest.raises(CertificateError, match="loss is not the one"):
        restored(text, L1(), *rest)
    with pytest.raises(FormatError):
        restored("{}", None, *rest)
