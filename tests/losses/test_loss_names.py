"""Losses by name: what is read, what is refused, and what the refusal suggests."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leastnoise.cli.options import LOSS_HELP
from leastnoise.errors import ArgumentError
from leastnoise.losses import (
    L1,
    L2,
    NAMED,
    PIECEWISE_FILE,
    TYPED,
    Custom,
    Huber,
    Loss,
    Piecewise,
    Pinball,
    as_loss,
    loss_from_spec,
)


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("l1", {"name": "l1"}),
        ("absolute", {"name": "l1"}),
        ("squared", {"name": "l2"}),
        ("power:1", {"name": "l1"}),
        ("power:2.5", {"name": "power", "p": "2.5"}),
        ("huber:0.5", {"name": "huber", "width": "0.5"}),
        ("pinball:0.9", {"name": "pinball", "tau": "0.9"}),
    ],
)
def test_names(text: str, spec: dict[str, Any]) -> None:
    assert as_loss(text).spec() == spec
    assert as_loss(spec).spec() == spec


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"name": "l3"}, "loss must be"),
        ("l1", "an object"),
        ({"name": "power", "p": "0.5"}, "between 1 and 16"),
        ({"name": "power", "p": "17"}, "between 1 and 16"),
        ({"name": "huber", "width": "-1"}, "positive"),
        ({"name": "pinball", "tau": "0"}, "strictly between"),
        ({"name": "pinball", "tau": "x"}, "finite number"),
        ({"name": "pinball"}, "keys"),
        (
            {"name": "piecewise", "points": [["1", "1"], ["0", "0"]], "slopes": ["-1", "1"]},
            "increasing",
        ),
        ({"name": "piecewise", "points": "x", "slopes": ["-1", "1"]}, "points"),
        ({"name": "piecewise", "points": [["0", "0"]] * 1001, "slopes": ["-1", "1"]}, "1000"),
        ({"name": "sum", "terms": [["0", {"name": "l1"}]]}, "positive weight"),
        ({"name": "sum", "terms": [["1", {"name": "l1"}]] * 101}, "100 terms"),
    ],
)
def test_bad_specifications(spec: Any, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        loss_from_spec(spec)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("mae", "l1"),
        ("abs", "l1"),
        ("MAE", "l1"),
        ("absolut", "l1"),
        ("l_1", "l1"),
        ("absolute_error", "l1"),
        ("l1:3", "l1"),
        ("mse", "l2"),
        ("square", "l2"),
        ("squared error", "l2"),
        ("L-2", "l2"),
        ("quantile:0.9", "pinball:0.9"),
        ("pinball", "pinball:TAU"),
        ("pinbal:0.8", "pinball:0.8"),
        ("huber", "huber:WIDTH"),
        ("huber(0.5)", "huber:0.5"),
        ("Hubr = 2", "huber:2"),
        ("l3", "power:3"),
        ("power3", "power:3"),
        ("lp", "power:P"),
        ("piecewise", "piecewise:FILE"),
    ],
)
def test_a_name_from_elsewhere_is_refused_with_the_right_one(text: str, meant: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(f'(did you mean "{meant}"?)')) as caught:
        as_loss(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("text", ["", "x", "entropy", ":", "0", "x" * 10_000, "l1\nl2\0"])
def test_a_name_like_no_other_gets_the_list_alone(text: str) -> None:
    with pytest.raises(ArgumentError, match="pinball:TAU") as caught:
        as_loss(text)
    assert text == "l1\nl2\0" or "did you mean" not in str(caught.value)


def test_names_may_be_in_capitals() -> None:
    assert as_loss("L1") == L1() and as_loss(" Squared ") == L2()


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (abs, "Custom(abs, convex=True)"),
        (lambda x: x * x, "Custom(function, convex=True)"),
        (L1, "L1(...)"),
        (Huber, "Huber(...)"),
        (Pinball, "Pinball(...)"),
    ],
)
def test_a_function_is_refused_with_what_to_write(function: Callable[..., Any], words: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(words)):
        as_loss(function)  # type: ignore[arg-type]


def test_anything_else_gets_the_list() -> None:
    with pytest.raises(ArgumentError, match="pinball:TAU"):
        as_loss(3)  # type: ignore[arg-type]


def test_a_file_holds_a_piecewise_loss(tmp_path: Path) -> None:
    # The example that errors and help show is itself such a file.
    found = re.search(r"\{.*?\}", PIECEWISE_FILE)
    assert found is not None
    path = tmp_path / "loss.json"
    path.write_text(found.group())
    assert as_loss(f"piecewise:{path}") == Piecewise(((0, 0), (2, 1)), (-1, 3))
    path.write_text(json.dumps((2 * L1() + Huber(1)).spec()))
    assert as_loss(f"piecewise:{path}") == 2 * L1() + Huber(1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "No such file"),
        ("{", "Expecting"),
        ("[]", "an object"),
        ("[" * 100_000, ""),
        ('{"name": "piecewise"}', "the keys name, points, slopes"),
        ('{"name": "piecewise", "points": [["0", "1"]], "slopes": ["1", "1"]}', "negative before"),
    ],
)
def test_a_bad_file_is_refused_with_the_format(
    text: str | None, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "loss.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ArgumentError, match=re.escape(PIECEWISE_FILE)) as caught:
        as_loss(f"piecewise:{path}")
    assert words in str(caught.value)


@pytest.mark.parametrize("name", ["", " ", 3, "l1", "Squared", "power:3", "sum"])
def test_a_function_takes_no_name_of_another_loss(name: Any) -> None:
    with pytest.raises(ArgumentError, match="name must be"):
        Custom(abs, convex=True, name=name)


def test_keys_tell_losses_apart_and_stay() -> None:
    def twice(x: float) -> float:
        return 2 * abs(x)

    named: list[Loss] = [
        L1(),
        L2(),
        Pinball("0.8"),
        Huber(1),
        2 * L1(),
        L1() + L2(),
        Custom(abs, convex=True, name="mine"),
        Custom(abs, convex=True, name="other"),
        Custom(abs, lipschitz=1.0, name="mine"),
        Custom(abs, lipschitz=2.0, name="mine"),
        Custom(twice, convex=True, name="mine"),  # another function under the same name
        L1() + Custom(abs, convex=True, name="mine"),
    ]
    keys = [json.dumps(loss.key(), sort_keys=True) for loss in named]
    assert len(set(keys)) == len(keys)
    assert all(loss.key() == loss.spec() for loss in named if loss.certified)
    again = Custom(lambda x: max(x, -x), convex=True, name="mine")
    assert again.key() == Custom(abs, convex=True, name="mine").key()
    assert Custom(abs, convex=True).key() is None
    assert (L1() + Custom(abs, convex=True)).key() is None


@pytest.mark.parametrize("loss", [L1(), Pinball("0.9"), Piecewise([(0, 0), (1, 1)], (-2, 3))])
def test_a_specification_reads_back_to_the_same_loss(loss: Piecewise) -> None:
    for one in (loss, loss.mirror(), pickle.loads(pickle.dumps(loss))):
        again = loss_from_spec(json.loads(json.dumps(one.spec())))
        assert (again, again.points, again.slopes) == (one, one.points, one.slopes)


def test_nobody_gives_a_piecewise_loss_the_name_of_another() -> None:
    with pytest.raises(TypeError, match="_label"):
        Piecewise([(0, 0)], (-1, 3), _label=("l1", None))
    with pytest.raises(TypeError):
        Piecewise([(0, 0)], (-1, 3), ("l1", None))


def test_every_loss_with_a_name_reaches_help_and_the_web_app() -> None:
    pytest.importorskip("fastapi", reason="the package fastapi is not installed")
    from pydantic import TypeAdapter

    from leastnoise.web.app import page_with_losses
    from leastnoise.web.design_form import loss_of
    from leastnoise.web.models import LossForm, LossName

    page = page_with_losses()
    for name, loss in NAMED.items():
        assert f'<option value="{name}" data-number="{loss.number}"' in page
        form = LossForm(kind=name, parameter=loss.usual or None).model_dump()
        text = f"{name}:{loss.usual}" if loss.key else name
        assert as_loss(loss_of({"loss": form})) == as_loss(text)
        assert TypeAdapter(LossName).validate_python(text) == text
    assert "<!--" not in page.partition('id="loss"')[2].partition("</select>")[0]
    assert ", ".join(TYPED) in LOSS_HELP
