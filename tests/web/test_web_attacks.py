"""What somebody might try: huge, tiny, malformed, elsewhere, too many, too slow, and gone again."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from web_server import SECRETS

ASKED = {"epsilon": "1", "delta": "0.2", "sensitivity": "1", "gap": "0.05"}
NASTY = [
    *(
        "NaN",
        "inf",
        "-inf",
        "1e400",
        "-1e400",
        "1e-400",
        "1e401",
        "0x10",
        "1_000",
        "１",
        "1/0",
        " ",
    ),
    *("1" * 60, "1/" + "9" * 58, "0." + "0" * 57 + "1", "__import__('os')", "$(id)", "𝟙", "-0"),
]


def fine(answer) -> None:
    """Refused or done, in JSON, and never an error of the server's own."""
    assert answer.status_code < 500, answer.text
    if answer.status_code >= 400:
        for error in answer.json()["errors"]:
            assert set(error) == {"field", "message"} and error["message"]
            assert "Traceback" not in error["message"]


def raw(server, data: bytes, wait: float = 5.0, enough: bytes = b"") -> bytes:
    """Bytes as they are, and what comes back: all of it, or until there is `enough`."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=wait) as line:
        held = b""
        with contextlib.suppress(OSError):  # it was closed before all was sent, or says nothing
            line.sendall(data)
            while chunk := line.recv(65536):
                held += chunk
                if enough and enough in held:
                    break
        return held


def head(server, more: str = "") -> str:
    return f"Host: 127.0.0.1:{server.port}\r\nX-Leastnoise-Key: {server.key}\r\n{more}"


@pytest.mark.parametrize(
    "field", ["epsilon", "delta", "sensitivity", "gap", "max_error", "unimodal", "distinguishing"]
)
def test_numbers_that_are_none_or_far_too_large(server, field):
    for value in NASTY:
        answer = server.design(**{field: value})
        fine(answer)
        if answer.status_code == 202:
            server.client.delete(f"/api/jobs/{answer.json()['job']['job']}")


def test_bounds_supports_and_losses_that_are_far_too_large(server):
    for value in ("NaN", "1e400", "-1e400", "1e-400", "1" * 60):
        for changes in (
            {"bounds": ["0", value]},
            {"bounds": [value, "1"]},
            {"support": [value, None]},
            {"loss": {"kind": "huber", "parameter": value}},
            {"loss": {"kind": "power", "parameter": value}},
            {"loss": {"kind": "piecewise", "points": [["0", value]], "slopes": ["-1", "1"]}},
            {"loss": {"kind": "piecewise", "points": [["0", "0"]], "slopes": ["-1", value]}},
            {"second_loss": "l2", "second_bound": value},
        ):
            answer = server.design(**changes)
            fine(answer)
            if answer.status_code == 202:
                server.client.delete(f"/api/jobs/{answer.json()['job']['job']}")


def test_bodies_that_are_no_requests(server):
    deep = b"[" * 100_000 + b"]" * 100_000
    for body in (
        b"",
        b"null",
        b"[]",
        b"{",
        b"\xff\xfe",
        b'{"epsilon": NaN}',
        b'{"epsilon": 1}',
        b'{"releases": 1' + b"0" * 5000 + b"}",
        b'{"epsilon": "\\ud800", "delta": "0", "sensitivity": "1"}',
        b'{"epsilon": "1\\u0000", "delta": "0", "sensitivity": "1"}',
        json.dumps(ASKED | {"loss": {"kind": "l1", "points": [["0", "0"]] * 5000}}).encode(),
        deep,
    ):
        answer = server.client.post(
            "/api/design", content=body, headers={"content-type": "application/json"}
        )
        fine(answer)
        assert answer.status_code in (400, 413, 422)
    # What was sent is not sent back.
    told = server.client.post("/api/design", json=ASKED | {"epsilon": ["Quellnymphe"]})
    assert told.status_code == 422 and "Quellnymphe" not in told.text


def test_no_loss_is_read_from_a_file(server, tmp_path):
    """`piecewise:FILE` is for the command line; a page must not name files of this machine."""
    held = tmp_path / "loss.json"
    held.write_text('{"name": "piecewise", "points": [["0", "0"]], "slopes": ["-1", "1"]}')
    for changes in (
        {"second_loss": f"piecewise:{held}", "second_bound": "9"},
        {"loss": {"kind": "pinball", "parameter": f"0.5:{held}"}},
        {"loss": {"kind": f"piecewise:{held}"}},
    ):
        answer = server.design(**changes)
        assert answer.status_code == 422 and "Errno" not in answer.text


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static//etc/passwd",
        "/static/vendor/../../settings.py",
        "/api/jobs/../../etc/passwd",
        "/api/jobs/{job}/files/..%2f..%2fetc%2fpasswd",
        "/api/jobs/{job}/files/%2e%2e",
        "/api/jobs/{job}/files/given.json",
        "/api/jobs/..%2f{job}/files/mechanism.json",
        "/api/tables/..%2f..%2fdata.csv/columns",
        "/api/tables/%00/columns",
    ],
)
def test_no_path_leads_out_of_the_folder(server, path):
    job = server.client.post("/api/verify", content=b"{}").json()["job"]
    asked = f"GET {path.format(job=job)} HTTP/1.1\r\n{head(server, 'Connection: close')}\r\n\r\n"
    answer = raw(server, asked.encode())
    assert answer.split(b" ")[1] in (b"404", b"400", b"405"), answer[:200]
    assert b"root:" not in answer and b"class Settings" not in answer


def test_names_of_uploads_are_only_names(server):
    for name in ("../../../tmp/evil.csv", "/etc/cron.d/x.csv", "a\x00b.csv", "..\\..\\x.csv"):
        answer = server.client.post(
            "/api/tables/upload", params={"name": name}, content=f"a,b\n1,{name!r}\n".encode()
        )
        fine(answer)
        if answer.status_code == 200:
            assert "/" not in answer.json()["name"] and "\x00" not in answer.json()["name"]
    assert not Path("/tmp/evil.csv").exists()


def test_what_is_too_large_is_refused_before_it_is_read(server):
    for path, size in (
        ("/api/design", 300_000),
        ("/api/verify", 9_000_000),
        ("/api/tables/upload?name=x.csv", 201_000_000),
    ):
        said = head(server, f"Content-Length: {size}\r\nContent-Type: application/json")
        answer = raw(server, f"POST {path} HTTP/1.1\r\n{said}\r\n\r\n".encode(), enough=b"\r\n")
        assert answer.split(b" ")[1] == b"413"
    # Also where nobody says beforehand how much will come.
    chunk = b"%x\r\n" % 200_000 + b" " * 200_000 + b"\r\n"
    said = head(server, "Transfer-Encoding: chunked\r\nContent-Type: application/json")
    request = f"POST /api/design HTTP/1.1\r\n{said}\r\n\r\n".encode() + chunk * 2
    answer = raw(server, request, enough=b"\r\n")
    assert answer.split(b" ")[1] in (b"413", b"400")


def test_a_broken_upload_leaves_nothing(server):
    said = head(server, "Content-Length: 1000\r\nContent-Type: application/octet-stream")
    before = server.client.get("/api/tables").json()
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as line:
        line.sendall(
            f"POST /api/tables/upload?name=x.csv HTTP/1.1\r\n{said}\r\n\r\na,b\n1,".encode()
        )
    time.sleep(0.2)
    assert server.client.get("/api/tables").json() == before


def test_requests_that_are_not_http(server):
    for data in (b"\x16\x03\x01\x02\x00", b"GET\r\n\r\n", b"\x00" * 2000, b"A" * 100_000):
        raw(server, data, 0.5)
    # A head without an end is not kept: whoever connects could fill the memory with it.
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nX: ")
        with pytest.raises(OSError):
            for _ in range(300):
                line.sendall(b"a" * 65536)
    assert server.client.get("/api/tables").status_code == 200


def processes(server) -> int:
    """Children of the server."""
    found = 0
    for one in Path("/proc").iterdir():
        if one.name.isdigit():
            try:
                found += int((one / "stat").read_text().rpartition(")")[2].split()[1]) == (
                    server.process.pid
                )
            except (OSError, ValueError, IndexError):
                continue
    return found


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="there is no /proc to count processes in")
def test_fifty_slow_designs_at_once(server):
    """As many as twenty tabs and more: few processes, a bounded queue, and a page that answers."""
    slow = ASKED | {"delta": "0.1", "gap": "1e-9", "time_limit": 300}
    with ThreadPoolExecutor(10) as many:
        answers = list(many.map(lambda _: server.client.post("/api/design", json=slow), range(60)))
    codes = [answer.status_code for answer in answers]
    assert set(codes) == {202, 429} and codes.count(202) >= 40
    assert "try again" in next(a for a in answers if a.status_code == 429).text
    most = max(2, min(4, os.cpu_count() or 2)) + 1
    assert processes(server) <= most
    assert server.client.get("/").status_code == 200
    # A check has a worker of its own, and does not wait for any of them.
    check = server.client.post("/api/verify", content=b"{}").json()["job"]
    *_, (name, data) = server.events(check)
    assert (name, data["exit_code"]) == ("done", 2)
    for answer in reversed(answers):
        if answer.status_code == 202:
            server.client.delete(f"/api/jobs/{answer.json()['job']['job']}")
    # And then the next design is made as if nothing had been.
    _, told = server.designed()
    assert told["design"]["certified"]


def test_listeners_that_go_away(server):
    """A tab that closes in the middle of a stream disturbs nobody, and may come back."""
    job = server.design(dimension=3, gap="0.1", delta="0.1").json()["job"]["job"]
    for _ in range(20):
        with server.client.stream("GET", f"/api/jobs/{job}/events") as answer:
            assert answer.status_code == 200
    events = list(server.events(job))
    names = [name for name, _ in events]
    assert names[0] == "running" and names[-1] == "done" and "design" in names, events[-1]
    # From where it was left off.
    seen = server.client.get(f"/api/jobs/{job}/events", headers={"last-event-id": "0"}).text
    assert "event: running" not in seen and "event: design" in seen
    for bad in ("x", "-1", "99999999999", "1e3"):
        fine(server.client.get(f"/api/jobs/{job}/events", headers={"last-event-id": bad}))


def test_stopping_twice_what_is_over_and_what_never_was(server):
    job = server.client.post("/api/verify", content=b"{}").json()["job"]
    list(server.events(job))
    for _ in range(2):
        assert server.client.delete(f"/api/jobs/{job}").json()["state"] == "done"
    assert server.client.delete("/api/jobs/nothing").status_code == 404


def test_hostile_names_of_columns_and_groups(server):
    header = '"<img src=x onerror=alert(1)>","a; drop table t","{{7*7}}"'
    up = server.client.post(
        "/api/tables/upload", params={"name": "<b>.csv"}, content=f"{header}\n1,2,3\n".encode()
    )
    one = up.json()["id"]
    columns = server.client.get(f"/api/tables/{one}/columns").json()["columns"]
    assert columns[0]["name"].startswith("<img")
    fresh = {"epsilon": "9", "fresh": True}  # whatever others have asked before
    assert server.client.post(f"/api/tables/{one}/ledger", json=fresh).status_code == 201
    evil = "<script>alert(1)</script>"
    breaking = ["1", "');alert(1)#", '"""+alert(1)+"""', "\\'+alert(1)+\\'", "{alert(1)}"]
    form = {
        "queries": [{"kind": "count", "by": columns[0]["name"], "keys": [evil, *breaking]}],
        "epsilon": "1",
    }
    job = server.client.post(f"/api/tables/{one}/ask", json=form).json()["job"]
    *_, (name, data) = server.events(job)
    assert name == "done", data
    page = server.file(job, "report.html").decode()
    assert evil not in page and "&lt;script&gt;" in page
    assert page.count("<img") == page.count('src="data:image/png;base64,') == 1  # its picture
    # In the script every name is a text: nothing but what is always called is called.
    for name in ("script.py", "notebook.ipynb"):
        text = server.file(job, name).decode()
        if name.endswith("ipynb"):
            cells = json.loads(text)["cells"]
            assert not any("alert" in "".join(c["source"]) for c in cells if "outputs" not in c)
            text = "\n".join("".join(c["source"]) for c in cells if "outputs" in c)
        tree = ast.parse(text)
        called = {ast.unparse(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
        assert called <= {
            "Path",
            "where.exists",
            "Ledger.create",
            "Ledger",
            "ask_all",
            "Count",
            "print",
        }
        texts = {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)}
        assert {*form["queries"][0]["keys"], columns[0]["name"]} <= texts


def test_nothing_that_the_server_printed_holds_a_value(server):
    """After all of the above: no log, and no value of the table in it."""
    printed = "".join(server.printed)
    assert "Traceback" not in printed
    assert not any(secret in printed for secret in SECRETS)
