"""One name, one value: no two modules have a public constant of one name with two values."""

import ast
from collections import defaultdict
from pathlib import Path

import leastnoise

SOURCE = Path(leastnoise.__file__).parent


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
