"""Why a connection to PostgreSQL failed, in words without its password. No data is involved yet."""

from __future__ import annotations

from urllib.parse import unquote

#: What an error says that is no more than: the server cannot be reached, or lets nobody in.
_CONNECTING = ("08", "28", "3D", "57P03", "53300")
_UNREADABLE = "the URL cannot be read; it is like postgresql://user@host:5432/database"


def connection_reason(error: BaseException | None, url: str) -> str:
    """The driver's reason for an error while connecting; "" if it was another error.

    Guarantee: no password of the URL is in it.
    """
    import psycopg

    if isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None:
        return _UNREADABLE  # (the driver's words quote the part of the URL)
    if not isinstance(error, psycopg.OperationalError):
        return ""
    if error.sqlstate is not None and not error.sqlstate.startswith(_CONNECTING):
        return ""
    said = " ".join(str(error).split())
    for secret in _secrets(url):
        said = said.replace(secret, "***")
    return said


def _secrets(url: str) -> list[str]:
    """What stands in the place of a password, as it is written and as it is meant."""
    rest = url.partition("://")[2].partition("/")[0].rpartition("@")[0]
    passwords = [rest.partition(":")[2]]
    for part in url.partition("?")[2].split("#")[0].split("&"):
        name, _, value = part.partition("=")
        passwords += [value] if name in ("password", "passfile", "sslpassword") else []
    both = [form for written in passwords for form in (written, unquote(written))]
    return sorted({password for password in both if password}, key=len, reverse=True)
