"""Draw the pictures of docs/page.md: python docs/draw_page.py (extra `web`, Chromium, a minute).

They are screenshots of the page as `leastnoise serve` shows it, about a made-up class list and
the demo table.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "page"
FLAGS = ["--no-sandbox", "--headless", "--disable-gpu", "--no-first-run"]
WIDE, PHONE = {"width": 1180, "height": 820}, {"width": 390, "height": 780}


def design(page: Any) -> None:
    """The view Design at an everyday budget."""
    page.locator("#profile-plot canvas").wait_for()


def phone(page: Any) -> None:
    """The same on a phone, where the results are."""
    design(page)
    page.locator("#bracket-card").evaluate("card => card.scrollIntoView()")


def family(page: Any) -> None:
    """The laws of a range."""
    page.locator("#family-plot canvas").wait_for()
    page.locator("#family-slider").fill("8")
    page.locator("#family-slider").blur()
    page.locator("#bracket-card").evaluate("card => window.scrollBy(0, card.offsetHeight)")


#: A class list as a school's program writes it; the pupils do not exist.
MARKS = [4.25, 3.5, 2.75, 5, 3.25, 4, 3, 4.5, 3.75, 2.5, 3.5, 4] * 2


def ask(page: Any) -> None:
    """A class list, and the margin of its mean before anything is spent."""
    rows = "".join(f"{k};{str(mark).replace('.', ',')}\n" for k, mark in enumerate(MARKS))
    held = {"name": "class.csv", "mimeType": "text/csv", "buffer": f"pupil;mark\n{rows}".encode()}
    page.locator("#upload").set_input_files(held)
    page.locator("#chips li").first.wait_for()
    page.locator("#csv-decimal").select_option(",")
    question = page.get_by_role("group", name="Query 1")
    question.get_by_label("Column").select_option("mark")
    question.get_by_label("Smallest value").fill("1")
    question.get_by_label("Largest value").fill("6")
    page.locator("#rows").fill("24")
    page.locator("#plan").click()
    page.get_by_text("Planned. No row was read").wait_for()
    page.evaluate("window.scrollTo(0, 0)")


def answer(page: Any) -> None:
    """The answer to it."""
    ask(page)
    sure(page)


def histogram(page: Any) -> None:
    """Ages and regions of the demo table."""
    page.get_by_text("the demo table: person_id").wait_for()
    first = page.get_by_role("group", name="Query 1")
    first.get_by_label("What").select_option("histogram")
    first.get_by_label("Column").select_option("age")
    first.get_by_label("Smallest value").fill("20")
    first.get_by_label("Largest value").fill("70")
    page.locator("#add-question").click()
    second = page.get_by_role("group", name="Query 2")
    second.get_by_label("What").select_option("count")
    second.get_by_text("Filter rows, or group by a column").click()
    second.get_by_label("Groups by").select_option("region")
    second.get_by_label("Groups, separated by commas").fill("north, south, west")
    page.locator("#rows").fill("1000")
    page.locator("#ask-epsilon").fill("0.1")
    sure(page)


def sure(page: Any) -> None:
    """Yes to all bounds, and the answers."""
    page.locator("#ask-go").click()
    for box in page.locator("#sure input").all():
        box.check()
    page.locator("#sure-yes").click()
    page.locator(".answer").first.wait_for()


def words(page: Any) -> None:
    """The explanations."""
    page.locator("#term-interval svg").wait_for()


def verify(page: Any) -> None:
    """The claims of a file."""
    page.locator("#verify-file").set_input_files(Path(__file__).parent / "example.json")
    page.locator("#claims .proven").first.wait_for()


#: name: (address, what to do, window, scheme)
VIEWS: dict[str, tuple[str, Callable[[Any], None], dict[str, int], str]] = {
    "design": ("#design", design, WIDE, "light"),
    "family": ("#design?ranged=1&sensitivity=2&delta=0.2", family, WIDE, "light"),
    "ask": ("#ask", ask, {"width": 1180, "height": 1420}, "light"),
    "answer": ("#ask", answer, {"width": 1180, "height": 560}, "light"),
    "histogram": ("#ask?table=demo", histogram, {"width": 390, "height": 900}, "dark"),
    "words": ("#glossary", words, {"width": 1180, "height": 1020}, "light"),
    "verify": ("#verify", verify, WIDE, "light"),
    "phone": ("#design?delta=0.2", phone, PHONE, "dark"),
}


def printed(server: subprocess.Popen[str], keys: int) -> str:
    """Another address, which the server prints when Enter is pressed; each works once."""
    assert server.stdout is not None
    os.write(keys, b"\n")
    for line in server.stdout:
        if found := re.search(r"http://\S+", line):
            return found[0]
    raise SystemExit("the server has ended")


def main() -> None:
    """Start the page, look at each view, and end it again."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    command = [sys.executable, "-P", "-m", "leastnoise", "serve", "--no-browser"]
    HERE.mkdir(exist_ok=True)
    keys, terminal = os.openpty()
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=terminal, stdout=pipe, text=True) as server:
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
                for name, (address, act, window, scheme) in VIEWS.items():
                    page = browser.new_page(viewport=window, color_scheme=scheme)
                    page.set_default_timeout(120_000)
                    page.goto(printed(server, keys) + address)
                    act(page)
                    page.wait_for_timeout(300)
                    page.screenshot(path=HERE / f"{name}.png")
                    print(f"page/{name}.png")
                    page.close()
                browser.close()
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
