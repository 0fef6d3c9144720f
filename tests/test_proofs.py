"""Proof beside the code: every module that a claim rests on has NAME.proof.md and cites it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import leastnoise

SOURCE = Path(leastnoise.__file__).parent

#: Plain helpers: they hold no statement of their own, or lean on the proof of a neighbour.
EXEMPT = {
    "engine/additive.py": "decides what to try; what it yields is checked elsewhere",
    "engine/at_once.py": "proposals; leans on engine/repair.proof.md",
    "engine/channel.py": "decides what to try; leans on engine/rows.proof.md",
    "engine/channel_programs.py": "proposals; leans on engine/rows.proof.md",
    "engine/core.py": "decides what to try; leans on engine/rows.proof.md",
    "engine/curve.py": "proposals; leans on ask/privacy.proof.md",
    "engine/curved.py": "decides what to try; leans on ask/privacy.proof.md",
    "engine/of_noise.py": "picks a family",
    "engine/peaks.py": "proposals; leans on engine/repair.proof.md",
    "engine/demanding.py": "decides what to try; what it yields is checked elsewhere",
    "engine/draft.py": "proposals; leans on engine/repair.proof.md",
    "engine/every_value.py": "rows of a program; leans on engine/nodes.proof.md",
    "engine/family.py": "what a family must say",
    "engine/mesh.py": "geometry of cells",
    "engine/descent.py": "decides what to try; leans on engine/stairs.proof.md",
    "engine/vector.py": "decides what to try; leans on certify/vector.proof.md",
    "certify/runs.py": "reads and spreads runs; leans on certify/upper.proof.md",
    "engine/wide.py": "decides what to try; leans on engine/layers.proof.md",
    "engine/necessary.py": "proposals; leans on certify/composed.proof.md",
    "engine/flows.py": "proposals; leans on engine/rays.proof.md",
    "engine/pattern.py": "what to begin with",
    "engine/profile_grid.py": "floats to steer by; leans on certify/composed.proof.md",
    "engine/proposal.py": "proposals; leans on engine/repair.proof.md",
    "engine/regions.py": "decides what to try; leans on engine/rows.proof.md",
    "engine/releases.py": "proposals; leans on certify/composed.proof.md",
    "engine/restricted.py": "proposals; leans on engine/repair.proof.md",
    "engine/search.py": "keeps the best of what was checked",
    "engine/simple.py": "proposals; leans on engine/rows.proof.md",
    "engine/trivial.py": "no multipliers; leans on engine/relaxed.proof.md",
    "ask/arguments.py": "reads arguments",
    "ask/budgets.py": "reads arguments",
    "ask/combinations.py": "a table",
    "ask/demands.py": "records; leans on certify/shape.proof.md",
    "ask/domain.py": "reads arguments",
    "ask/question.py": "a record; leans on certify/channel.proof.md",
    "ask/shape.py": "records; leans on certify/levels.proof.md",
    "ask/shaped.py": "reads arguments",
    "ask/values.py": "reads arguments",
    "certify/curve.py": "reads a file, believes nothing",
    "engine/choice.py": "picks a family",
    "certify/__main__.py": "prints a report",
    "certify/about.py": "reads a file, believes nothing",
    "certify/base.py": "a record, and how files begin",
    "certify/block_counts.py": "leans on certify/levels.proof.md",
    "certify/joint_document.py": "reads a file; leans on certify/joint.proof.md",
    "certify/json_file.py": "reads a file, believes nothing",
    "certify/shifts.py": "records; leans on certify/lower.proof.md",
    "certify/any_file.py": "asks the reader and the checker of a file's kind",
    "certify/channel_document.py": "a record; leans on certify/channel.proof.md",
    "certify/channel_lower.py": "leans on certify/channel.proof.md",
    "certify/channel_upper.py": "leans on certify/channel.proof.md",
    "certify/channel_reader.py": "reads a file, believes nothing",
    "certify/constraints.py": "records; leans on certify/shape.proof.md",
    "certify/document.py": "reads a file, believes nothing",
    "certify/fields.py": "reads a file, believes nothing",
    "certify/limits.py": "refuses what would take too long",
    "certify/vector_document.py": "reads a file; leans on certify/vector.proof.md",
    "certify/report.py": "asks the modules that prove, and says what they found",
    "ledger/ledger.py": "leans on ledger/filters.proof.md",
    "ledger/store.py": "transactions of the database",
    "queries/answer.py": "what is shown",
    "queries/ask.py": "leans on queries/noise.proof.md",
    "queries/base.py": "what a query says; leans on the queries' own proofs",
    "queries/engine.py": "opens tables",
    "queries/expression.py": "a grammar; leans on queries/bounding.proof.md",
    "queries/histogram.py": "leans on queries/count.proof.md",
    "queries/kept.py": "files that the checker reads back; leans on queries/noise.proof.md",
    "queries/planner.py": "public numbers only",
    "queries/scale.py": "leans on queries/bounding.proof.md",
    "queries/share.py": "leans on queries/mean.proof.md",
    "queries/text.py": "a grammar",
    "queries/unit.py": "names of units",
    "queries/valued.py": "leans on queries/bounding.proof.md",
    "queries/where.py": "leans on queries/bounding.proof.md",
    "queries/workload.py": "leans on queries/noise.proof.md",
    "hierarchy/bound.py": "a record",
    "hierarchy/convergence.py": "runs the programs and tabulates",
    "hierarchy/costs.py": "asks the losses",
    "hierarchy/cutting_plane.py": "proposals; leans on hierarchy/exactly.proof.md",
    "hierarchy/dependent.py": "proposals; leans on hierarchy/exactly.proof.md",
    "hierarchy/direct.py": "proposals; leans on hierarchy/exactly.proof.md",
    "hierarchy/partition.py": "geometry of cells",
    "hierarchy/problems.py": "proposals; leans on hierarchy/exactly.proof.md",
    "hierarchy/program.py": "proposals; leans on hierarchy/exactly.proof.md",
    "program/costs.py": "asks the losses",
    "program/layout.py": "geometry of cells; leans on program/program.proof.md",
    "program/simplex.py": "proposals; leans on program/program.proof.md",
    "losses/custom.py": "on trust, and never called certified",
    "losses/names.py": "reads names",
}

MODULES = sorted(
    str(path.relative_to(SOURCE))
    for path in (
        *(SOURCE / "engine").glob("*.py"),
        *(SOURCE / "program").glob("*.py"),
        *(SOURCE / "sampling").glob("*.py"),
        *(SOURCE / "hierarchy").glob("*.py"),
        *(SOURCE / "certify").glob("*.py"),
        *(SOURCE / "ask").glob("*.py"),
        *(SOURCE / "ledger").glob("*.py"),
        *(SOURCE / "queries").glob("*.py"),
        *(
            SOURCE / "mechanisms" / f"{name}.py"
            for name in ("lower_bounds", "steps", "truncated_laplace")
        ),
        SOURCE / "accounting" / "dominating.py",
        SOURCE / "accounting" / "mixed.py",
        SOURCE / "noise" / "joint.py",
        SOURCE / "noise" / "release.py",
        SOURCE / "noise" / "rounding.py",
        SOURCE / "atlas.py",
        SOURCE / "estimators" / "logistic.py",
        SOURCE / "estimators" / "whole.py",
        SOURCE / "exact.py",
        *(SOURCE / "losses").glob("*.py"),
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
    title, *rest = proof.read_text(encoding="utf-8").splitlines()
    assert title.startswith("# ") and module.name in title, f"the title must name {module.name}"
    assert len("".join(rest).split()) > 50, "a proof is more than its title"


def test_exemptions_are_needed() -> None:
    assert set(EXEMPT) <= set(MODULES)
    for name, reason in EXEMPT.items():
        assert not (SOURCE / name).with_suffix(".proof.md").exists(), f"{name} has a proof"
        for word in reason.split():
            if word.endswith(".proof.md"):
                assert (SOURCE / word).exists(), f"{name} leans on {word}, which is not there"


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
