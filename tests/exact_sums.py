"""Exact sums of a table, at once. Not private: `ask` never shows them."""

from leastnoise.tables.queries.groups import bounded_request
from leastnoise.tables.sources.bounding import reading_of


def aggregate(table, request):
    """The sums of a request by group."""
    reading = reading_of(table, request)
    table.engine.load(reading.names)
    return reading.sums()


def sums_of(table, query, setting):
    """The sums of a query by key."""
    return aggregate(table, bounded_request(query, setting))
