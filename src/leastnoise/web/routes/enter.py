"""The one route without a key: a code that was never used before is exchanged for it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from ..guard import ENTER
from ..state import ERRORS, Here, WebError

router = APIRouter(tags=["enter"], responses=ERRORS)


class Code(BaseModel):
    """What stands after `#enter=` in an address that the terminal printed."""

    code: Annotated[str, Field(min_length=1, max_length=100)]


class EnteredKey(BaseModel):
    """What every other request holds in its header X-Leastnoise-Key."""

    key: str


@router.post(ENTER)
async def enter(form: Code, here: Here) -> EnteredKey:
    """The key, for a code; each code works once."""
    if not here.settings.codes.spend(form.code):
        raise WebError(
            403, "this address was already used, has expired, or belongs to another server", "code"
        )
    return EnteredKey(key=here.settings.key)
