"""Shapes: how far one unit can move several numbers at once."""

from __future__ import annotations

from fractions import Fraction

import pytest

from leastnoise import ArgumentError, Ball, Blocks, Cube, Shape, Sparse, design
from leastnoise.certify.noise.shapes.shaped import sides_of
from leastnoise.problem.shape import Block, weighed


def test_shapes_are_blocks() -> None:
    assert Cube(3) == Shape((Block(3, 3, Fraction(1)),))
    assert Cube(2, width=0.1, one_sided=True).blocks[0].width == Fraction(1, 10)
    assert Sparse(dimension=20, max_changed=5).blocks == (Block(20, 5, Fraction(1)),)
    assert Cube(3, width=[1, 1, 2]).blocks == (Block(2, 2, Fraction(1)), Block(1, 1, Fraction(2)))
    both = Blocks(Cube(1, one_sided=True), Sparse(4, 1, one_sided=True))
    assert both.one_sided and both.dimension == 5
    # Moves of one sign are moves; the reverse would not be private.
    assert not Blocks(Cube(1, one_sided=True), Cube(1)).one_sided


def test_the_length_of_a_move() -> None:
    assert Blocks(Cube(2, width=3), Sparse(9, 2)).square == 2 * 9 + 2


@pytest.mark.parametrize(
    "make",
    [
        lambda: Cube(0),
        lambda: Cube(1001),
        lambda: Cube(True),
        lambda: Cube(2, width=0),
        lambda: Cube(2, one_sided="no"),
        lambda: Cube(2, width=[1, 2], one_sided=1),
        lambda: Sparse(4, 2, one_sided=None),
        lambda: Cube(2, width=[1, 2, 3]),
        lambda: Sparse(4, 5),
        lambda: Sparse(400, 5),
        Blocks,
        lambda: Blocks(3),
        lambda: Blocks(Cube(600), Cube(600)),
    ],
)
def test_what_is_no_shape(make) -> None:
    with pytest.raises(ArgumentError):
        make()


def test_weights_split_blocks() -> None:
    shape, weights = weighed(Cube(4), [2, 2, 1, 2])
    assert [block.numbers for block in shape.blocks] == [2, 1, 1]
    assert weights == (1, Fraction(1, 2), 1)
    assert weighed(Cube(3), [2, 2, 2]) == (Cube(3), ())
    with pytest.raises(ArgumentError, match="weights"):
        weighed(Sparse(3, 2), [1, 2, 1])
    with pytest.raises(ArgumentError, match="weights"):
        weighed(Cube(2), [1])


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("releases", {"releases": 5}),
        ("bounds", {"bounds": (0, 1)}),
        ("dimension", {"dimension": 2}),
        ("prior", {"prior": {"edges": [0, 1], "masses": [1]}}),
        ("output_step", {"output_step": 1}),
        ("loss", {"loss": "huber:1"}),
        ("epsilon", {"epsilon": 0, "delta": 0.1}),
        ("epsilon", {"epsilon": 1e-9}),
        ("sensitivity", {"sensitivity": Cube(2, width="1/2")}),
        ("sensitivity", {"sensitivity": Cube(2, width=10**7)}),
        ("integer", {"sensitivity": Sparse(3, 2), "integer": False}),
        ("loss", {"sensitivity": Sparse(3, 2), "loss": "largest"}),
        ("sensitivity", {"sensitivity": Sparse(200, 100)}),
    ],
)
def test_what_a_shape_does_not_go_with(name: str, more: dict) -> None:
    asked = {"epsilon": 1, "delta": 0, "sensitivity": Cube(2), "integer": True} | more
    with pytest.raises(ArgumentError, match=name):
        design(**asked)


def test_weights_need_a_shape() -> None:
    with pytest.raises(ArgumentError, match="weights"):
        design(epsilon=1, delta=0, sensitivity=1, weights=[1])


def test_a_ball_is_a_vector() -> None:
    found = design(epsilon=1, delta=0, sensitivity=Ball(2, 3))
    assert found.dimension == 2 and found.sensitivity == 3
    with pytest.raises(ArgumentError, match="dimension"):
        design(epsilon=1, delta=0.1, sensitivity=Ball(2, 3), dimension=2)


def test_widths_are_whole_steps_rounded_up() -> None:
    """Rounded down, noise would be private for less than a unit can move."""
    (side,) = sides_of(Cube(2, "0.7"), Fraction(1, 2))
    assert side.width == 2
