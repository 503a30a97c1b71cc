"""What a goal is, and the ways to compute its figure from the samples. Pure."""
import collections

from .stats import ratios, summarize

Goal = collections.namedtuple("Goal", "name sections what sense must stretch compute")


def us(samples, key, who="server_us"):
    return [getattr(sample, who) for sample in samples[key]]


def rps(samples, key):
    return [sample.rps for sample in samples[key]]


def ratio(key, base, who="server_us"):
    return lambda s: ratios(us(s, key, who), us(s, base, who))


def cpu_ratio(row, subject, base):
    return ratio(f"{row} | {subject}", f"{row} | {base}")


def rps_ratio(key, base):
    return lambda s: ratios(rps(s, key), rps(s, base))


def value(key, pick=lambda value: value):
    return lambda s: summarize(pick(v) for v in s[key])


def per_request(key):
    return value(key, lambda counted: counted.per_request)
