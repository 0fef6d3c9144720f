"""Proof beside the code: every module that a claim rests on has NAME.proof.md and cites it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import leastnoise

SOURCE = Path(leastnoise.__file__).parent

#: Plain helpers: they hold no statement of their own, or lean on the proof of a neighbour.
EXEMPT = {
    "bounds/incumbents.py": "proposals; leans on bounds/upper.proof.md",
    "constrained/draft.py": "proposals; leans on constrained/upper.proof.md",
    "constrained/frame.py": "geometry of cells",
    "constrained/gaussian.py": "proposals; leans on certify/curve.proof.md",
    "constrained/interior.py": "proposals; leans on bounds/interior.proof.md",
    "constrained/program.py": "proposals; leans on bounds/program.proof.md",
    "constrained/search.py": "decides what to try; what it keeps is checked elsewhere",
    "hierarchy/bound.py": "a record",
    "hierarchy/convergence.py": "runs the programs and tabulates",
    "hierarchy/costs.py": "asks the losses",
    "hierarchy/cutting_plane.py": "proposals; leans on hierarchy/exactly.proof.md",
    "hierarchy/dependent.py": "proposals; leans on hierarchy/exactly.proof.md",
    "hierarchy/direct.py": "proposals; leans on hierarchy/exactly.proof.md",
    "hierarchy/partition.py": "geometry of cells",
    "hierarchy/problems.py": "proposals; leans on hierarchy/exactly.proof.md",
    "hierarchy/program.py": "proposals; leans on hierarchy/exactly.proof.md",
}

MODULES = sorted(
    str(path.relative_to(SOURCE))
    for path in (
        *(SOURCE / "bounds").glob("*.py"),
        *(SOURCE / "sampling").glob("*.py"),
        *(SOURCE / "hierarchy").glob("*.py"),
        *(SOURCE / "constrained").glob("*.py"),
        *(
            SOURCE / "certify" / f"{name}.py"
            for name in (
                "privacy", "upper", "lower", "constrained", "shape", "curve", "composed",
                "enclosures", "balls", "vector", "vector_lower",
            )
        ),
        SOURCE / "accounting" / "mixed.py",
        SOURCE / "estimators" / "logistic.py",
        SOURCE / "estimators" / "whole.py",
        SOURCE / "exact.py",
        SOURCE / "losses.py",
    )
    if path.name != "__init__.py"
)


@pytest.mark.parametrize("name", [name for name in MODULES if name not in EXEMPT])
def test_the_proof_exists_and_is_cited(name: str) -> None:
    module = SOURCE / name
    proof = module.with_suffix(".proof.md")
    assert proof.exists(), f"{name} needs {proof.name}, or a reason in EXEMPT"
    docstring = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    assert proof.name in docstring, f"the docstring of {name} does not cite {proof.name}"
    text = proof.read_text(encoding="utf-8")
    assert module.name in text.splitlines()[0] or len(text) > 500


def test_exemptions_are_needed() -> None:
    assert set(EXEMPT) <= set(MODULES)


@pytest.mark.parametrize(
    "proof", sorted(SOURCE.rglob("*.proof.md")), ids=lambda path: str(path.relative_to(SOURCE))
)
def test_no_proof_is_an_orphan(proof: Path) -> None:
    around = [path.read_text(encoding="utf-8") for path in proof.parent.glob("*.py")]
    assert any(proof.name in text for text in around)
    # Proofs lean only on proofs that exist.
    for word in proof.read_text(encoding="utf-8").split("`"):
        if word.endswith(".proof.md"):
            assert any((base / word).exists() for base in (proof.parent, SOURCE)), word
