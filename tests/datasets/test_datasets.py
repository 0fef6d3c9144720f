"""Loaders: the sizes the paper prints, hashes that notice a change, errors that say what to do."""

from __future__ import annotations

import bz2
import hashlib
import os
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import numpy as np
import pytest

from leastnoise import ArgumentError
from leastnoise.datasets import NAMES, hospital_stays, load, synthetic
from leastnoise.datasets.cleaning import parse
from leastnoise.datasets.source import FILES, PAGES, DatasetError, raw_texts
from leastnoise.paper.experiments.published import rows

HERE = os.environ.get("LEASTNOISE_DATA")
needs_files = pytest.mark.skipif(not HERE, reason="LEASTNOISE_DATA names no folder")

ADULT = """39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, \
Male, 2174, 0, 40, United-States, <=50K
50, ?, 83311, Bachelors, 13, Married, Exec, Husband, White, Male, 0, 0, 13, United-States, <=50K
"""
ADULT_TEST = """|1x3 Cross validator
25, Private, 226802, 11th, 7, Never-married, Machine-op, Own-child, Black, Male, 0, 0, 40, Cuba, \
>50K.
"""


def test_synthetic_is_the_same_everywhere():
    data = synthetic()
    assert data.numeric.shape == (1000, 3)
    assert data.categorical.shape == (1000, 2)
    assert data.content_hash == synthetic(1000, 0).content_hash
    assert data.content_hash.startswith("b5f39baf466a5e1a")
    assert data.content_hash != synthetic(1000, 1).content_hash
    assert data.numeric.min() >= 0
    assert data.numeric.max() <= 10
    with pytest.raises(ArgumentError, match="rows must be an integer"):
        synthetic(1)


def test_hospital_stays_are_the_same_everywhere(tmp_path):
    path = hospital_stays(tmp_path / "stays.csv")
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "patient,admitted,ward,diagnosis,age,days,readmitted"
    assert len(lines) == 6001
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert digest.startswith("dfe4b2f8e6cd07e3e4a1936cceb4ca87")


def test_columns_and_the_design_matrix():
    data = synthetic(50)
    columns = data.columns()
    assert list(columns) == ["height", "width", "weight", "colour", "size"]
    assert set(columns["colour"]) <= {"blue", "green", "red", "yellow"}
    features, labels = data.design_matrix()
    assert features.shape == (50, 1 + 3 + 3 + 1)
    assert np.all(features[:, 0] == 1)
    assert np.allclose(features[:, 1:].mean(axis=0), 0)
    assert np.allclose(np.abs(features).max(axis=0), 1)
    assert set(labels) == {-1.0, 1.0}


def test_rows_with_missing_cells_are_dropped_and_files_merged():
    data = parse("adult", "naive-bayes", [ADULT, ADULT_TEST])
    assert len(data) == 2
    assert data.classes == ("<=50K", ">50K")
    assert data.levels[-1] == ("US", "other")
    assert data.numeric[0].tolist() == [39, 13, 2174, 0, 40]


def test_missing_numbers_become_the_mean():
    cells = ",".join(["1"] * 33)
    text = f"{cells},40,1\n{cells},?,2\n{cells},50,3\n"
    data = parse("dermatology", "logistic", [text])
    assert data.numeric[:, 0].tolist() == [40, 45, 50]
    assert data.classes == ("0", "1")


def test_dense_and_sparse_rows_are_the_same():
    dense = "-1.0 " + " ".join(["0.5"] * 2000)
    sparse = "-1 " + " ".join(f"{j}:0.5" for j in range(1, 2001))
    one, two = (parse("colon-cancer", "logistic", [text]) for text in (dense, sparse))
    assert one.content_hash == two.content_hash


def test_semicolons_or_commas():
    names = ",".join(f"c{j}" for j in range(21))
    cells = ",".join(str(j) for j in range(21))
    text = f"{names}\n{cells}\n"
    one = parse("absent", "naive-bayes", [text])
    two = parse("absent", "naive-bayes", [text.replace(",", ";")])
    assert one.content_hash == two.content_hash
    assert one.numeric.shape == (1, 12)


def test_unknown_names_and_missing_files(monkeypatch, tmp_path):
    with pytest.raises(ArgumentError, match="name must be one of post-operative, adult"):
        load("iris")
    with pytest.raises(ArgumentError, match="task must be one of naive-bayes, logistic"):
        load("adult", "regression")
    monkeypatch.setenv("LEASTNOISE_DATA", str(tmp_path))
    monkeypatch.setenv("LEASTNOISE_CACHE", str(tmp_path / "cache"))
    with pytest.raises(DatasetError, match=r"set LEASTNOISE_DATA to a folder that holds ecoli/"):
        load("ecoli")
    with pytest.raises(DatasetError, match="no page without a login"):
        load("salary", download=True)
    assert set(PAGES) == {file for files in FILES.values() for file in files}


def test_a_changed_file_is_noticed(monkeypatch, tmp_path):
    (tmp_path / "ecoli").mkdir()
    (tmp_path / "ecoli" / "ecoli.data").write_text(
        "A 0.1 0.2 0.48 0.5 0.3 0.4 0.5 cp\nB 0.1 0.2 1.0 0.5 0.3 0.4 0.5 im\n"
    )
    monkeypatch.setenv("LEASTNOISE_DATA", str(tmp_path))
    with pytest.raises(DatasetError, match="its 2 rows are not the ones"):
        load("ecoli")


@pytest.fixture
def pages(tmp_path):
    """A folder that is served on this machine, and its address."""
    folder = tmp_path / "pages"
    folder.mkdir()
    silent = type("Silent", (SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(silent, directory=folder)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield folder, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_what_pages_serve_is_unpacked_and_kept(pages, monkeypatch, tmp_path):
    pytest.importorskip("pooch")
    folder, address = pages
    (folder / "x.bz2").write_bytes(bz2.compress(b"text"))
    (folder / "plain.data").write_bytes(b"plain")
    with zipfile.ZipFile(folder / "x.zip", "w") as archive:
        archive.writestr("inside/bank-full.csv", "rows")
    monkeypatch.delenv("LEASTNOISE_DATA", raising=False)
    monkeypatch.setenv("LEASTNOISE_CACHE", str(tmp_path / "cache"))
    for name, page, text in (
        ("bank", "x.zip", "rows"),
        ("colon-cancer", "x.bz2", "text"),
        ("abalone", "plain.data", "plain"),
    ):
        monkeypatch.setitem(PAGES, FILES[name][0], f"{address}/{page}")
        assert raw_texts(name, download=True) == [text]
        (folder / page).unlink()
        assert raw_texts(name, download=True) == [text]  # from the cache
    with zipfile.ZipFile(folder / "x.zip", "w") as archive:
        archive.writestr("other.csv", "rows")
    monkeypatch.setitem(PAGES, "ecoli.data", f"{address}/x.zip")
    with pytest.raises(DatasetError, match=r"holds no ecoli\.data"):
        raw_texts("ecoli", download=True)
    monkeypatch.setitem(PAGES, "cmc.data", f"{address}/nothing.data")
    with pytest.raises(DatasetError, match="could not be read: 404"):
        raw_texts("contraceptive", download=True)


@needs_files
@pytest.mark.parametrize("row", rows("table2_naive_bayes"), ids=lambda row: row["dataset"])
def test_sizes_are_the_papers_for_naive_bayes(row):
    data = load(row["dataset"])
    assert len(data) == int(row["n"])
    assert data.numeric.shape[1] == int(row["numeric"])
    assert data.categorical.shape[1] == int(row["categorical"])
    assert len(data.classes) == int(row["classes"])


@needs_files
@pytest.mark.parametrize("row", rows("table3_logistic_regression"), ids=lambda row: row["dataset"])
def test_sizes_are_the_papers_for_logistic_regression(row):
    data = load(row["dataset"], "logistic")
    assert data.design_matrix()[0].shape[1] == int(row["d"])
    # The published notebook keeps one patient more than the table counts.
    assert len(data) == int(row["n"]) + (row["dataset"] == "post-operative")


@needs_files
def test_the_salaries_of_the_papers_example():
    salary = load("salary").numeric[:, 2]
    assert len(salary) == 194
    assert (salary.min(), salary.max()) == (120_000, 190_000)
    assert round(salary.mean(), -1) == 157_580
    assert "salary" in NAMES
