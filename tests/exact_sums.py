"""Exact sums of a table, at once. Not private: `ask` never shows them."""

from leastnoise.tables.queries.base import Setting
from leastnoise.tables.queries.groups import bounded_request
from leastnoise.tables.sources import opened
from leastnoise.tables.sources.bounding import reading_of
from leastnoise.tables.unit import Row

#: Each row is a unit, which is there or not.
ROW = Setting(Row(), "add-remove")


def aggregate(table, request):
    """The sums of a request by group."""
    reading = reading_of(table, request)
    table.engine.load(reading.names)
    return reading.sums()


def sums_of(table, query, setting):
    """The sums of a query by key."""
    return aggregate(table, bounded_request(query, setting))


def sums_in(source, query, setting=ROW):
    """The same, of a source that is opened for it."""
    with opened(source) as table:
        return sums_of(table, query, setting)
