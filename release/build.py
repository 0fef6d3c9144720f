"""Build everything that a release consists of into `dist/`: the same bytes on every run.

    python release/build.py [FOLDER]

The files are made from the last commit, in a folder of their own, so that nothing untracked gets
in. Dates inside of them are the date of that commit.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

from verifier import write_verifier

ROOT = Path(__file__).resolve().parents[1]


def main(target: Path) -> None:
    """Build all files of the release into an empty folder."""
    target = target.resolve()
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    seconds = int(_output("git", "log", "-1", "--format=%ct"))
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(seconds), "PYTHONHASHSEED": "0"}
    environment["NO_MKDOCS_2_WARNING"] = "1"
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / "leastnoise"
        copy.mkdir()
        _output("git", "archive", "--output", f"{name}/commit.tar", "HEAD")
        shutil.unpack_archive(f"{name}/commit.tar", copy)
        environment["PYTHONPATH"] = str(copy / "src")

        def run(*words: str) -> None:
            done = subprocess.run(
                [sys.executable, "-m", *words],
                cwd=copy,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise SystemExit(f"{' '.join(words)} failed:\n{done.stdout}{done.stderr}")

        run("build", "--no-isolation", "--outdir", str(target))
        (sdist,) = target.glob("*.tar.gz")
        with tempfile.TemporaryDirectory() as unpacked:
            shutil.unpack_archive(sdist, unpacked)
            pack(Path(unpacked), sdist, seconds)
        run("mkdocs", "build", "--quiet", "--site-dir", f"{name}/site/leastnoise-docs")
        version = sdist.name.removeprefix("leastnoise-").removesuffix(".tar.gz")
        pack(Path(name) / "site", target / f"leastnoise-docs-{version}.tar.gz", seconds)
        write_verifier(copy / "src", target / "leastnoise-verify.pyz", time.gmtime(seconds)[:6])
        page = subprocess.run(
            [sys.executable, "-c", "from leastnoise.show.checker_page import checker_page as p\n"
             "import sys; sys.stdout.reconfigure(encoding='utf-8'); print(p(), end='')"],
            env=environment, capture_output=True, check=True,
        ).stdout  # fmt: skip
        (target / "leastnoise-checker.html").write_bytes(page)
    sums = [f"{hash_of(path)}  {path.name}\n" for path in sorted(target.iterdir())]
    (target / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")


def pack(folder: Path, target: Path, seconds: int) -> None:
    """Pack a folder's content, sorted, with one date and one owner."""
    with (
        target.open("wb") as out,
        gzip.GzipFile("", "wb", 9, out, mtime=seconds) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for path in sorted(folder.rglob("*")):
            entry = tar.gettarinfo(path, path.relative_to(folder).as_posix())
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            entry.mtime, entry.mode = seconds, 0o755 if path.is_dir() else 0o644
            if path.is_file():
                with path.open("rb") as content:
                    tar.addfile(entry, content)
            else:
                tar.addfile(entry)


def hash_of(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _output(*words: str) -> str:
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist")
