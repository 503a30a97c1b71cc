"""The targets, and how each is computed from the samples. Pure."""
import collections

from . import mode_goals
from .goal import Goal, cpu_ratio, per_request, rps_ratio, us, value
from .stats import ratios

# The old watchdog as it was measured on the machine of the targets: its CPU per request and that of raw epoll beside it.
OLD_KEEP_US, OLD_CLOSE_US = 63, 109
RAW_KEEP_US, RAW_CLOSE_US = 6.1, 27
GATE_SLACK = 1.10

Verdict = collections.namedtuple("Verdict", "goal figure word")


def against_parts(s):
    """G3: what the watchdog costs beyond one pipe round trip and one HTTP round trip."""
    parts = [pipe + http for pipe, http in zip(us(s, "pipe one core | python text"), us(s, "afterburn keep-alive | raw epoll"))]
    return ratios(us(s, "afterburn keep-alive | fwatchdog, python text"), parts)


GOALS = [
    Goal("afterburn", "afterburn", "keep-alive: watchdog CPU / old watchdog's, side by side", "<=", 1 / 3.5, 1 / 5,
         cpu_ratio("afterburn keep-alive", "fwatchdog, C++", "old watchdog, C++")),
    Goal("afterburn", "afterburn", "close: watchdog CPU / old watchdog's, side by side", "<=", 1 / 2.7, 1 / 3,
         cpu_ratio("afterburn close", "fwatchdog, C++", "old watchdog, C++")),
    Goal("afterburn", "afterburn", "keep-alive: CPU / raw epoll's, to the old watchdog's recorded 63 / 6.1 us", "<=",
         OLD_KEEP_US / RAW_KEEP_US / 3.5, OLD_KEEP_US / RAW_KEEP_US / 5,
         cpu_ratio("afterburn keep-alive", "fwatchdog, C++", "raw epoll")),
    Goal("afterburn", "afterburn", "close: CPU / raw epoll's, to the old watchdog's recorded 109 / 27 us", "<=",
         OLD_CLOSE_US / RAW_CLOSE_US / 2.7, OLD_CLOSE_US / RAW_CLOSE_US / 3,
         cpu_ratio("afterburn close", "fwatchdog, C++", "raw epoll")),
    Goal("memory", "memory", "resident when idle, MB", "<=", 3, 2, value("memory MB | fwatchdog", lambda v: v[0])),
    Goal("memory", "memory", "resident after 10,000 requests, MB", "<=", 4, 3, value("memory MB | fwatchdog", lambda v: v[1])),
    Goal("memory", "memory", "growth from 10,000 to 20,000 requests, MB", "<=", 0.1, 0,
         value("memory MB | fwatchdog", lambda v: v[2] - v[1])),
    Goal("binary", "size", "stripped file, MB", "<=", 3, 2.5, value("file MB | fwatchdog")),
    Goal("start-up", "startup", "exec to first 200, ms", "<=", 5, 2, value("start-up ms | fwatchdog")),
    Goal("G1", "frontend", "hello keep-alive: CPU / raw epoll's", "<=", 1.25, 1.10,
         cpu_ratio("hello keep-alive", "fwatchdog", "raw epoll")),
    Goal("G1b", "frontend", "hello close: CPU / raw epoll's", "<=", 1.30, 1.15,
         cpu_ratio("hello close", "fwatchdog", "raw epoll")),
    Goal("G2", "limits", "ab -k -c 20 rps / one-core ping-pong rps", ">=", 0.55, 0.70,
         rps_ratio("afterburn keep-alive | fwatchdog, python text", "pipe one core | python text")),
    Goal("G3", "limits", "watchdog CPU / (ping-pong parent + raw epoll)", "<=", 1.4, 1.2, against_parts),
    Goal("G4", "limits", "ab -c 20 close rps / ab rps on raw epoll", ">=", 0.80, 0.92,
         rps_ratio("afterburn close | fwatchdog, python text", "afterburn close | raw epoll")),
    Goal("G5", "limits", "c=1 keep-alive rps / two-core ping-pong rps", ">=", 0.50, 1.1,
         rps_ratio("afterburn c=1 | fwatchdog, python text", "pipe two cores | python text")),
    Goal("G9", "client", "fbench CPU / epoll_client CPU", "<=", 1.15, 1.05,
         lambda s: ratios(us(s, "client keep-alive | fbench", "client_us"), us(s, "client keep-alive | epoll_client", "client_us"))),
] + mode_goals.GOALS

GATES = [
    Goal("G10", "counts", "hello keep-alive: user instructions per request", "<=", 6000, 5000,
         per_request("instructions hello keep-alive | fwatchdog")),
    Goal("G10", "counts", "hello keep-alive: system calls per request", "<=", 2.5, 2.2,
         per_request("system calls hello keep-alive | fwatchdog")),
    Goal("G10b", "counts", "afterburn keep-alive: user instructions per request", "<=", 20_000, 12_000,
         per_request("instructions afterburn keep-alive | fwatchdog")),
    Goal("G10b", "counts", "afterburn keep-alive: system calls per request", "<=", 6, 5,
         per_request("system calls afterburn keep-alive | fwatchdog")),
    Goal("G10b", "counts", "afterburn close: system calls per request", "<=", 13.5, 13,
         per_request("system calls afterburn close | fwatchdog")),
] + mode_goals.GATES


def judge(goals, samples):
    """A Verdict for every goal whose samples are there."""
    verdicts = []
    for goal in goals:
        try:
            figure = goal.compute(samples)
        except KeyError:
            continue
        verdicts.append(Verdict(goal, figure, _word(goal, figure.median)))
    return verdicts


# Where a goal is missed, the gate holds what has been reached: lower these as it gets better.
HELD = {
    "hello keep-alive: user instructions per request": 8_700,
    "afterburn keep-alive: user instructions per request": 24_300,
    "afterburn keep-alive: system calls per request": 8.3,
    "http keep-alive: user instructions per request": 35_000,
    "http keep-alive: system calls per request": 8.2,
    "static keep-alive: user instructions per request": 13_700,
}


def gate_limit(goal):
    return max(goal.must, HELD.get(goal.what, 0)) * GATE_SLACK


def exceeds_gate(verdict):
    return verdict.figure.median > gate_limit(verdict.goal)


def _word(goal, measured):
    def reached(limit):
        return measured <= limit if goal.sense == "<=" else measured >= limit
    return "stretch" if reached(goal.stretch) else "pass" if reached(goal.must) else "MISSED"
