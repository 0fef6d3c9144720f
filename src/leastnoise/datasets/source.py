"""Where raw files come from: a folder, the cache, or the public pages, which Pooch fetches."""

from __future__ import annotations

import os
from pathlib import Path

from ..cache_folder import cache_folder
from ..errors import LeastnoiseError, MissingExtraError

_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
_LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary"

#: dataset -> the files it is made of.
FILES = {
    "post-operative": ("post-operative.data",),
    "adult": ("adult.data", "adult.test"),
    "breast-cancer": ("breast-cancer-wisconsin.data",),
    "contraceptive": ("cmc.data",),
    "dermatology": ("dermatology.data",),
    "cylinder-bands": ("bands.data",),
    "annealing": ("anneal.data", "anneal.test"),
    "spect": ("SPECT.train", "SPECT.test"),
    "bank": ("bank-full.csv",),
    "abalone": ("abalone.data",),
    "spambase": ("spambase.data",),
    "ecoli": ("ecoli.data",),
    "absent": ("Absenteeism_at_work.csv",),
    "colon-cancer": ("colon-cancer.txt",),
    "salary": ("Salary_Data.csv",),
}
#: file -> page; None where the page wants a login.
PAGES: dict[str, str | None] = {
    "post-operative.data": f"{_UCI}/postoperative-patient-data/post-operative.data",
    "adult.data": f"{_UCI}/adult/adult.data",
    "adult.test": f"{_UCI}/adult/adult.test",
    "breast-cancer-wisconsin.data": f"{_UCI}/breast-cancer-wisconsin/breast-cancer-wisconsin.data",
    "cmc.data": f"{_UCI}/cmc/cmc.data",
    "dermatology.data": f"{_UCI}/dermatology/dermatology.data",
    "bands.data": f"{_UCI}/cylinder-bands/bands.data",
    "anneal.data": f"{_UCI}/annealing/anneal.data",
    "anneal.test": f"{_UCI}/annealing/anneal.test",
    "SPECT.train": f"{_UCI}/spect/SPECT.train",
    "SPECT.test": f"{_UCI}/spect/SPECT.test",
    "bank-full.csv": f"{_UCI}/00222/bank.zip",
    "abalone.data": f"{_UCI}/abalone/abalone.data",
    "spambase.data": f"{_UCI}/spambase/spambase.data",
    "ecoli.data": f"{_UCI}/ecoli/ecoli.data",
    "Absenteeism_at_work.csv": f"{_UCI}/00445/Absenteeism_at_work_AAA.zip",
    "colon-cancer.txt": f"{_LIBSVM}/colon-cancer.bz2",
    "Salary_Data.csv": None,
}


class DatasetError(LeastnoiseError):
    """A dataset is not there, or is not what it should be."""


def raw_texts(name: str, download: bool) -> list[str]:
    """The text of each file of a dataset."""
    return [_text(name, file, download) for file in FILES[name]]


def _text(name: str, file: str, download: bool) -> str:
    folder = os.environ.get("LEASTNOISE_DATA")
    places = [Path(folder) / name / file] if folder else []
    places.append(cache_folder("datasets") / name / file)
    for place in places:
        if place.is_file():
            return place.read_text(encoding="utf-8-sig", errors="replace")
    page = PAGES[file]
    looked = ", ".join(str(place) for place in places)
    if not download:
        hint = "" if page is None else "; or let load(..., download=True) fetch it"
        raise DatasetError(
            f"the file {file} of dataset {name!r} is not there (looked at {looked}): set "
            f"LEASTNOISE_DATA to a folder that holds {name}/{file}{hint}"
        )
    if page is None:
        raise DatasetError(
            f"{file} of dataset {name!r} has no page without a login: put it at {places[0]}"
        )
    return _fetch(page, file, places[-1]).read_text(encoding="utf-8-sig", errors="replace")


def _fetch(page: str, file: str, place: Path) -> Path:
    """The file of a page, taken out of its archive, put where it is looked for next time.

    What was parsed of it is compared with a hash (`cleaning.py`): archives may be packed
    anew.
    """
    try:
        import pooch
    except ImportError:
        raise MissingExtraError("pooch", "datasets") from None
    unpacked = {".zip": pooch.Unzip(), ".bz2": pooch.Decompress(method="bzip2", name=file)}
    ending = Path(page).suffix
    name = file + ending if ending in unpacked else file
    try:
        paths = pooch.retrieve(page, None, name, place.parent, unpacked.get(ending))
    except Exception as error:  # what a page can do wrong is without end
        raise DatasetError(f"{page} could not be read: {error}") from error
    for path in [paths] if isinstance(paths, str) else paths:
        if Path(path).name == file:
            return Path(path).replace(place)
    raise DatasetError(f"{page} holds no {file}")
