"""Draw the pictures of docs/web-app.md: python docs/draw_page.py [NAME ...] (a minute).

It takes the extra `web`, Playwright and Chromium.

They are screenshots of the app as `leastnoise serve` shows it, about the synthetic hospital stays
and the demo table.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from leastnoise.datasets import hospital_stays

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
    """The distributions of a range."""
    page.locator("#family-plot canvas").wait_for()
    page.locator("#family-slider").fill("8")
    page.locator("#family-slider").blur()
    page.locator("#bracket-card").evaluate("card => window.scrollBy(0, card.offsetHeight)")


def ask(page: Any) -> None:
    """Hospital stays by patient, and the margin of error before anything is spent."""
    with tempfile.TemporaryDirectory() as folder:
        page.locator("#upload").set_input_files(hospital_stays(Path(folder) / "stays.csv"))
        page.locator("#chips li").first.wait_for()
    page.locator("#unit").select_option("patient")
    page.locator("#max-rows-per-group").fill("2")
    query = page.get_by_role("group", name="Query 1")
    query.get_by_label("Column").select_option("age")
    query.get_by_label("Smallest value").fill("0")
    query.get_by_label("Largest value").fill("100")
    page.locator("#rows").fill("6000")
    page.locator("#plan").click()
    page.locator("#plan-table tbody tr").first.wait_for()
    page.locator("#ask-stop").wait_for(state="hidden")
    page.evaluate("window.scrollTo(0, 0)")


def answer(page: Any) -> None:
    """The mean length of stay by ward."""
    ask(page)
    query = page.get_by_role("group", name="Query 1")
    query.get_by_label("Column").select_option("days")
    query.get_by_label("Largest value").fill("30")
    query.get_by_text("Filter rows, or group by a column").click()
    query.get_by_label("Groups by").select_option("ward")
    wards = "cardiology, geriatrics, maternity, oncology, pediatrics, surgery"
    query.get_by_label("Groups, separated by commas").fill(wards)
    page.locator("#max-groups").fill("2")
    page.locator("#rows").fill("1000")
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
    "ask": ("#ask", ask, {"width": 1180, "height": 1640}, "light"),
    "answer": ("#ask", answer, {"width": 1180, "height": 800}, "light"),
    "histogram": ("#ask?table=demo", histogram, {"width": 390, "height": 900}, "dark"),
    "words": ("#glossary", words, {"width": 1180, "height": 1020}, "light"),
    "verify": ("#verify", verify, {"width": 1180, "height": 880}, "light"),
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
                    if sys.argv[1:] and name not in sys.argv[1:]:
                        continue
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
