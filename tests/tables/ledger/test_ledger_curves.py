"""Ledgers whose budget is mu or rho: what adds up, what is refused, what is never confused."""

from __future__ import annotations

from fractions import Fraction

import pytest

from leastnoise import ArgumentError, BudgetError, Ledger
from leastnoise.tables.ledger.filters import Spent, fits, largest_next


def test_squares_of_mu_add_up(tmp_path) -> None:
    book = Ledger.create(tmp_path / "b.db", gdp=1)
    book.charge(gdp="0.6", query="a")
    book.charge(gdp="0.7", query="b")
    assert book.balance.left_epsilon == pytest.approx(0.15**0.5, rel=1e-9)
    with pytest.raises(BudgetError, match=r"gdp=0.4 was asked for, gdp=0.387298 is left"):
        book.charge(gdp="0.4", query="c")
    book.charge(gdp=book.balance.left_epsilon, query="c")
    assert fits(Spent(Fraction(3), Fraction(0), Fraction(1)), Fraction(1), Fraction(0), "gaussian")
    assert book.balance.charges == 3 and Ledger(tmp_path / "b.db").history()[0].epsilon == (
        Fraction("0.6")
    )
    with pytest.raises(BudgetError, match=r"gdp=0[^ ]* is left"):
        book.charge(gdp="0.001", query="d")


def test_rho_adds_up_and_takes_what_is_worth_rho(tmp_path) -> None:
    book = Ledger.create(tmp_path / "b.db", zcdp=1)
    book.charge(zcdp="0.25", query="a")
    assert book.charge(gdp="0.5", query="b").epsilon == Fraction(1, 8)
    assert book.charge(1, query="c").epsilon == Fraction(1, 2)
    assert book.balance.left_epsilon == Fraction(1, 8)
    book.check(zcdp="1/8", protects="row, add-remove")
    with pytest.raises(BudgetError, match=r"zcdp=0.125 is left"):
        book.check(zcdp="0.126", protects="row, add-remove")


@pytest.mark.parametrize(
    ("made", "charge"),
    [
        ({"gdp": 1}, {"epsilon": "0.1"}),  # epsilon is no mu
        ({"gdp": 1}, {"epsilon": "0.1", "delta": "1e-6"}),
        ({"gdp": 1}, {"zcdp": "0.001"}),  # rho-zCDP is not GDP
        ({"zcdp": 1}, {"epsilon": "0.1", "delta": "1e-9"}),
        ({"epsilon": 1}, {"gdp": "0.1"}),
        ({"epsilon": 1, "delta": "0.1", "composition": "adaptive"}, {"zcdp": "0.1"}),
    ],
    ids=str,
)
def test_budgets_of_different_kinds_are_not_added(tmp_path, made, charge) -> None:
    book = Ledger.create(tmp_path / "b.db", **made)
    for call in (
        lambda: book.charge(**charge, query="a"),
        lambda: book.check(**charge, protects="x"),
    ):
        with pytest.raises(BudgetError, match="cannot spend"):
            call()
    assert book.balance.charges == 0


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"gdp": 0},
        {"gdp": -1},
        {"gdp": 1, "zcdp": 1},
        {"gdp": 1, "epsilon": 1},
        {"gdp": 1, "delta": "0.1"},
        {"zcdp": 1, "composition": "adaptive"},
        {"epsilon": 1, "composition": "gaussian"},
    ],
    ids=str,
)
def test_bad_budgets_are_refused(tmp_path, given) -> None:
    with pytest.raises(ArgumentError):
        Ledger.create(tmp_path / "b.db", **given)


@pytest.mark.parametrize(
    "charge", [{}, {"gdp": 0}, {"gdp": -1}, {"gdp": 1, "zcdp": 1}, {"gdp": "0.1", "delta": "0.1"}]
)
def test_bad_charges_are_refused(tmp_path, charge) -> None:
    book = Ledger.create(tmp_path / "b.db", gdp=1)
    with pytest.raises(ArgumentError):
        book.charge(**charge, query="a")
    assert book.balance.charges == 0


def test_what_is_left_fits_and_hardly_more_does() -> None:
    for k in range(1, 40):
        spent = Spent(Fraction(0), Fraction(0), Fraction(k, 41))
        left = largest_next(spent, Fraction(1), Fraction(0), "gaussian")
        assert fits(spent.plus(left, Fraction(0)), Fraction(1), Fraction(0), "gaussian")
        more = left + Fraction(1, 10**20)
        assert not fits(spent.plus(more, Fraction(0)), Fraction(1), Fraction(0), "gaussian")
