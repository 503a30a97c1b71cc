"""Medians and spreads of few runs. Pure."""
import collections
import statistics

Figure = collections.namedtuple("Figure", "median low high count")  # low and high: the quartiles


def summarize(values):
    """Figure of at least one value."""
    values = list(values)
    if len(values) == 1:
        return Figure(values[0], values[0], values[0], 1)
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return Figure(statistics.median(values), low, high, len(values))


def ratios(above, below):
    """Round by round: foreign load of a round is in both, so most of it cancels."""
    return summarize(a / b for a, b in zip(above, below) if b)
