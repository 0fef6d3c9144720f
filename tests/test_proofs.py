"""Proof beside the code: every module that a claim rests on has NAME.proof.md and cites it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import leastnoise

SOURCE = Path(leastnoise.__file__).parent

#: Plain helpers: they hold no statement of their own, or lean on the proof of a neighbor.
EXEMPT = {
    "engine/bounds.py": (
        "asks the checker's own functions; leans on certify/certificates/duality.proof.md"
    ),
    "engine/methods.py": "a table of methods",
    "engine/method.py": "what a method must say",
    "engine/search.py": "keeps the best of what was checked",
    "engine/trivial.py": "no multipliers; leans on engine/line/lattice/relaxed.proof.md",
    "engine/line/staircase/descent.py": (
        "plans; leans on engine/line/staircase/multipliers.proof.md"
    ),
    "engine/line/lattice/one_budget.py": "plans; what it yields is checked elsewhere",
    "engine/line/lattice/constrained.py": "plans; what it yields is checked elsewhere",
    "engine/line/lattice/interior.py": "proposals; leans on engine/line/lattice/repair.proof.md",
    "engine/line/lattice/draft.py": "proposals; leans on engine/line/lattice/repair.proof.md",
    "engine/line/lattice/proposal.py": "proposals; leans on engine/line/lattice/repair.proof.md",
    "engine/line/lattice/restricted.py": "proposals; leans on engine/line/lattice/repair.proof.md",
    "engine/line/driver.py": "plans; leans on engine/line/lattice/relaxed.proof.md",
    "engine/line/curve/chords.py": "proposals; leans on problem/privacy.proof.md",
    "engine/line/curve/below.py": "plans; leans on problem/privacy.proof.md",
    "engine/line/curve/graded.py": "proposals; leans on engine/line/lattice/repair.proof.md",
    "engine/line/curve/narrow.py": "proposals; leans on certify/certificates/narrow.proof.md",
    "engine/line/releases/repeated.py": "proposals; leans on certify/composition.proof.md",
    "engine/line/releases/necessary.py": "proposals; leans on certify/composition.proof.md",
    "engine/line/releases/profile.py": "floats to steer by; leans on certify/composition.proof.md",
    "engine/ranges/channel/programs.py": "proposals; leans on engine/ranges/channel/rows.proof.md",
    "engine/ranges/channel/core.py": "plans; leans on engine/ranges/channel/rows.proof.md",
    "engine/ranges/channel/every_value.py": (
        "rows of a program; leans on engine/ranges/channel/nodes.proof.md"
    ),
    "engine/ranges/channel/mesh.py": "geometry of cells",
    "engine/ranges/channel/warm_start.py": "what to begin with",
    "engine/ranges/channel/baselines.py": "proposals; leans on engine/ranges/channel/rows.proof.md",
    "engine/ranges/wide/groups.py": "proposals; leans on certify/certificates/groups.proof.md",
    "engine/ranges/intervals/transport.py": (
        "proposals; leans on engine/ranges/intervals/mixture.proof.md"
    ),
    "engine/ranges/partition/cells.py": (
        "proposals; leans on engine/ranges/partition/prices.proof.md"
    ),
    "engine/vectors/certificate.py": "rounds curves; leans on certify/kinds/vector.proof.md",
    "engine/vectors/flow.py": "proposals; leans on certify/kinds/vector.proof.md",
    "engine/vectors/inward.py": "proposals; leans on certify/kinds/vector.proof.md",
    "engine/vectors/march.py": "proposals; leans on certify/kinds/vector.proof.md",
    "engine/vectors/net.py": "proposals; leans on certify/kinds/vector.proof.md",
    "engine/vectors/rounding.py": "rounds noise; leans on certify/kinds/vector.proof.md",
    "engine/vectors/shells.py": "proposals; leans on certify/kinds/vector.proof.md",
    "engine/vectors/stairs.py": "proposals; leans on certify/noise/vectors/staircase.proof.md",
    "engine/vectors/stationary.py": "proposals; leans on certify/kinds/vector.proof.md",
    "engine/vectors/vector.py": "plans; leans on certify/kinds/vector.proof.md",
    "engine/workloads/entropy.py": "proposals; leans on certify/certificates/closed_form.proof.md",
    "engine/workloads/frames.py": "proposals; leans on certify/noise/workloads/strategy.proof.md",
    "engine/workloads/optimise.py": "proposals; leans on certify/noise/workloads/strategy.proof.md",
    "engine/workloads/roots.py": (
        "proposals; leans on certify/noise/workloads/root_strategy.proof.md"
    ),
    "engine/workloads/rounding.py": "proposals; leans on certify/noise/workloads/strategy.proof.md",
    "engine/workloads/pieces.py": (
        "proposals; leans on certify/noise/workloads/summed_strategy.proof.md"
    ),
    "noise/summed.py": "estimates and floats; leans on noise/workload.proof.md",
    "engine/workloads/summed.py": (
        "proposals; leans on certify/noise/workloads/summed_strategy.proof.md"
    ),
    "engine/workloads/trees.py": (
        "proposals; leans on certify/noise/workloads/summed_strategy.proof.md"
    ),
    "engine/workloads/tables.py": (
        "proposals; leans on certify/noise/workloads/table_strategy.proof.md"
    ),
    "certify/matrices.py": "whole numbers; leans on certify/noise/workloads/strategy.proof.md",
    "certify/kinds/workload.py": (
        "reads a file; leans on certify/noise/workloads/measurements.proof.md"
    ),
    "certify/noise/workloads/single.py": "leans on certify/noise/workloads/measurements.proof.md",
    "certify/certificates/factors.py": "leans on certify/noise/workloads/measurements.proof.md",
    "problem/workload_problem.py": (
        "a record; leans on certify/noise/workloads/measurements.proof.md"
    ),
    "certify/kinds/workload_parts.py": (
        "reads a file; leans on certify/noise/workloads/measurements.proof.md"
    ),
    "certify/kinds/workload_proofs.py": (
        "reads a file; leans on certify/noise/workloads/measurements.proof.md"
    ),
    "problem/workload_parts.py": (
        "records; leans on certify/noise/workloads/strategy.proof.md, "
        "certify/noise/workloads/plain_strategies.proof.md"
    ),
    "problem/workload_tables.py": (
        "records; leans on certify/noise/workloads/table_strategy.proof.md, "
        "certify/noise/workloads/plain_strategies.proof.md"
    ),
    "problem/workload.py": "reads arguments",
    "problem/workload_arguments.py": "reads arguments",
    "certify/noise/line/runs.py": (
        "reads and spreads runs; leans on certify/noise/line/release_loss.proof.md"
    ),
    "bisection.py": "asks the condition at both ends that it returns, or was told them",
    "gaussian.py": "floats that propose, no claim",
    "numeric.py": "arrays and sums in floats, no claim",
    "problem/arguments.py": "reads arguments",
    "problem/budgets.py": "reads arguments",
    "problem/combinations.py": "a table",
    "problem/constraints.py": "records; leans on certify/noise/line/constraint_slack.proof.md",
    "problem/domain.py": "reads arguments",
    "problem/problem.py": "a record; leans on certify/noise/ranges/answers.proof.md",
    "problem/shape.py": "records; leans on certify/noise/shapes/levels.proof.md",
    "problem/shape_arguments.py": "reads arguments",
    "problem/checks.py": "reads arguments",
    "certify/budgets.py": "reads a file, believes nothing",
    "certify/__main__.py": "prints a report",
    "certify/about.py": "reads a file, believes nothing",
    "certify/base.py": "a record, and how files begin",
    "certify/published.py": "leans on tables/reports/basis.proof.md",
    "certify/noise/shapes/block_counts.py": "leans on certify/noise/shapes/levels.proof.md",
    "certify/codec.py": "reads a file, believes nothing",
    "certify/layout.py": "reads a file, believes nothing",
    "certify/noise/shapes/knorm.py": (
        "leans on certify/noise/shapes/levels.proof.md and certify/kinds/joint.proof.md"
    ),
    "problem/shape_problem.py": "a record; leans on certify/kinds/joint.proof.md",
    "certify/noise/shapes/shaped.py": "leans on certify/kinds/joint.proof.md",
    "certify/certificates/shaped.py": "leans on certify/kinds/joint.proof.md",
    "certify/certificates/cells.py": "leans on certify/kinds/joint.proof.md",
    "certify/certificates/base.py": "what a certificate must do",
    "certify/noise/base.py": "what noise must do",
    "certify/json_file.py": "reads a file, believes nothing",
    "certify/certificates/multipliers.py": (
        "records; leans on certify/certificates/duality.proof.md"
    ),
    "certify/noise/workloads/factor.py": (
        "protocols; leans on certify/noise/workloads/measurements.proof.md"
    ),
    "certify/noise/workloads/frame.py": (
        "queries in coordinates; leans on certify/noise/workloads/strategy.proof.md"
    ),
    "certify/noise/line/cells.py": "asks privacy, shape and cost, which have proofs",
    "certify/file.py": "asks the reader and the checker of a file's kind",
    "certify/kinds/dependent.py": (
        "the keys of a file; leans on certify/noise/ranges/answers.proof.md"
    ),
    "certify/noise/ranges/clamped.py": "leans on certify/noise/ranges/answers.proof.md",
    "certify/noise/ranges/node_losses.py": "leans on certify/noise/ranges/answers.proof.md",
    "certify/noise/ranges/row_privacy.py": "leans on certify/noise/ranges/answers.proof.md",
    "certify/noise/ranges/rows.py": "leans on certify/noise/ranges/answers.proof.md",
    "certify/constraints.py": "records; leans on certify/noise/line/constraint_slack.proof.md",
    "certify/kinds/additive.py": "reads a file, believes nothing",
    "certify/fields.py": "reads a file, believes nothing",
    "certify/limits.py": "refuses what would take too long",
    "certify/noise/vectors/shells.py": "leans on certify/kinds/vector.proof.md",
    "problem/keyed_problem.py": "records; leans on certify/kinds/keyed.proof.md",
    "certify/noise/keys/chain.py": "leans on certify/kinds/keyed.proof.md",
    "certify/noise/keys/selection.py": "leans on certify/kinds/keyed.proof.md",
    "certify/certificates/tails.py": "leans on certify/kinds/keyed.proof.md",
    "certify/summary.py": "the words of a report",
    "certify/report.py": "asks the modules that prove, and says what they found",
    "tables/ledger/store.py": "transactions of the database",
    "engine/workloads/candidates.py": "proposals; the checker proves what comes of them",
    "engine/workloads/documents.py": "calls the checker's functions, which have their proofs",
    "engine/workloads/strategies.py": (
        "proposals; leans on certify/noise/workloads/strategy.proof.md"
    ),
    "noise/plain.py": "leans on noise/workload.proof.md",
    "noise/measured_sums.py": "leans on noise/workload.proof.md",
    "noise/tables.py": "leans on noise/workload.proof.md",
    "tables/answer.py": "what is shown",
    "tables/contributions.py": "leans on tables/planning/noise.proof.md",
    "tables/ask.py": "leans on tables/planning/noise.proof.md",
    "tables/queries/digits.py": "words; ends are rounded outwards, which a test checks",
    "tables/queries/base.py": "what a query says; leans on the queries' own proofs",
    "tables/axes/keys.py": "reads arguments",
    "tables/queries/registry.py": "a table of queries",
    "tables/planning/exponential.py": "leans on tables/queries/quantile.proof.md",
    "tables/planning/separate_keys.py": "leans on tables/planning/private_keys.proof.md",
    "tables/planning/release.py": "what every release must do; leans on their own proofs",
    "tables/planning/sums.py": "leans on tables/queries/linear.proof.md",
    "tables/planning/vector.py": "leans on tables/queries/mean_vector.proof.md",
    "tables/reports/hints.py": "words about what was published",
    "tables/planning/division.py": "shares of a budget, compared by their errors; no claim",
    "tables/planning/budget.py": (
        "shares of a budget; leans on tables/planning/private_keys.proof.md"
    ),
    "tables/planning/choice.py": (
        "chooses; leans on tables/planning/noise.proof.md and tables/planning/private_keys.proof.md"
    ),
    "tables/sources/dialect.py": "leans on tables/sources/forms.proof.md",
    "tables/sources/duckdb.py": "leans on tables/sources/forms.proof.md",
    "tables/sources/frames.py": "leans on tables/sources/forms.proof.md",
    "tables/sources/opening.py": "leans on tables/sources/forms.proof.md",
    "tables/sources/postgres.py": "leans on tables/sources/forms.proof.md",
    "tables/sources/spark.py": "leans on tables/sources/forms.proof.md",
    "tables/sources/spark_files.py": "leans on tables/sources/forms.proof.md",
    "tables/sources/table.py": "leans on tables/sources/forms.proof.md",
    "frame.py": "hands rows over to pandas",
    "tables/axes/crossed.py": "leans on tables/sources/bounding.proof.md",
    "tables/queries/cumulative.py": "leans on tables/queries/linear.proof.md",
    "tables/queries/marginals.py": "leans on tables/queries/linear.proof.md",
    "tables/queries/arguments.py": "leans on tables/reports/basis.proof.md",
    "tables/planning/bands.py": "leans on tables/queries/quantiles.proof.md",
    "tables/axes/bins.py": "leans on tables/sources/bounding.proof.md",
    "tables/postprocessing/layout.py": "what a layout must do",
    "tables/reports/report.py": "leans on tables/reports/basis.proof.md",
    "tables/reports/ledger.py": (
        "leans on tables/reports/basis.proof.md and tables/ledger/filters.proof.md"
    ),
    "learn/surroundings.py": "warnings and rejections by name",
    "tables/reports/embedding.py": "a report inside its page; what is read back is checked",
    "tables/reports/page.py": "words and pictures of what is proven elsewhere",
    "tables/reports/page_style.py": "style",
    "tables/reports/grid.py": "the same numbers as tables",
    "tables/reports/spreadsheet.py": "the same numbers as files",
    "tables/reports/joining.py": "leans on tables/reports/basis.proof.md",
    "tables/reports/wording.py": "words",
    "tables/axes/period.py": "leans on tables/sources/bounding.proof.md",
    "tables/axes/place.py": "where an answer stands in a table for readers",
    "tables/sources/csv_file.py": "opens a file; leans on tables/sources/csv_records.proof.md",
    "tables/connections.py": "words of a driver, without the password",
    "tables/sources/workbook.py": "leans on tables/sources/excel_file.proof.md",
    "tables/sources/bounded_xml.py": "leans on tables/sources/excel_file.proof.md",
    "tables/sources/expression.py": "a grammar; leans on tables/sources/bounding.proof.md",
    "tables/queries/groups.py": (
        "leans on tables/planning/joint_draw.proof.md and tables/queries/count.proof.md"
    ),
    "tables/sources/size.py": "leans on tables/planning/noise.proof.md",
    "tables/planning/tracks.py": "leans on tables/planning/joint_draw.proof.md",
    "tables/queries/histogram.py": "leans on tables/queries/count.proof.md",
    "cache.py": "files that the checker reads back; leans on tables/planning/noise.proof.md",
    "tables/charge.py": "leans on tables/planning/noise.proof.md",
    "tables/planning/planner.py": "public numbers only",
    "tables/sources/rows.py": "leans on tables/sources/bounding.proof.md",
    "tables/axes/scale.py": "leans on tables/sources/bounding.proof.md",
    "tables/queries/proportion.py": "leans on tables/queries/mean.proof.md",
    "tables/queries/text.py": "a grammar",
    "tables/unit.py": "names of units",
    "tables/queries/values.py": "leans on tables/sources/bounding.proof.md",
    "tables/sources/where.py": "leans on tables/sources/bounding.proof.md",
    "tables/workload.py": (
        "leans on tables/planning/noise.proof.md and tables/planning/joint_draw.proof.md"
    ),
    "paper/hierarchy/bound.py": "a record",
    "paper/hierarchy/convergence.py": "runs the programs and tabulates",
    "paper/hierarchy/costs.py": "asks the losses",
    "paper/hierarchy/cutting_plane.py": "proposals; leans on paper/hierarchy/exactly.proof.md",
    "paper/hierarchy/dependent.py": "proposals; leans on paper/hierarchy/exactly.proof.md",
    "paper/hierarchy/direct.py": "proposals; leans on paper/hierarchy/exactly.proof.md",
    "paper/hierarchy/partition.py": "geometry of cells",
    "paper/hierarchy/problems.py": "proposals; leans on paper/hierarchy/exactly.proof.md",
    "paper/hierarchy/program.py": "proposals; leans on paper/hierarchy/exactly.proof.md",
    "program/bends.py": "floating point; leans on certify/noise/line/lattice_privacy.proof.md",
    "program/costs.py": "asks the losses",
    "program/layout.py": "geometry of cells; leans on program/program.proof.md",
    "program/simplex.py": "proposals; leans on program/program.proof.md",
    "losses/custom.py": "on trust, and never called certified",
    "losses/names.py": "reads names",
    "accounting/composition.py": "leans on accounting/convolution.proof.md",
    "accounting/law.py": "leans on accounting/dominating.proof.md",
    "accounting/several.py": "leans on accounting/convolution.proof.md",
    "noise/additive.py": "leans on noise/release.proof.md",
    "noise/base.py": "what the noise of a design must do",
    "noise/budget.py": "records",
    "noise/kinds.py": "a table",
    "noise/factors.py": "leans on noise/workload.proof.md",
    "noise/ranged_nodes.py": (
        "leans on noise/release.proof.md, certify/noise/ranges/answers.proof.md"
    ),
    "noise/ranged.py": "leans on noise/release.proof.md, certify/noise/ranges/answers.proof.md",
    "noise/selection.py": "leans on noise/keyed.proof.md",
    "noise/clamped.py": "post-processing, and floats to look at",
    "noise/containers.py": "holds values",
    "sampling/joint_balls.py": (
        "leans on certify/noise/shapes/elliptical.proof.md, sampling/ball.proof.md"
    ),
    "sampling/joint_normal.py": "leans on certify/noise/shapes/elliptical.proof.md; normal parts",
    "noise/level_draws.py": (
        "draws that are never released; leans on certify/noise/shapes/levels.proof.md"
    ),
    "noise/joint_law.py": "counts; leans on certify/noise/shapes/levels.proof.md",
    "program/threads.py": "how many threads a library has",
    "engine/shapes/noise.py": "proposals; leans on certify/kinds/joint.proof.md",
    "engine/shapes/flows.py": "proposals; leans on certify/certificates/flow.proof.md",
    "engine/shapes/levels.py": "proposals; leans on certify/noise/shapes/levels.proof.md",
    "engine/shapes/projections.py": "proposals; leans on certify/certificates/volume.proof.md",
    "engine/shapes/vectors.py": "a plan; leans on certify/kinds/vector.proof.md",
    "engine/shapes/elliptical.py": "proposals; leans on certify/noise/shapes/elliptical.proof.md",
    "engine/shapes/bases.py": "proposals; leans on certify/certificates/bases.proof.md",
    "engine/shapes/rates.py": "proposals; leans on certify/certificates/flow.proof.md",
    "learn/_base.py": "reads tables; what it draws leans on learn/integer_noise.proof.md",
    "learn/accountant.py": "leans on tables/ledger/filters.proof.md",
    "learn/calibrate.py": "leans on accounting/mixed.proof.md",
    "learn/families.py": "leans on accounting/mixed.proof.md",
    "learn/kinds.py": "leans on accounting/mixed.proof.md",
    "learn/naive_bayes.py": "leans on learn/integer_noise.proof.md",
    "learn/privacy.py": "what is shown",
    "learn/public.py": "public knowledge",
    "learn/range_noise.py": "leans on accounting/mixed.proof.md",
    "learn/statistics.py": "counts; leans on learn/integer_noise.proof.md",
    "tables/ledger/tally.py": "leans on tables/ledger/ledger.proof.md",
    "tables/reports/notes.py": "words",
    "tables/sources/catalog.py": "leans on tables/sources/forms.proof.md",
    "tables/sources/spill.py": "keeps a folder; leans on tables/sources/forms.proof.md",
    "interop/claims.py": "leans on interop/opendp.proof.md",
    "interop/diffprivlib.py": "an interface; a design draws",
    "interop/scipy_stats.py": "floats to look at",
}

#: Packages and modules on which no claim of their own rests; proofs that they have are looked at.
NO_CLAIMS = {
    "__main__": "starts the command",
    "_live": "a line that moves",
    "cache_folder": "names a folder",
    "cli": "shows",
    "compare": "shows",
    "comparison": "shows",
    "facts": "shows",
    "curves": "brackets of designs",
    "datasets": "public tables",
    "design": "the checker has the last word",
    "designs": "documents that were checked",
    "errors": "words",
    "paper/experiments": "tables of figures",
    "formal": "copies numbers into a term; its proofs are in formal/theory, and Coq checks them",
    "hints": "words errors",
    "baselines": "closed forms of the literature; tests compute their hockey sticks",
    "processes": "starts processes",
    "partition_selection": "the checker has the last word",
    "lp": "proposals",
    "show": "shows",
    "sweep": "designs, and files that are checked again",
    "web": "shows",
    "formatting": "rounds what is shown to its own side",
    "work": "counts",
}


def package(name: str) -> str:
    folders = 2 if name.startswith("paper/") else 1  # its two halves have nothing in common
    return "/".join(name.split("/")[:folders]).removesuffix(".py")


def has_proof(name: str) -> bool:
    return (SOURCE / name).with_suffix(".proof.md").exists()


EVERY = sorted(
    path.relative_to(SOURCE).as_posix()
    for path in SOURCE.rglob("*.py")
    # Methods ask what has its own proof; forecasts claim nothing.
    if path.name not in ("__init__.py", "forecast.py")
    and not (path.name == "method.py" and path.parent != SOURCE / "engine")
)
MODULES = [name for name in EVERY if package(name) not in NO_CLAIMS or has_proof(name)]


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


def test_every_package_is_looked_at() -> None:
    looked_at = {package(name) for name in MODULES}
    assert {"certify", "engine", "losses", "noise", "tables", "sampling"} <= looked_at
    assert len(MODULES) > 100


def test_exemptions_are_needed() -> None:
    assert set(EXEMPT) - set(MODULES) == set()
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
