"""Whole-number noise as a table for other languages, with a sampler of a few lines.

A draw is exact: a uniform whole number below the denominator, by rejection from random bits of
the system, and the first value whose cumulative weight is above it (`export.proof.md`).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

from ..errors import ArgumentError

_ALLOWED = "integer noise without a tail: a design with integer=True and delta > 0 (or MaxError)"


def table_of(design: Any) -> tuple[list[int], list[int]]:
    """(values, cumulative weights); the last cumulative weight is the denominator."""
    document: Any = getattr(design, "document", None)
    plain = getattr(document, "kind", "") == "integer" and document.noise.tail is None
    if not plain or document.noise.edges is not None or document.noise.step != 1:
        raise ArgumentError("mechanism", getattr(document, "kind", type(design).__name__), _ALLOWED)
    weights = [int(weight) for weight in document.noise.weights]
    masses = [(document.noise.first + i, w) for i, w in enumerate(weights) if w]
    return [value for value, _ in masses], list(accumulate(w for _, w in masses))


def exported(design: Any, language: str) -> str:
    """The noise of a design as a text in "csv", "sql", "js", "kotlin" or "rust".

    Guarantee: a draw has the distribution of the mechanism file, weight for weight, given uniform
    bits. Results are to be added to whole numbers of the file's sensitivity.
    """
    if language not in LANGUAGES:
        raise ArgumentError("language", language, ", ".join(LANGUAGES))
    return LANGUAGES[language](*table_of(design), _about(design))


def _about(design: Any) -> str:
    document = design.document
    return (
        f"epsilon={float(document.epsilon):g}, delta={float(document.delta):g}, sensitivity="
        f"{document.sensitivity}; integer noise, one draw is one release"
    )


def _csv(values: list[int], sums: list[int], about: str) -> str:
    rows = "".join(f"{value},{total}\n" for value, total in zip(values, sums, strict=True))
    return f"value,cumulative\n{rows}"


def _sql(values: list[int], sums: list[int], about: str) -> str:
    rows = ",\n".join(f"  ({value}, {total})" for value, total in zip(values, sums, strict=True))
    digits = len(str(sums[-1]))
    return (
        f"-- {about}\n"
        f"-- Draw u, a uniform integer from 0 to {sums[-1] - 1}, from a secure source; then\n"
        "-- SELECT value FROM noise WHERE cumulative > :u ORDER BY cumulative LIMIT 1;\n"
        f"CREATE TABLE noise (value BIGINT, cumulative NUMERIC({digits}, 0));\n"
        f"INSERT INTO noise (value, cumulative) VALUES\n{rows};\n"
    )


def _js(values: list[int], sums: list[int], about: str) -> str:
    return f"""// {about}
const VALUES = [{", ".join(map(str, values))}];
const SUMS = [{", ".join(f"{total}n" for total in sums)}];
const BYTES = {(sums[-1].bit_length() + 7) // 8}, BITS = {sums[-1].bit_length()}n;
export function noise() {{
  for (;;) {{
    let u = 0n;
    for (const byte of crypto.getRandomValues(new Uint8Array(BYTES))) u = (u << 8n) | BigInt(byte);
    u &= (1n << BITS) - 1n;
    const at = SUMS.findIndex((sum) => u < sum);
    if (at >= 0) return VALUES[at];
  }}
}}
"""


def _kotlin(values: list[int], sums: list[int], about: str) -> str:
    return f"""// {about}
import java.math.BigInteger
import java.security.SecureRandom

private val VALUES = longArrayOf({", ".join(map(str, values))})
private val SUMS = "{" ".join(map(str, sums))}".split(" ").map(::BigInteger)
private val RANDOM = SecureRandom()

fun noise(): Long {{
    while (true) {{
        val u = BigInteger({sums[-1].bit_length()}, RANDOM)
        val at = SUMS.indexOfFirst {{ u < it }}
        if (at >= 0) return VALUES[at]
    }}
}}
"""


def _rust(values: list[int], sums: list[int], about: str) -> str:
    if sums[-1].bit_length() > 128:
        raise ArgumentError(
            "language", "rust", "another one than rust: the weights do not fit 128 bits"
        )
    shift = 128 - sums[-1].bit_length()
    return f"""// {about}
use std::io::Read;

const VALUES: [i64; {len(values)}] = [{", ".join(map(str, values))}];
const SUMS: [u128; {len(sums)}] = [{", ".join(map(str, sums))}];

pub fn noise() -> std::io::Result<i64> {{
    let mut source = std::fs::File::open("/dev/urandom")?;
    loop {{
        let mut bytes = [0u8; 16];
        source.read_exact(&mut bytes)?;
        let u = u128::from_le_bytes(bytes) >> {shift};
        if let Some(at) = SUMS.iter().position(|sum| u < *sum) {{
            return Ok(VALUES[at]);
        }}
    }}
}}
"""


LANGUAGES: dict[str, Callable[[list[int], list[int], str], str]] = {
    "csv": _csv,
    "sql": _sql,
    "js": _js,
    "kotlin": _kotlin,
    "rust": _rust,
}
