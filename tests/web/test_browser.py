"""The page in a real browser: every control, downloads, errors, phones, the dark, and axe.

Every page here asserts that no request left loopback and that the browser had nothing to
complain about.
"""

from __future__ import annotations

import json
import random
import re
import time
from urllib.parse import urlsplit

import pandas as pd
import pytest
from web_server import SECRETS, running, table

from leastnoise import Count, Mean, ask_all, report
from leastnoise.certify import check_file
from leastnoise.tables.queries.digits import rounded
from leastnoise.tables.queries.numbers import Estimate

QUICK = "#design?delta=0.2&gap=0.1"
SLOW_DESIGN = "#design?dimension=4&delta=0.1&gap=1e-9&time-limit=200"  # with a first bracket soon
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


class Opened:
    """A page of the server, and what it asked for."""

    def __init__(self, browser, server, **options) -> None:
        self.context = browser.new_context(**{"viewport": WIDE} | options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(120_000)
        self.server = server
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on(
            "console",
            lambda one: self.complaints.append(one.text) if one.type in ("error", "warning") else 0,
        )

    def go(self, view: str = "") -> None:
        """To a view, once it listens: a file given to it earlier would be lost."""
        self.page.goto(self.server.address() + view)
        self.page.locator(".view:not([hidden])").wait_for()

    def id(self, name: str):
        return self.page.locator(f"#{name}")

    def designed(self) -> None:
        self.page.locator("#design-state.good").wait_for()

    def text(self, name: str) -> str:
        return self.id(name).inner_text()

    def close(self) -> None:
        self.context.close()
        places = {urlsplit(url).hostname for url in self.asked if not url.startswith("blob:")}
        assert places <= {"127.0.0.1"}, places
        bad = [words for words in self.complaints if "422" not in words and "409" not in words]
        assert not bad, bad


@pytest.fixture
def opened(browser, server):
    held = []

    def make(view: str = "", **options) -> Opened:
        one = Opened(browser, server, **options)
        held.append(one)
        one.go(view)
        return one

    yield make
    for one in held:
        one.close()


def axe(page) -> list[str]:
    """What axe finds, in short."""
    found = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is missing")
    report = found.Axe().run(page)
    return [
        f"{one['id']}: {[node['target'] for node in one['nodes']]}"
        for one in report.response["violations"]
    ]


def saved(opened, name: str, path) -> bytes:
    """What a link downloads."""
    with opened.page.expect_download() as coming:
        opened.id(name).click()
    coming.value.save_as(path)
    return path.read_bytes()


def test_a_design_from_the_address_to_a_file_that_is_proven(opened, tmp_path):
    one = opened("#design")
    one.designed()
    assert "enter" not in one.page.url  # the code was used and is gone
    low, high = (float(one.text(name)) for name in ("lower", "upper"))
    assert 0.9593 < low < high < 0.9596  # 0.1 % at (1, 1e-6)
    # Baselines: ticked ones are drawn and named in the address.
    one.page.locator("#density-plot canvas").wait_for()
    assert "Laplace noise" in one.text("density-plot")
    one.page.get_by_label("Draw Tulap noise").check()
    one.page.get_by_label("Draw Laplace noise", exact=True).uncheck()
    assert "Tulap noise" in one.text("density-plot")
    assert "baselines=analytic-gaussian%2Ctulap" in one.page.url
    assert "Above the bound" in one.text("losses") and "4.24%" in one.text("losses")
    one.page.locator("#profile-plot canvas").wait_for()
    one.page.locator("#composition-plot canvas").wait_for()
    # Everything to take away is for exactly this design.
    saved(one, "take-file", tmp_path / "m.json")
    report = check_file(tmp_path / "m.json")
    assert report.proven and len(report.claims) >= 4
    held = json.loads((tmp_path / "m.json").read_text())
    assert (held["epsilon"], held["delta"]) == ("1", "0.000001")
    assert saved(one, "take-png", tmp_path / "a.png").startswith(b"\x89PNG")
    picture = saved(one, "take-svg", tmp_path / "a.svg").decode()
    assert "Tulap noise" in picture and "Laplace noise" not in picture
    assert "epsilon='1'" in one.text("python") and "--delta 1e-6" in one.text("command")
    one.page.get_by_role("button", name="Copy the Python").click()
    one.page.get_by_role("button", name=re.compile("Copied|Selected")).wait_for()
    assert axe(one.page) == []


def test_every_control_of_the_form_reaches_the_design(opened):
    """Filled in, kept in the address, and read from it again."""
    one = opened(QUICK)
    one.designed()
    page = one.page
    for name, value in {
        "epsilon": "0.9", "delta": "0.3", "sensitivity": "2", "gap": "0.3", "time-limit": "9",
        "releases": "2", "dimension": "1", "support-low": "-30", "support-high": "30",
        "max-error": "29", "unimodal": "0", "distinguishing": "0.4", "second-loss": "l2",
        "second-bound": "500",
    }.items():  # fmt: skip
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        one.id(name).fill(value)
    for name in ("integer", "monotone", "symmetric", "unbiased"):
        one.id(name).check()
    one.id("loss").select_option("power")
    one.id("parameter").fill("3")
    with page.expect_request("**/api/design") as sent:
        one.id("design-go").click()
    asked = sent.value.post_data_json
    assert asked["loss"] == {"kind": "power", "parameter": "3"}
    assert asked["support"] == ["-30", "30"] and asked["releases"] == 2 and asked["monotone"]
    assert asked["time_limit"] == 9 and asked["second_bound"] == "500"
    url = page.url
    with page.expect_request("**/api/design") as sent:
        page.reload()
    assert sent.value.post_data_json == asked and page.url == url
    one.page.locator("#design-state.good, #design-form .error:not([hidden])").first.wait_for()


def test_a_loss_that_is_drawn(opened):
    one = opened("#design?delta=0.2&gap=0.1&loss=piecewise")
    one.designed()
    dot = one.page.locator(".loss-board circle").nth(2)
    box = dot.bounding_box()
    one.page.mouse.move(box["x"] + 7, box["y"] + 7)
    one.page.mouse.down()
    one.page.mouse.move(box["x"] + 27, box["y"] - 33, steps=4)
    one.page.mouse.up()
    one.page.get_by_role("button", name="Add a point").click()
    one.page.get_by_label("Remove point 1").click()
    one.page.get_by_label("Slope on the right").fill("3")
    one.page.get_by_label("Slope on the right").press("Tab")
    with one.page.expect_request("**/api/design") as sent:
        one.id("design-go").click()
    loss = sent.value.post_data_json["loss"]
    assert len(loss["points"]) == 3 and loss["slopes"] == ["-1", "3"]
    assert loss["points"][0] == ["0", "0"] and float(loss["points"][1][1]) > 0.5
    one.designed()
    assert "Piecewise(" in one.text("python")
    one.page.get_by_label("Slope on the right").fill("-3")
    one.page.get_by_label("Slope on the right").press("Tab")
    one.id("design-go").click()
    one.page.locator("#drawn .error").wait_for()
    assert "negative before and positive after" in one.text("drawn")


def test_a_mistake_is_explained_beside_its_field(opened):
    one = opened(QUICK)
    one.designed()
    one.id("epsilon").fill("20")
    one.id("epsilon").press("Enter")
    error = one.page.locator("label:has(#epsilon) + .error")
    error.wait_for()
    assert "from 0 to 15" in error.inner_text()
    # What was found for other numbers is not there any more.
    assert not one.id("bracket").is_visible() and not one.id("density-card").is_visible()
    field = one.id("epsilon")
    assert field.get_attribute("aria-invalid") == "true"
    assert field.get_attribute("aria-describedby") == error.get_attribute("id")
    assert one.page.evaluate("document.activeElement.id") == "epsilon"
    assert axe(one.page) == []
    # A constraint that only the search can refuse, in a part of the form that was closed.
    field.fill("1")
    one.page.locator("#constraints summary").click()
    one.id("max-error").fill("0.1")
    one.id("max-error").press("Enter")
    one.page.locator("#constraints .error").wait_for()
    assert "support of at least 3 in width" in one.text("constraints")
    assert error.count() == 0
    one.id("max-error").fill("")
    one.id("dimension").fill("1.5")
    one.id("dimension").press("Enter")
    one.page.locator("label:has(#dimension) ~ .error, label:has(#dimension) + .error").wait_for()


def test_a_range_with_its_slider(opened):
    one = opened("#design?ranged=1&sensitivity=2&delta=0.2&gap=0.05")
    one.designed()
    one.page.locator("#family-plot canvas").wait_for()
    before = one.text("family-words")
    one.id("family-slider").focus()
    one.page.keyboard.press("End")
    assert one.text("family-value") == "4" and one.text("family-words") != before
    assert "the best additive noise" in one.text("losses")
    assert axe(one.page) == []


def test_a_vector_with_its_radial_law_and_a_slow_one_that_is_stopped(opened):
    one = opened(SLOW_DESIGN)
    one.page.locator("#bracket-plot canvas").wait_for()  # it closes while one looks
    assert "Searching" in one.text("design-state") and "so far" in one.text("bracket-words")
    # The page is usable meanwhile.
    one.page.get_by_role("link", name="Verify").click()
    one.id("title-verify").wait_for()
    one.page.get_by_role("link", name="Design").click()
    one.id("design-stop").click()
    one.designed()
    assert "so far" in one.text("design-state")
    one.page.locator("#radial-plot canvas").wait_for()
    assert "exponential (K-norm) noise" in one.text("losses")
    one.id("design-stop").wait_for(state="hidden")


def bounded(question, column: str, low: str, high: str) -> None:
    question.get_by_label("Column").select_option(column)
    question.get_by_label("Smallest value").fill(low)
    question.get_by_label("Largest value").fill(high)


def test_questions_to_the_demo_table(opened, tmp_path):
    one = opened()
    page = one.page
    one.page.get_by_text("data.csv: person_id, salary, region.").wait_for()  # named at the start
    one.id("demo").click()
    page.get_by_text("the demo table: person_id").wait_for()
    one.id("unit").select_option("person_id")
    one.id("neighbors").select_option("add-remove")
    assert one.text("rows-name") == "Number of rows, about" and one.id("rows").input_value() == ""
    first = page.get_by_role("group", name="Query 1")
    first.get_by_label("What").select_option("count")
    first.get_by_text("Filter rows, or group by a column").click()
    first.get_by_label("Groups by").select_option("region")
    first.get_by_label("Groups, separated by commas").fill("north, south")
    first.get_by_label("Only rows where").fill("year = 2024")
    assert one.id("group-rows").is_visible() and one.id("group-rows").input_value() == ""
    # (A plan goes down to an eighth of epsilon: little is slow.)
    for name, value in {
        "max-rows-per-group": 3,
        "max-groups": 2,
        "rows": 1000,
        "ask-epsilon": 8,
    }.items():
        one.id(name).fill(str(value))
    one.id("add-question").click()
    _histogram_without_and_with_bounds(one)
    one.id("plan").click()
    page.get_by_text("No row was read and no budget was spent.").wait_for()
    assert "count() where year = 2024 by region" in one.text("plan-table")
    page.locator("#plan-plot canvas").wait_for()
    told = one.text("plan-table")
    one.id("epsilon-slider").focus()
    page.keyboard.press("ArrowLeft")
    assert one.id("ask-epsilon").input_value() == "7.1" and one.text("plan-table") != told
    one.id("ask-epsilon").fill("1")
    one.id("ask-go").click()
    assert "Rows by age." in one.text("sure")
    for box in page.locator("#sure input").all():
        assert one.id("sure-yes").is_disabled()
        box.check()
    one.id("sure-yes").click()
    page.get_by_text("Answered. You may publish all of this.").wait_for()
    _answers_and_what_to_take(one, tmp_path)
    # The address holds the questions and nothing of the table.
    assert "region" in page.url and not any(secret in page.url for secret in SECRETS)
    assert not any(secret in page.content() for secret in SECRETS)
    assert axe(page) == []


def _histogram_without_and_with_bounds(one) -> None:
    second = one.page.get_by_role("group", name="Query 2")
    second.get_by_label("What").select_option("histogram")
    second.get_by_label("Column").select_option("age")
    one.id("plan").click()
    # Bounds are missing, and that is said where they belong, before anything is sent.
    assert second.locator(".error").all_inner_texts() == [
        "State the smallest possible value.",
        "State the largest possible value.",
    ]
    bounded(second, "age", "20", "70")


def _answers_and_what_to_take(one, tmp_path) -> None:
    page = one.page
    assert page.locator(".answer").count() == 2
    assert "north" in page.locator(".answer").nth(0).inner_text()
    bars = page.locator(".answer").nth(1)
    assert bars.locator("rect.bar").count() == 10 and bars.locator(".whisker").count() == 30
    assert bars.locator("text", has_text="age").count() == 1
    assert "charge" in one.text("ledger-words")
    report = saved(one, "take-report", tmp_path / "report.html").decode()
    assert "Private answers" in report and saved(one, "take-script", tmp_path / "s.py")
    assert json.loads(saved(one, "take-notebook", tmp_path / "n.ipynb"))["nbformat"] == 4
    page.locator(".answer summary", has_text="its proof").first.click()
    with page.expect_download() as coming:
        page.locator(".answer [data-file]").first.click()
    coming.value.save_as(tmp_path / "proof.json")
    assert check_file(tmp_path / "proof.json").proven


OLD_BOOKMARK = '#ask?questions=[{"kind":"mean","column":"salary","low":"120","high":"190"}]'


def test_a_teacher_from_a_class_list_to_a_published_mean(browser, tmp_path):
    """Semicolons, decimal commas, another encoding, and a question about another table before."""
    marks = [4.25, 3.5, 2.75, 5, 3.25, 4, 3, 4.5, 3.75, 2.5, 3.5, 4] * 2
    lines = [f"Quellnymphe {k};{str(mark).replace('.', ',')}" for k, mark in enumerate(marks)]
    path = tmp_path / "klasse.csv"
    path.write_bytes("\r\n".join(["Schüler;Note", *lines, ""]).encode("cp1252"))
    with running(tmp_path) as server:
        one = Opened(browser, server)
        one.go(OLD_BOOKMARK)
        page = one.page
        one.id("upload").set_input_files(path)
        one.id("error-table").wait_for()
        assert "choose Windows-1252 under Encoding" in one.text("error-table")
        one.id("csv-encoding").select_option("cp1252")
        page.get_by_text("klasse.csv: Schüler, Note.").wait_for()
        assert one.id("csv-delimiter").input_value() == ";"  # as the first line shows
        # A column that the table lacks is neither planned nor asked.
        for button in ("plan", "ask-go"):
            one.id(button).click()
            error = page.get_by_role("group", name="Query 1").locator(".error")
            assert error.inner_text().startswith("The table has no column salary")
        assert page.get_by_text("how decimals are written in this file").is_visible()
        one.id("csv-decimal").select_option(",")
        page.get_by_text("3,7 is a number").wait_for()
        bounded(page.get_by_role("group", name="Query 1"), "Note", "1", "6")
        assert page.get_by_text("Is every Note from 1 to 6?").is_visible()
        assert (
            page.locator(".clamped svg").get_attribute("aria-label").endswith("larger ones as 6.")
        )
        one.id("rows").fill("24")
        one.id("plan").click()
        page.get_by_text("Planned. No row was read and no budget was spent.").wait_for()
        assert "± 0.5" in one.text("plan-table") and page.locator("#plan-table .whisker").count()
        one.id("ask-go").click()
        assert "every Note lies between 1 and 6; a number is written like 3,5" in one.text("sure")
        assert "A ledger is created first, with epsilon 3" in one.text("sure")
        assert one.id("sure-yes").is_disabled()
        page.locator("#sure input").check()
        one.id("sure-yes").click()
        page.get_by_text("Answered. You may publish all of this.").wait_for()
        assert page.locator(".batch").inner_text().startswith("klasse.csv, answered at ")
        told = page.locator(".answer blockquote").inner_text()
        mean, low, high = (float(x) for x in re.search(_PUBLISHED, told).groups())
        assert low <= mean <= high and high - low < 2.5 and 1.5 < mean < 5.5  # exactly 3.67
        shown = page.locator(".answer-value").inner_text().split()[0]
        assert re.fullmatch(r"\d\.\d\d?", shown)  # 3.7, not 3.6714
        page.get_by_text("Left: epsilon 2 of 3").wait_for()
        held = json.loads(saved(one, "take-json", tmp_path / "report.json"))
        assert held["batches"][0]["answers"][0]["query"] == "mean(Note)" and held["epsilon"] == "1"
        assert SECRETS[1] not in page.content() + json.dumps(held) + page.url
        assert axe(page) == []
        one.close()


@pytest.mark.parametrize("width", [1180, 390])
def test_an_error_stands_below_its_field_and_leaves_the_row_as_it_is(opened, width):
    one = opened(QUICK, viewport={"width": width, "height": 500})
    page, epsilon = one.page, one.id("epsilon")

    def tops():  # in one look: the page may be scrolling
        return page.evaluate("""['epsilon', 'delta'].map(
            (id) => document.getElementById(id).getBoundingClientRect().top
        )""")

    epsilon_top, delta_top = tops()
    assert epsilon_top == delta_top
    for _ in range(2):  # a second refusal stands where the first did
        epsilon.fill("-1")
        page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        one.id("design-form").evaluate("form => form.requestSubmit()")
        words = page.get_by_text("epsilon must be from 0 to 15")
        words.wait_for()
        epsilon_top, delta_top = tops()
        assert epsilon_top == delta_top
        bar = page.locator("header").bounding_box()["height"]
        page.wait_for_function(
            "bar => document.activeElement.getBoundingClientRect().top >= bar", arg=bar
        )
        field, told = epsilon.bounding_box(), words.bounding_box()
        assert told["y"] >= field["y"] + field["height"] and abs(told["x"] - field["x"]) < 2
        assert told["x"] + told["width"] <= field["x"] + field["width"] + 2
        assert page.locator("#design-form .error:visible").count() == 1
    assert axe(page) == []


def test_numbers_have_the_digits_that_their_interval_supports(opened):
    """By one rule, here and in Python."""
    one = opened("#glossary?term=epsilon")
    assert axe(one.page) == []
    cases = {
        "33871.142, 33525.2, 34217.1": "33,871 ± 347 (33,525 to 34,218)",
        "3.6714, 3.1967, 4.1461": "3.7 (3.1 to 4.2)",
        "0.4231, 0.3001, 0.5461": "0.42 ± 0.13 (0.30 to 0.55)",
        "26059253.3, 24825253.3, 27293253.3": "26,060,000 ± 1,240,000 (24,820,000 to 27,300,000)",
        "1236, 1191, 1281": "1,236 ± 45 (1,191 to 1,281)",
        "-0.02, -3.4, 3.4": "0 (-4 to 4)",
        "3, 0, 7": "3 (0 to 7)",
        "9873.4, 5000, 200000000000": "9,900 (5,000 to 200,000,000,000)",
        "5, 5, 5": "5 ± 0 (5 to 5)",
    }
    told = one.page.evaluate(
        """async (cases) => {
          const { measured } = await import("/static/words.js");
          const show = (m) => `${m.value}${m.even ? ` ± ${m.margin}` : ""} (${m.low} to ${m.high})`;
          return cases.map((one) => show(measured(...one.split(", ").map(Number))));
        }""",
        list(cases),
    )
    assert told == list(cases.values())
    rng, many = random.Random(1), []
    for _ in range(2000):
        size, margin = 10 ** rng.uniform(-6, 12), 10 ** rng.uniform(-7, 9)
        digits = rng.choice([0, 1, 2, 6, 17])
        value = round(rng.choice([0, size, -size]), digits)
        many.append(
            (
                value,
                round(value - margin, digits),
                round(value + rng.uniform(0, 1) * margin, digits),
            )
        )
    many = [one for one in many if one[1] < one[2]]
    told = one.page.evaluate(
        """async (many) => {
          const { measured } = await import("/static/words.js");
          return many.map((one) => measured(...one)).map((m) => [m.value, m.low, m.high]);
        }""",
        many,
    )
    for numbers, page in zip(many, told, strict=True):
        assert rounded(Estimate(*numbers)) == tuple(x.replace(",", "") for x in page), numbers


_PUBLISHED = (
    r"^Mean of Note: ([\d.]+),? .*95% confidence interval ([\d.]+) to ([\d.]+); .* epsilon 1"
)


def test_a_plan_that_was_asked_for_while_the_table_was_read_comes(opened):
    """It was forgotten when the columns came, and nothing said so."""
    one = opened("#ask")
    page, held = one.page, []
    page.get_by_text("data.csv: person_id, salary, region.").wait_for()
    question = page.get_by_role("group", name="Query 1")
    question.get_by_label("Column").select_option("salary")
    question.get_by_label("Smallest value").fill("30")
    question.get_by_label("Largest value").fill("50")
    one.id("rows").fill("200")
    one.id("ask-epsilon").fill("8")  # (little is slow)
    page.route("**/columns?*", lambda route: held.extend([route]))
    with page.expect_request("**/columns?*"):
        one.id("csv-decimal").select_option(",")
    one.id("plan").click()
    page.get_by_text(re.compile("^Plann(ing|ed)")).wait_for()  # (it may be quick)
    held.pop().continue_()
    page.get_by_text("Planned. No row was read").wait_for()
    page.get_by_text("3,7 is a number").wait_for()


def test_margins_are_typed_and_epsilon_is_the_result(opened):
    one = opened("#ask")
    page = one.page
    page.get_by_text("data.csv: person_id, salary, region.").wait_for()
    question = page.get_by_role("group", name="Query 1")
    question.get_by_label("What").select_option("count")
    question.get_by_label("Margin of error, at most").fill("5")
    one.id("rows").fill("200")
    assert one.id("ask-epsilon").is_disabled() and one.id("epsilon-slider").is_disabled()
    one.id("ask-go").click()  # its epsilon is not known yet
    assert "Find the smallest epsilon first" in one.text("ask-form")
    one.id("plan").click()
    page.get_by_text("is the smallest that keeps your margins").wait_for()
    assert "No mechanism keeps them below epsilon 0.33" in one.text("plan-state")
    epsilon = float(one.id("ask-epsilon").input_value())
    assert 0.33 < epsilon < 1 and "± 5" in one.text("plan-table")
    question.get_by_label("Margin of error, at most").fill("")
    one.id("rows").press("Tab")
    assert not one.id("ask-epsilon").is_disabled() and one.id("plan-table").is_hidden()


def test_the_latest_choice_of_a_table_is_the_one_that_is_shown(opened):
    """Two choices that overlap left the ledger of one table beside the name of the other."""
    one = opened("#ask")
    page, held = one.page, []
    page.get_by_text("data.csv: person_id, salary, region.").wait_for()
    page.route("**/api/tables/demo/columns", lambda route: held.extend([route]))
    one.id("demo").click()
    page.wait_for_function("document.getElementById('columns').textContent.startsWith('Reading')")
    deadline = time.monotonic() + 60
    while not held and time.monotonic() < deadline:
        page.wait_for_timeout(20)
    one.id("given").click()
    page.get_by_text("data.csv: person_id, salary, region.").wait_for()
    before = one.text("view-ask")
    with page.expect_response("**/api/tables/demo/columns"):
        held[0].continue_()
    page.wait_for_timeout(300)
    assert one.text("view-ask") == before and "synthetic" not in before
    # Addresses that name what every object of the language has lead to a view, too.
    page.evaluate('location.hash = \'#ask?questions=[{"kind":"constructor"}]\'')
    page.evaluate("location.hash = '#constructor'")
    page.locator("#view-design:not([hidden])").wait_for()


def test_a_table_of_ones_own(browser, tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("person,height\n" + "".join(f"{k},{150 + k % 40}\n" for k in range(80)))
    with running(tmp_path) as server:  # one whose ledger nobody has made yet
        one = Opened(browser, server)
        one.go("#ask")
        one.page.locator("#upload").set_input_files(path)
        one.page.get_by_text("own.csv: person, height.").wait_for()
        one.id("ledger-epsilon").fill("x")
        one.id("ledger-create").click()
        one.page.locator("label:has(#ledger-epsilon) + .error").wait_for()
        one.id("ledger-epsilon").fill("3")
        one.id("ledger-create").click()
        one.id("ledger-words").wait_for()
        path.write_text(path.read_text() + "\n")  # another file, and the same ledger
        one.page.locator("#upload").set_input_files(path)
        one.page.get_by_text("Reading the names").wait_for(state="detached")
        assert one.id("ledger-words").is_visible() and not one.id("ledger-new").is_visible()
        assert "All tables here share this ledger" in one.text("ledger-lasts")
        # The page says when another ledger is right, and that it is another one.
        one.id("ledger-again").click()
        assert "only if this table is about other people" in one.text("ledger-why")
        one.id("ledger-create").click()
        one.page.get_by_text("Ledger 2 of this session. Left: epsilon 3 of 3").wait_for()
        path.write_text(",\n1,2\n")
        one.page.locator("#upload").set_input_files(path)
        one.id("error-table").wait_for()
        told = one.text("error-table")
        assert "names of its columns" in told and str(tmp_path) not in told
        one.close()


def test_a_file_is_verified_or_refused(opened, tmp_path, server):
    started, _ = server.designed()
    good = server.file(started["job"]["job"], "mechanism.json")
    one = opened("#verify")
    (tmp_path / "good.json").write_bytes(good)
    one.id("verify-file").set_input_files(tmp_path / "good.json")
    one.page.get_by_role("heading", name="Everything that this file claims is proven.").wait_for()
    assert one.page.locator("#claims .proven").count() >= 4
    one.page.get_by_text(re.compile("checker in this browser: Proven: a release is ")).wait_for()
    assert axe(one.page) == []
    with one.page.expect_download() as held:  # the checker as a page of its own, without a server
        one.id("save-checker").click()
    held.value.save_as(tmp_path / "checker.html")
    alone = one.page.context.browser.new_page()
    alone.goto((tmp_path / "checker.html").as_uri())
    alone.locator("input").set_input_files(tmp_path / "good.json")
    alone.get_by_text(re.compile("good.json: Proven: a release is ")).wait_for()
    alone.close()
    raw = json.loads(good)
    raw["delta"] = "0.1"
    one.page.evaluate(  # dropped, not chosen
        """text => {
          const held = new DataTransfer();
          held.items.add(new File([text], "forged.json"));
          document.getElementById("drop").dispatchEvent(
            new DragEvent("drop", { dataTransfer: held, bubbles: true, cancelable: true }));
        }""",
        json.dumps(raw),
    )
    one.page.get_by_role("heading", name=re.compile("refuted: do not use it")).wait_for()
    assert "refuted" in one.text("claims")
    (tmp_path / "bad.json").write_text("[]")
    one.id("verify-file").set_input_files(tmp_path / "bad.json")
    one.page.get_by_role(
        "heading", name="This is neither a mechanism file nor a report."
    ).wait_for()


def test_the_page_of_a_report_is_verified_in_the_app_and_by_itself(opened, tmp_path):
    people = pd.DataFrame({"age": [20 + k % 60 for k in range(300)]})
    answers = ask_all(people, [Count(), Mean("age", low=0, high=100)], epsilon=1)
    report(answers, tmp_path / "report.html", title="People")
    one = opened("#verify")
    for name in ("report.json", "report.html"):
        one.id("verify-file").set_input_files(tmp_path / name)
        one.page.get_by_text(f"{name}: Every step from the numbers").wait_for()
        assert "(1, 0)-DP for the privacy unit" in one.text("claims-words")
        one.page.get_by_text(
            "checker in this browser: Checked in part: the report has its hash"
        ).wait_for()
    alone = one.page.context.browser.new_page()
    asked = []
    alone.on("request", lambda request: asked.append(request.url))
    alone.goto((tmp_path / "report.html").as_uri())
    alone.get_by_role("button", name="Check this report in the browser").click()
    alone.get_by_text("This report: Checked in part: the report has its hash").wait_for()
    assert alone.locator("#checker td").filter(has_text="refuted").count() == 0
    assert asked == [(tmp_path / "report.html").as_uri()]  # nothing else was asked for
    alone.close()


def test_on_a_phone_and_in_the_dark(opened):
    one = opened(QUICK, viewport=PHONE, color_scheme="dark", has_touch=True)
    one.designed()
    one.page.locator("#profile-plot canvas").wait_for()
    for plot in one.page.locator(".plot.drawn").all():
        if plot.is_visible():  # as wide as its card, and no wider
            drawn, room = plot.locator("canvas").bounding_box(), plot.bounding_box()
            assert 0.6 * room["width"] < drawn["width"] <= room["width"]
    for view in ("Design", "Ask", "Verify", "Glossary"):
        one.page.get_by_role("link", name=view, exact=True).click()
        one.id(f"view-{view.lower()}").wait_for()
        tables = one.page.locator(".scroll:visible")  # nor does a table run off
        fit = "all => all.every(one => one.scrollWidth <= one.clientWidth)"
        assert tables.evaluate_all(fit), view
        wide = one.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= PHONE["width"], (view, wide)
        paper = one.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert sum(map(int, re.findall(r"\d+", paper)[:3])) < 150
        assert axe(one.page) == [], view


def test_with_the_keyboard_alone(opened):
    one = opened(QUICK)
    one.designed()
    one.page.keyboard.press("Tab")
    assert one.page.evaluate("document.activeElement.className") == "skip"
    one.page.keyboard.press("Enter")
    one.page.keyboard.press("Tab")
    assert one.page.evaluate("document.activeElement.id") == "epsilon"
    one.page.keyboard.type("2")
    for _ in range(4):
        one.page.keyboard.press("Tab")
    assert one.page.evaluate("document.activeElement.id") in ("loss", "integer")
    with one.page.expect_request("**/api/design") as sent:
        one.id("epsilon").press("Enter")
    assert sent.value.post_data_json["epsilon"] == "2"
    one.designed()


def test_the_key_stays_in_the_tabs_of_this_page(opened, server):
    """Reloaded, in a second tab, and with an address that was used: in another browser."""
    one = opened("#verify")
    one.id("title-verify").wait_for()
    assert one.page.url == f"{server.base}/#verify"
    one.page.reload()
    one.id("title-verify").wait_for()
    assert one.context.cookies() == []
    second = one.context.new_page()  # it asks the first one
    second.goto(f"{server.base}/#ask")
    second.get_by_text("data.csv: person_id, salary, region.").wait_for()
    # Another server of this machine sees nothing of it.
    with running(server.folder) as other:
        second.goto(f"{other.base}/#verify")
        second.locator("#title-closed").wait_for()
        assert second.evaluate("sessionStorage.length") == 0
        second.goto(other.address() + "#verify")
        second.locator("#title-verify").wait_for()
        first = second
    # That server is gone; another at its port would have another key.
    first.get_by_role("link", name="Design").click()
    first.locator("#design-state").wait_for()


def test_another_server_at_the_same_address_leaves_nothing_of_the_first(browser, tmp_path):
    """Its table and its ledger stood there still, and belonged to nobody."""
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(20_000)
    with running(tmp_path, str(table(tmp_path / "first.csv"))) as one:
        port = one.port
        page.goto(one.address() + "#ask")
        page.get_by_text("first.csv: person_id, salary, region.").wait_for()
    with running(tmp_path, str(table(tmp_path / "second.csv")), port=port) as two:
        page.evaluate("address => { location.hash = address }", two.address().partition("#")[2])
        page.get_by_text("second.csv: person_id, salary, region.").wait_for()
        assert page.get_by_text("first.csv").count() == 0
    context.close()


def test_no_label_of_a_guess_is_printed_over_another(opened):
    """89% stood on 100%."""
    one = opened()
    for epsilon in (0.1, 1, 1.3, 1.6, 2.1, 2.6, 6):
        one.page.goto(f"{one.page.url.partition('#')[0]}#ask?ask-epsilon={epsilon}")
        one.page.reload()
        one.id("bet-words").wait_for()
        boxes = one.page.evaluate(
            """() => [...document.querySelectorAll("#view-ask svg")].filter((svg) =>
              svg.textContent.includes("blind guess")).flatMap((svg) => [...svg.querySelectorAll(
              "text")].filter((text) => text.textContent).map((text) => {
                const { left, right, top } = text.getBoundingClientRect();
                return [left, right, top];
              }))"""
        )
        assert len(boxes) >= 3
        for i, (left, right, top) in enumerate(boxes):
            for other in boxes[:i]:
                apart = right <= other[0] or other[1] <= left or abs(top - other[2]) > 8
                assert apart, (epsilon, boxes)


def test_without_a_key_the_page_says_how_to_get_one(browser, server):
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(20_000)
    used = server.address()
    page.goto(used)
    page.locator("#title-ask").wait_for()  # who names a table at the start comes to ask
    context.close()
    context = browser.new_context()
    page = context.new_page()
    page.goto(used + "#verify")  # somebody found it in a history
    page.locator("#title-closed").wait_for()
    assert axe(page) == []
    page.locator("#closed-address").fill(used)
    page.get_by_role("button", name="Open").click()
    page.locator("#closed-error").wait_for()
    page.locator("#closed-address").fill(server.address())
    page.get_by_role("button", name="Open").click()
    page.locator("#title-verify").wait_for()
    # The key is not good any more: back to the beginning, with words.
    page.evaluate("sessionStorage.setItem('leastnoise-key', 'x')")
    page.reload()
    page.locator("#title-closed").wait_for()
    context.close()


def test_a_browser_that_is_opened_by_the_command(browser, tmp_path):
    """The file on its command line leads to the page, once."""
    said = tmp_path / "said"
    script = tmp_path / "browser"
    script.write_text(f"#!/bin/sh\necho $1 > {said}.part; mv {said}.part {said}\n")
    script.chmod(0o700)
    with running(tmp_path, BROWSER=f"{script} %s"):
        deadline = time.monotonic() + 10
        while not said.exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        context = browser.new_context()
        page = context.new_page()
        page.goto(said.read_text().strip())
        page.locator("#design-state").wait_for()
        assert page.url.startswith("http://127.0.0.1:") and "enter" not in page.url
        context.close()


@pytest.mark.slow
def test_twenty_tabs(opened):
    """Each asks for a slow design; the last one still answers, and what waits can be stopped."""
    first = opened(SLOW_DESIGN)
    tabs = [first.context.new_page() for _ in range(19)]
    for tab in tabs:
        tab.goto(first.server.base + "/" + SLOW_DESIGN, wait_until="commit")
    last = tabs[-1]
    last.locator("#design-state", has_text=re.compile("Waiting|Searching")).wait_for(timeout=60_000)
    last.locator("#design-stop").click()
    last.get_by_text(re.compile("Stopped|so far")).wait_for(timeout=60_000)
    for tab in tabs:
        tab.close()
