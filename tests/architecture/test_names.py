"""One name, one meaning: a class name occurs once, and a public constant has one value."""

import ast
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import leastnoise

SOURCE = Path(leastnoise.__file__).parent

#: Names that say nothing of what they hold.
VAGUE = {"found", "one", "own", "held"}
#: How often they may stand for a variable. It may only fall.
MOST_VAGUE = 93


def test_class_names_occur_once():
    homes: dict[str, list[str]] = defaultdict(list)
    for path in SOURCE.rglob("*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(str(path.relative_to(SOURCE)))
    assert len(homes) > 300
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


def test_variables_are_named_after_what_they_hold():
    uses = Counter(
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Name) and node.id in VAGUE
    )
    assert uses.total() <= MOST_VAGUE, uses.most_common(10)


def test_constants_have_one_value():
    values: dict[str, dict[str, str]] = defaultdict(dict)
    for path in SOURCE.rglob("*.py"):
        text = path.read_text()
        for node in ast.parse(text).body if "\nMAX_" in text else []:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                if name.startswith("MAX_"):
                    values[name][str(path.relative_to(SOURCE))] = ast.unparse(node.value)
    assert len(values) > 20
    assert {name: found for name, found in values.items() if len(found) > 1} == {}


def test_a_star_import_needs_no_extra():
    """Without scikit-learn the classifiers are left out, and each alone says what to install."""
    extras = "sklearn matplotlib dp_accounting joblib ibis duckdb pyarrow pandas polars fastapi"
    program = f"""
import sys
sys.modules.update(dict.fromkeys({extras.split()!r}))
from leastnoise import *
import leastnoise
assert callable(design) and callable(ask) and "DPNaiveBayes" not in globals()
for name in ("DPNaiveBayes", "DPLogisticRegression"):
    try:
        getattr(leastnoise, name)
    except MissingExtraError as error:
        assert error.package == "scikit-learn"
    else:
        raise AssertionError
"""
    subprocess.run([sys.executable, "-c", program], check=True)
    assert {*leastnoise._HOME} >= {*leastnoise.__all__}
