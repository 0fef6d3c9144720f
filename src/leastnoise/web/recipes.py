"""The same design without the web app: a Python snippet, and a command line.

Both ask exactly what the form asked, in the same digits, so they find the same design.
"""

from __future__ import annotations

import json
import shlex
from typing import Any

_SWITCHES = ("integer", "monotone", "symmetric", "unbiased")


def snippet(form: dict[str, Any]) -> str:
    """Python that makes this design, saves it and checks it."""
    names = {"design"}
    words = [f"{name}={form[name]!r}" for name in ("epsilon", "delta", "sensitivity")]
    loss = form["loss"]
    if loss["kind"] == "piecewise":
        names.add("Piecewise")
        points = ", ".join(f"({x!r}, {value!r})" for x, value in loss["points"])
        first, last = loss["slopes"]
        words.append(f"loss=Piecewise([{points}], ({first!r}, {last!r}))")
    else:
        words.append(f"loss={_loss_text(loss)!r}")
    if form["integer"]:
        words.append("integer=True")
    if form["bounds"] is not None:
        low, high = form["bounds"]
        words.append(f"bounds=({low!r}, {high!r})")
        words += [f"max_error={form['max_error']!r}"] if form["max_error"] is not None else []
        words += ["monotone=True"] if form["monotone"] else []
    for name in ("dimension", "releases", "gap", "time_limit"):
        if form[name] is not None:
            words.append(f"{name}={form[name]!r}")
    made = _constraints(form)
    if made:
        names |= {call.partition("(")[0] for call in made}
        words.append(f"constraints=[{', '.join(made)}]")
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
    words = ["leastnoise", "design"]
    for name in ("epsilon", "delta", "sensitivity"):
        words += [f"--{name}", form[name]]
    loss, before = form["loss"], ""
    if loss["kind"] == "piecewise":
        spec = {"name": "piecewise", "points": loss["points"], "slopes": loss["slopes"]}
        before = f"printf '%s' {shlex.quote(json.dumps(spec))} > loss.json\n"
        words += ["--loss", "piecewise:loss.json"]
    else:
        words += ["--loss", _loss_text(loss)]
    words += [f"--{name}" for name in _SWITCHES if form[name]]
    if form["bounds"] is not None:
        words += ["--bounds", *form["bounds"]]
    low, high = form["support"]
    if low is not None or high is not None:
        words += ["--support", low or "none", high or "none"]
    for name in ("max_error", "unimodal", "distinguishing", "dimension", "releases"):
        if form[name] is not None:
            words += [f"--{name.replace('_', '-')}", str(form[name])]
    if form["second_loss"] is not None:
        words += ["--loss-at-most", form["second_loss"], form["second_bound"]]
    for name in ("gap", "time_limit"):
        if form[name] is not None:
            words += [f"--{name.replace('_', '-')}", str(form[name])]
    return before + shlex.join([*words, "--out", "mechanism.json"]) + "\n"


def _loss_text(loss: dict[str, Any]) -> str:
    kind = str(loss["kind"])
    return kind if kind in ("l1", "l2") else f"{kind}:{loss['parameter']}"
