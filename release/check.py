"""Try every file of `dist/` as its user will, each in an environment of its own.

    python release/check.py [FOLDER]

The exit code is 0 if everything works. What cannot be tried here is named with the reason.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)  # of Python, on a page


def main(folder: Path) -> None:
    """Try the files one after another; the first that does not work ends the run."""
    folder = folder.resolve()
    os.environ.pop("PYTHONPATH", None)  # the package is imported from where it was installed
    for line in (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
        expected, name = line.split()
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == expected, name
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        mechanism, report = place / "mechanism.json", place / "report.html"
        for kind in ("*.whl", "leastnoise-[0-9]*.tar.gz"):
            (package,) = folder.glob(kind)
            _try_package(package, place / package.suffix[1:], mechanism, report)
            print(f"{package.name}: installs, runs README, designs, verifies and counts a table")
        forged = place / "forged.json"
        text = json.loads(mechanism.read_text(encoding="utf-8"))
        text |= {"lower": "0", "upper": "1/1000"}
        forged.write_text(json.dumps(text), encoding="utf-8")
        expected = {mechanism: 0, forged: 1, report: 3, folder / "SHA256SUMS": 2}
        _try_verifier(folder / "leastnoise-verify.pyz", expected, place)
        print("leastnoise-verify.pyz: proves and refutes files and reports without any package")
        words = {mechanism: "proven", forged: "refuted", report: "checked in part"}
        _try_page(folder / "leastnoise-checker.html", words)
        (site,) = folder.glob("leastnoise-docs-*.tar.gz")
        shutil.unpack_archive(site, place)
        with tarfile.open(site) as tar:
            names = tar.getnames()
        assert "leastnoise-docs/search/search_index.json" in names, names[:5]
        assert not [name for name in names if name.endswith((".py", ".pyc"))]
        _try_site(place / "leastnoise-docs" / "index.html", site.name)
    _say_what_is_left(site.name.removeprefix("leastnoise-docs-").removesuffix(".tar.gz"))


def _say_what_is_left(version: str) -> None:
    """What a release still wants and no machine can decide: its date in the changelog."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if f"\n## {version} (" not in changelog:
        print(f"Not to be published yet: CHANGELOG.md has no heading '## {version} (date)'.")


def _try_package(package: Path, place: Path, mechanism: Path, report: Path) -> None:
    venv.create(place, with_pip=True)
    scripts = place / ("Scripts" if sys.platform == "win32" else "bin")
    _run(scripts / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
         "-c", ROOT / "constraints.txt", f"{package}[tables]")  # fmt: skip
    _run(scripts / "leastnoise", "design", "--epsilon", "1", "--delta", "0.2",
         "--sensitivity", "1", "--gap", "0.05", "--out", mechanism)  # fmt: skip
    _run(scripts / "leastnoise", "verify", mechanism)
    blocks = _BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    _run(scripts / "python", "-c", "\n".join(blocks), folder=place)
    table = report.with_name("table.csv")
    table.write_text("age\n" + "34\n57\n" * 100, encoding="utf-8")
    _run(scripts / "leastnoise", "ask", table, "count()", "--epsilon", "1", "--report", report)
    said = json.loads(_run(scripts / "leastnoise", "doctor", "--json"))
    assert "in the folder" not in _run(scripts / "leastnoise", "doctor")
    assert [check["ok"] for check in said["checks"]] == [True] * 5, said["checks"]


def _try_verifier(program: Path, expected: dict[Path, int], place: Path) -> None:
    venv.create(place / "bare", with_pip=False)
    python = place / "bare" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    for file, code in expected.items():
        done = subprocess.run(
            [python, "-I", program, file], capture_output=True, text=True, check=False
        )
        assert done.returncode == code, (file.name, done)


def _try_page(page: Path, words: dict[Path, str]) -> None:
    with _tab(page.name) as tab:
        for file, word in words.items() if tab else ():
            tab.goto(page.as_uri())
            tab.set_input_files("input[type=file]", file)
            tab.wait_for_function(f"document.body.innerText.toLowerCase().includes('{word}')")
        if tab:
            print(f"{page.name}: proves and refutes in a browser, without a server")


def _try_site(first: Path, name: str) -> None:
    with _tab(name) as tab:
        if tab:
            tab.goto(first.as_uri())
            tab.locator("article a[href='first-table.html']").first.click()
            tab.get_by_role("heading", name="Your first private table").first.wait_for()
            print(f"{name}: opens from a folder, without a server")


@contextlib.contextmanager
def _tab(name: str) -> Iterator[Any]:
    """A page of Chromium; None, said aloud, where there is none."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        print(f"{name}: not tried, there is no Chromium (make browser installs one)")
        yield None
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser.new_page()
        browser.close()


def _run(*words: object, folder: Path | None = None) -> str:
    done = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, check=False, cwd=folder
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist")
