"""Workers follow the process that started them, and signal none on Windows."""

from __future__ import annotations

import os
import sys

from leastnoise.sweep import alive


def test_no_signal_is_sent_on_windows(monkeypatch):
    """Signal 0 is Ctrl-C there: it would interrupt the process that is asked about."""
    sent = []
    monkeypatch.setattr(os, "kill", lambda *what: sent.append(what))
    monkeypatch.setattr(sys, "platform", "win32")
    alive.follow(os.getppid() + 1_000_000)
    assert sent == []
