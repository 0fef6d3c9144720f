"""Who is let in: this server's own pages with the key, and nobody else."""

from __future__ import annotations

import http.client
import re
import socket

import pytest

from leastnoise.web.guard import POLICY


def asked(server, method="GET", path="/api/tables", **headers):
    """(status, body) of a request with exactly these headers and the key, if they are not given."""
    given = {"Host": f"127.0.0.1:{server.port}", "X-Leastnoise-Key": server.key}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    line.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in given.items():
        if value is not None:
            line.putheader(name, value)
    line.endheaders()
    answer = line.getresponse()
    body = answer.read()
    line.close()
    return answer.status, body.decode()


def test_it_listens_on_loopback_only(server):
    outside = socket.gethostbyname(socket.gethostname())
    if outside.startswith("127."):
        pytest.skip("this machine has no other address")
    with pytest.raises(OSError), socket.create_connection((outside, server.port), timeout=2):
        pass


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1", "127.0.0.1:1", "evil.example:{port}", "0.0.0.0:{port}", None, ""],
)
def test_a_foreign_host_is_refused(server, host):
    """A name that was made to point here (DNS rebinding) is not this server's name."""
    host = None if host is None else host.format(port=server.port)
    status, body = asked(server, Host=host)
    assert status in (400, 403) and "salary" not in body


def test_localhost_is_told_where_to_go(server):
    """That name may lead to ::1, where another user can listen at the same port."""
    assert asked(server)[0] == 200
    status, body = asked(server, path="/", Host=f"localhost:{server.port}")
    assert status == 403 and f"http://127.0.0.1:{server.port}/" in body


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "file://"])
@pytest.mark.parametrize("path", ["/api/tables", "/api/tables/demo", "/"])
def test_a_foreign_origin_is_refused(server, origin, path):
    assert asked(server, "POST", path, Origin=origin, Content_Length="0")[0] == 403


def test_its_own_origin_is_not(server):
    own = f"http://127.0.0.1:{server.port}"
    assert asked(server, "POST", "/api/tables/demo", Origin=own, Content_Length="0")[0] == 200


def test_a_request_that_another_site_made_is_refused(server):
    assert asked(server, Sec_Fetch_Site="cross-site")[0] == 403


@pytest.mark.parametrize("key", [None, "", "x", "é"])
def test_without_the_key_nothing_of_the_user_is_answered(server, key):
    """Other users of the machine reach the port, but not the table."""
    for path in ("/api/tables", "/api/openapi.json", "/api/enter", "/api/jobs/x", "/nothing"):
        assert asked(server, path=path, X_Leastnoise_Key=key)[0] == 401
    for path in ("/", "/static/main.js"):  # the same for everybody, and about nobody
        status, body = asked(server, path=path, X_Leastnoise_Key=key)
        assert status == 200 and server.key not in body and "data.csv" not in body
        assert asked(server, "POST", path, X_Leastnoise_Key=key, Content_Length="0")[0] == 401


def test_the_key_is_in_no_cookie_and_no_address(server):
    """Cookies go to every port of 127.0.0.1, also to another user's server."""
    cookie = f"leastnoise-{server.port}={server.key}"
    assert asked(server, X_Leastnoise_Key=None, Cookie=cookie)[0] == 401
    assert asked(server, path=f"/api/tables?key={server.key}", X_Leastnoise_Key=None)[0] == 401
    for path in ("/", f"/?key={server.key}", "/static/main.js", "/api/tables"):
        assert "set-cookie" not in server.client.get(path).headers
    assert server.key not in "".join(server.printed)


def test_a_code_is_worth_the_key_once(server):
    import httpx

    _, _, code = server.address().partition("#enter=")
    assert code and code != server.key

    def enter(code, **headers):
        return httpx.post(f"{server.base}/api/enter", json={"code": code}, headers=headers)

    assert enter(code, origin="http://evil.example").status_code == 403  # and not spent by that
    assert enter(code, **{"sec-fetch-site": "cross-site"}).status_code == 403
    plain = httpx.post(f"{server.base}/api/enter", content=f'{{"code": "{code}"}}')
    assert plain.status_code == 422  # a form of another site could send no JSON
    found = enter(code)
    assert found.status_code == 200 and found.json() == {"key": server.key}
    assert found.headers["cache-control"] == "no-store"
    for wrong in (code, "", "x", code[:-1], server.key, "x" * 1000):
        again = enter(wrong)
        assert again.status_code in (403, 422) and server.key not in again.text


def test_every_answer_forbids_what_comes_from_outside(server):
    for path in ("/", "/static/main.js", "/api/tables", "/api/jobs/none"):
        headers = server.client.get(path).headers
        assert headers["content-security-policy"] == POLICY
        assert headers["x-content-type-options"] == "nosniff"
    # Nothing but this server itself, no inline code, and no frame around it.
    assert "default-src 'none'" in POLICY and "frame-ancestors 'none'" in POLICY
    assert not re.search(r"https?:|unsafe|\*", POLICY)


def test_the_files_of_the_page_name_no_other_place():
    from leastnoise.web.app import STATIC

    for path in STATIC.rglob("*"):
        if path.suffix in (".html", ".css", ".js") and "vendor" not in path.parts:
            text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
            assert not re.search(r"https?://|//[a-z]+\.[a-z]+/", text), path.name
    assert "MIT" in (STATIC / "vendor" / "uPlot.LICENSE.txt").read_text(encoding="utf-8")
