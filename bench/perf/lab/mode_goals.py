"""The targets of every mode but afterburn: against the old watchdog, against raw epoll, against the kernel. Pure."""
from .goal import Goal, cpu_ratio, per_request, ratio, value

# CPU of the old watchdogs per request as it was measured on the machine of the targets, and that of raw epoll beside it.
RAW_US = {"keep-alive": 6.1, "close": 27}
RECORDED_US = {
    "http": {"keep-alive": 93, "close": 133},
    "streaming": {"keep-alive": 478},
    "serializing": {"keep-alive": 398},
    "classic": {"keep-alive": 332},
    "static": {"keep-alive": 54, "close": 95},
}
# How many times cheaper we are to be: must, stretch.
_FORKING = {"keep-alive": (2.5, 3.5), "close": (2.5, 3.5)}
FACTORS = {
    "http": {"keep-alive": (4, 5), "close": (3, 3.3)},
    "streaming": _FORKING,
    "serializing": _FORKING,
    "classic": _FORKING,
    "static": {"keep-alive": (4, 5), "close": (2.5, 3)},
}


def _cpu_goals():
    for mode, by_kind in FACTORS.items():
        for kind, (must, stretch) in by_kind.items():
            row = f"{mode} {kind}"
            yield Goal(mode, mode, f"{kind}: watchdog CPU / old watchdog's, side by side", "<=", 1 / must, 1 / stretch,
                       cpu_ratio(row, "fwatchdog", "old watchdog"))
            if kind in RECORDED_US[mode]:
                recorded = RECORDED_US[mode][kind] / RAW_US[kind]
                what = f"{kind}: CPU / raw epoll's, to the old watchdog's recorded {RECORDED_US[mode][kind]} / {RAW_US[kind]} us"
                yield Goal(mode, mode, what, "<=", recorded / must, recorded / stretch, cpu_ratio(row, "fwatchdog", "raw epoll"))


def _footprint_goals():
    for mode in FACTORS:
        key = f"memory MB | fwatchdog, {mode}"
        yield Goal("memory", "memory", f"{mode}: resident when idle, MB", "<=", 3, 2, value(key, lambda v: v[0]))
        yield Goal("memory", "memory", f"{mode}: resident after its requests, MB", "<=", 4, 3, value(key, lambda v: v[1]))
        yield Goal("memory", "memory", f"{mode}: growth in as many again, MB", "<=", 0.1, 0, value(key, lambda v: v[2] - v[1]))
    for mode in FACTORS:
        yield Goal("start-up", "startup", f"{mode}: exec to first 200, ms", "<=", 5, 2, value(f"start-up ms | fwatchdog, {mode}"))


GOALS = [
    *_cpu_goals(),
    *_footprint_goals(),
    Goal("G6", "spawn", "watchdog CPU per process, c=1 / that of a bare posix_spawn and relay", "<=", 1.5, 1.2,
         ratio("spawn c=1 | fwatchdog", "spawn c=1 | spawn_relay")),
    Goal("G6", "spawn", "the same with 1,000 connections open / with none", "<=", 2, 1.2,
         ratio("spawn c=1, 1,000 open | fwatchdog", "spawn c=1 | fwatchdog")),
    Goal("G7", "spawn", "median time with prefork=1 / without: cat", "<=", 0.15, 0.06,
         ratio("paced cat | prefork=1", "paced cat | prefork=0", "p50_us")),
    Goal("G7", "spawn", "median time with prefork=1 / without: python3", "<=", 0.25, 0.15,
         ratio("paced python3 | prefork=1", "paced python3 | prefork=0", "p50_us")),
    Goal("G8", "bulk", "256 MiB through cat: CPU / that of a raw 64 KiB read and write loop", "<=", 1.2, 0.6,
         ratio("256 MiB through cat, per MiB | fwatchdog", "256 MiB through cat, per MiB | spawn_relay")),
    Goal("G8", "bulk", "growth while 256 MiB pass, MiB", "<=", 8, 0.5,
         value("256 MiB through cat, per MiB | fwatchdog", lambda sample: sample.growth_mib)),
]

GATES = [
    Goal("counts", "counts", "http keep-alive: user instructions per request", "<=", 20_000, 12_000,
         per_request("instructions http keep-alive | fwatchdog")),
    Goal("counts", "counts", "http keep-alive: system calls per request", "<=", 6, 5,
         per_request("system calls http keep-alive | fwatchdog")),
    Goal("counts", "counts", "static keep-alive: user instructions per request", "<=", 12_000, 8_000,
         per_request("instructions static keep-alive | fwatchdog")),
    Goal("counts", "counts", "static keep-alive: system calls per request", "<=", 8, 6,
         per_request("system calls static keep-alive | fwatchdog")),
]
