"""The same design without the web app: a Python snippet, and a command line.

Both ask exactly what the form asked, in the same digits, so they find the same design.
"""

from __future__ import annotations

import json
import shlex
from typing import Any

from ..losses import Loss
from .design_form import arguments_of, loss_of


def snippet(form: dict[str, Any]) -> str:
    """Python that makes this design, saves it and checks it."""
    names, words = {"design"}, []
    for name, value in arguments_of(form).items():
        if name == "constraints":
            made = _constraints(form)
            names |= {call.partition("(")[0] for call in made}
            words.append(f"constraints=[{', '.join(made)}]")
        elif isinstance(value, Loss):
            names.add("Piecewise")
            points = ", ".join(f"({x!r}, {value!r})" for x, value in form["loss"]["points"])
            first, last = form["loss"]["slopes"]
            words.append(f"loss=Piecewise([{points}], ({first!r}, {last!r}))")
        else:
            words.append(f"{name}={value!r}")
    listed = "".join(f"    {word},\n" for word in words)
    return (
        f"from leastnoise import {', '.join(sorted(names, key=lambda n: (n.lower(), n)))}\n\n"
        f"best = design(\n{listed})\n"
        "print(best)\n"
        'best.save("mechanism.json")   # leastnoise verify mechanism.json\n'
    )


def _constraints(form: dict[str, Any]) -> list[str]:
    calls = []
    low, high = form["support"]
    if low is not None or high is not None:
        calls.append(f"Support({low!r}, {high!r})")
    if form["bounds"] is None:
        calls += [f"MaxError({form['max_error']!r})"] if form["max_error"] is not None else []
        calls += ["Monotone()"] if form["monotone"] else []
    calls += ["Symmetric()"] if form["symmetric"] else []
    calls += ["Unbiased()"] if form["unbiased"] else []
    calls += [f"Unimodal({form['unimodal']!r})"] if form["unimodal"] is not None else []
    if form["distinguishing"] is not None:
        calls.append(f"Distinguishing({form['distinguishing']!r})")
    if form["second_loss"] is not None:
        calls.append(f"LossAtMost({form['second_loss']!r}, {form['second_bound']!r})")
    return calls


def command(form: dict[str, Any]) -> str:
    """A command line that makes this design and writes its file."""
    words, before = ["leastnoise", "design"], ""
    for name, value in form.items():
        option, values = name, value if isinstance(value, list) else [value]
        if name == "loss" and value["kind"] == "piecewise":
            spec = {"name": "piecewise", "points": value["points"], "slopes": value["slopes"]}
            before = f"printf '%s' {shlex.quote(json.dumps(spec))} > loss.json\n"
            values = ["piecewise:loss.json"]
        elif name == "loss":
            values = [loss_of(form)]
        elif name == "support":
            values = [end or "none" for end in values]
        elif name == "second_loss":
            option, values = "loss-at-most", [value, form["second_bound"]]
        if value in (None, False, [None, None]) or name == "second_bound":
            continue
        words.append(f"--{option.replace('_', '-')}")
        words += [] if value is True else map(str, values)
    return before + shlex.join([*words, "--out", "mechanism.json"]) + "\n"
