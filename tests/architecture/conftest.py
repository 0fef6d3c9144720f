"""Who imports whom, read once for all tests of it."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def draw():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[2] / "docs"))
        import draw_imports

        yield draw_imports
