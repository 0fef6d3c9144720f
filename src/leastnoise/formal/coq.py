"""Coq: the theory compiled once and kept, files proven one by one."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..cache_folder import cache_folder
from ..errors import LeastnoiseError
from .translate import PREAMBLE, left_out, translated

#: The files of the theory, each after those that it needs.
THEORY = (
    "Statements",
    "Exp",
    "Laws",
    "Masses",
    "Exists",
    "Cells",
    "Lists",
    "Lattice",
    "Tail",
    "Mesh",
    "Lower",
    "Pieces",
    "Costs",
    "Losses",
    "Release",
    "Shape",
    "Moves",
    "Demands",
    "Peaks",
    "Means",
    "Computed",
    "Obeys",
    "Check",
    "Own",
    "Keyed",
    "KeyedProof",
    "Joint",
    "Vectors",
    "JointNoise",
    "Orbits",
    "Flow",
    "Shells",
    "JointMean",
    "JointLargest",
    "JointProof",
)

#: What nearly every file of the theory imports from Coq's library.
_COMMON = ("Reals", "ZArith", "List", "Bool", "Lra", "Lia")

#: All that a proof may rest on beside Coq itself: the three axioms of its real numbers.
AXIOMS = (
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
)

_NOISE = (
    "the noise is a probability distribution, differentially private for any two values within "
    "the sensitivity{obeys}, its expected loss is at most upper, and no noise of the same "
    "budget{too} has an expected loss below lower"
)
#: What a proof of a file of each kind says.
PROVEN = {
    "additive": _NOISE,
    "integer": _NOISE,
    "keyed": (
        "every number of units has a probability distribution, differentially private against one "
        "unit more or less; no mechanism of the same budget releases a key more often, up to the "
        "excess; the expected loss of keys with at least as many units as the smallest value, "
        "counted as 0 where they are not released, is at most upper; and no integer noise of the "
        "same budget has an expected loss below lower"
    ),
    "joint": (
        "there is noise with these probabilities, differentially private for any two vectors of "
        "values within the shape, its expected loss is at most upper, and no noise of the same "
        "budget for this many integers has an expected loss below lower"
    ),
}
_NOT_LOWER = (
    "there is noise with these probabilities, differentially private for any two vectors of "
    "values within the shape, and its expected loss is at most upper; lower is not covered: {why}"
)

HOW_TO_GET_IT = (
    "Coq is not installed: there is no coqc on the path. Debian and Ubuntu have it "
    "(apt-get install coq), others too: https://coq.inria.fr/download"
)


class CoqError(LeastnoiseError):
    """Coq is missing, was stopped, or said something else than yes or no."""


@dataclass(frozen=True)
class Proof:
    """What Coq said of one file: `proven`, or not, and why not.

    `whole`: whether every claim of the file is among what was asked.
    """

    proven: bool
    detail: str
    whole: bool = True


def missing() -> str | None:
    """How to get Coq, if it is not there."""
    return None if shutil.which("coqc") else HOW_TO_GET_IT


def compiled(seconds: float = 600) -> Path:
    """The folder with the compiled theory; the first time this takes 30 CPU seconds."""
    words = missing()
    if words:
        raise CoqError(words)
    text = _joined()
    version = _run(["coqc", "--print-version"], Path.cwd(), 60).stdout
    folder = cache_folder("formal") / hashlib.sha256((version + text).encode()).hexdigest()[:24]
    if (folder / "Theory.vo").exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Compiled beside it and moved in one go: nobody sees half of it.
    with tempfile.TemporaryDirectory(dir=folder.parent) as place:
        (Path(place) / "Theory.v").write_text(text, encoding="utf-8")
        done = _run(
            ["coqc", "-q", "-noglob", "-Q", ".", "Formal", "Theory.v"], Path(place), seconds
        )
        if done.returncode:
            raise CoqError(f"the theory does not compile: {done.stderr.strip()[-400:]}")
        if not folder.exists():
            shutil.copytree(place, f"{place}.ready")
            try:
                os.replace(f"{place}.ready", folder)
            except OSError:  # another process was first
                shutil.rmtree(f"{place}.ready")
    return folder


def _joined() -> str:
    """The files of the theory as modules of one: to load Coq's library for each took half the time.

    So `Require Import Formal.Laws` becomes `Import Laws`, and what most files import is imported
    once, before the first of them.
    """
    library: set[str] = set()

    def imported(match: re.Match[str]) -> str:
        names = [name for name in match[2].split() if name not in _COMMON]
        library.update(name for name in names if not name.startswith("Formal."))
        named = " ".join(name.removeprefix("Formal.") for name in names)
        return f"{match[1]} {named}." if named else ""

    modules = []
    for name in THEORY:
        text = (files(__package__) / "theory" / f"{name}.v").read_text(encoding="utf-8")
        names = r"((?:Formal\.)?\w+(?:\s+(?:Formal\.)?\w+)*)"
        text = re.sub(rf"^Require (Import|Export) {names}\.", imported, text, flags=re.MULTILINE)
        modules.append(f"Module {name}.\n{text}\nEnd {name}.\n")
    needed = f"Require {' '.join(sorted(library))}.\nRequire Import {' '.join(_COMMON)}.\n"
    return needed + "".join(modules)


def prove(data: dict[str, Any], seconds: float = 600) -> Proof:
    """Translate a file's JSON and let Coq prove its claims.

    `NotCovered` if it holds something that the theorem is not about; `CoqError` if Coq is missing
    or does not end in time.
    """
    text, why = translated(data), left_out(data)
    words = _NOT_LOWER.format(why=why) if why else _said(data)
    return replace(_proof(text, words, seconds), whole=not why)


def accepts(files: Iterable[dict[str, Any]], seconds: float = 3600) -> list[bool]:
    """Whether Coq's check accepts each file, many in one run: no proof is made of it.

    `NotCovered` as for `prove`; of a file with a `lower` that is left out, what is asked is the
    rest.
    """
    body, terms = [PREAMBLE], [translated(data) for data in files]
    for number, text in enumerate(terms):
        term = text.partition(PREAMBLE)[2].partition("Lemma accepted")[0]
        body.append(f"Module F{number}.\n{term}End F{number}.")
        body.append(f"Eval vm_compute in F{number}.verdict.")
    done = run_coq("\n".join(body), seconds)
    verdicts = [word == "true" for word in re.findall(r"= (true|false)", done.stdout)]
    if done.returncode or len(verdicts) != len(terms):
        raise CoqError(f"Coq said: {done.stderr.strip()[-400:] or 'nothing'}")
    return verdicts


def assumptions(seconds: float = 600) -> tuple[str, ...]:
    """All that the theorems rest on, as Coq lists it."""
    text = (
        "Require Import Formal.Theory.\n"
        "Import Exists Check Own KeyedProof JointNoise JointProof.\n"
        "Definition theorems := "  # all in one look
        "(check_sound, own_rival, keyed_sound, noise_exists, joint_sound, joint_noise_sound).\n"
        "Print Assumptions theorems.\n"
    )
    done = run_coq(text, seconds)
    if done.returncode:
        raise CoqError(f"Coq said: {done.stderr.strip()[-400:] or 'nothing'}")
    return _axioms(done.stdout)


def _said(data: dict[str, Any]) -> str:
    """What a proof of this file says, its constraints by name."""
    names = ", ".join(
        dict.fromkeys(constraint["name"] for constraint in data.get("constraints", []))
    )
    obeys = f", it obeys its constraints ({names})" if names else ""
    return PROVEN[data["kind"]].format(obeys=obeys, too=" and obeys them" if names else "")


def _proof(text: str, words: str, seconds: float) -> Proof:
    done = run_coq(text, seconds)
    if done.returncode == 0:
        rests_on = _axioms(done.stdout)
        if rests_on != AXIOMS:
            raise CoqError(f"the proof rests on {', '.join(rests_on)}")
        return Proof(True, words)
    if re.search(r'"\w*check the_file( hints)? = true"', " ".join(done.stderr.split())):
        return Proof(False, "Coq's check does not accept the file")
    raise CoqError(f"Coq said: {done.stderr.strip()[-400:] or 'nothing'}")


def _axioms(text: str) -> tuple[str, ...]:
    listed = text.partition("Axioms:")[2]
    return tuple(sorted(set(re.findall(r"^(\S+)", listed, re.MULTILINE)) - {"Axioms:"}))


def run_coq(text: str, seconds: float) -> subprocess.CompletedProcess[str]:
    """Coq on a text that may use the theory as `Formal`."""
    theory = compiled(seconds)
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "File.v").write_text(text, encoding="utf-8")
        return _run(
            ["coqc", "-q", "-noglob", "-Q", str(theory), "Formal", "File.v"], Path(place), seconds
        )


def _run(command: list[str], place: Path, seconds: float) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            cwd=place,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
            # COQPATH could put other files in the place of Coq's own.
            env={k: v for k, v in os.environ.items() if k != "COQPATH"}
            # Room for deep terms; Coq leaves its own large heap to whoever sets this at all.
            | {"OCAMLRUNPARAM": "l=500M,s=32M,o=200"},
        )
    except subprocess.TimeoutExpired:
        raise CoqError(f"Coq was stopped after {seconds:g} seconds") from None
    except OSError as error:
        raise CoqError(f"Coq cannot be run: {error}") from None
