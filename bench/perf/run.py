#!/usr/bin/env python3
"""Measures fwatchdog and fbench against the goals of this project. See README.md beside this file.

    python3 bench/perf/run.py --build build/release                     everything, about 10 minutes
    python3 bench/perf/run.py --build build/release --only afterburn,memory
    python3 bench/perf/run.py --build build/release --gate              only the counts; exit 1 when one is over by 10 %

Exit codes: 0 measured (or the gate is kept), 1 the gate is exceeded, 64 usage, 70 a measurement was impossible.
"""
import argparse
import os
import signal
import sys
import time

from lab import counts, goals, report
from lab.modes import MODES
from lab.process import MeasureError, SkippedError
from lab.sections import Plan
from lab.subjects import Subjects

REPEATED = ("frontend", "afterburn", *MODES, "spawn", "bulk", "limits", "client", "startup")
ONCE = ("memory", "size", "counts")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(64, f"run.py: {message}\n")  # as every program here; argparse's own is 2


def parse_arguments():
    parser = Parser(description="Measures fwatchdog and fbench.")
    parser.add_argument("--build", default="build/release", help="build directory that holds bin/fwatchdog and bin/perf/")
    parser.add_argument("--static", help="static fwatchdog, for memory, size and start-up (default: ../static of --build, if built)")
    parser.add_argument("--rounds", type=int, default=5, help="interleaved rounds (default 5)")
    parser.add_argument("--only", default="", help="sections or goals, by comma: " + ", ".join(REPEATED + ONCE) + ", G1 ... G10b")
    parser.add_argument("--peer", help="an old of-watchdog that knows mode=afterburn, to compare with")
    parser.add_argument("--peer-of", help="an of-watchdog of today, to compare the modes with that it has")
    parser.add_argument("--peer-classic", help="a classic-watchdog, likewise")
    parser.add_argument("--scale", type=float, default=1.0, help="factor on the number of requests; 0.1 for a quick look")
    parser.add_argument("--gate", action="store_true", help="only the counts; exit 1 when one is exceeded by more than 10 %%")
    parser.add_argument("--profile", metavar="DIR", help="keep callgrind profiles of the modes there, and print their top")
    parser.add_argument("--json", metavar="FILE", help="write all samples and verdicts there")
    parser.add_argument("--argument", action="append", default=[], help="one more argument for fwatchdog; repeatable")
    arguments = parser.parse_args()
    if arguments.rounds < 1 or arguments.scale <= 0:
        parser.error("--rounds and --scale are above 0")
    arguments.sections = chosen_sections(parser, arguments.only)
    if arguments.static is None:
        arguments.static = os.path.join(arguments.build, "..", "static", "bin", "fwatchdog")
    return arguments


def chosen_sections(parser, only):
    by_goal = {goal.name.lower(): goal.sections for goal in goals.GOALS + goals.GATES}
    names = [by_goal.get(word.strip().lower(), word.strip()) for word in only.split(",") if word.strip()]
    for name in names:
        if name not in REPEATED + ONCE:
            parser.error(f"unknown section or goal in --only: {name}")
    return names or list(REPEATED + ONCE)


def peers_of(arguments):
    return {"afterburn": arguments.peer, "of": arguments.peer_of, "classic": arguments.peer_classic}


class Outcome:
    """What the run has given: samples by key, remarks for the reader, and what could not be measured."""

    def __init__(self):
        self.samples, self.remarks, self.failures = {}, [], []


def measure(steps, rounds, outcome):
    """Calls every step once a round. A step that fails is noted and left out from then on."""
    for number in range(rounds):
        for key, step in list(steps.items()):
            progress(f"round {number + 1} of {rounds}: {key}" if rounds > 1 else key)
            try:
                result = step()
            except SkippedError as error:
                outcome.remarks.append(f"SKIPPED: {key}: {error}")
                del steps[key]
            except (MeasureError, OSError) as error:
                outcome.failures.append(f"{key}: {error}")
                del steps[key]
            else:
                outcome.samples.setdefault(key, []).append(result)
    progress("")


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def measure_all(plan, arguments, outcome):
    repeated = {}
    for name in REPEATED:
        if name in arguments.sections:
            repeated.update(plan.section(name))
    measure(repeated, arguments.rounds, outcome)
    measure(dict(plan.once(arguments.sections)), 1, outcome)
    if arguments.profile and counts.find_tool("valgrind"):
        measure(dict(plan.profiles()), 1, outcome)


def remark_missing(arguments, subjects, outcome):
    if arguments.gate or "counts" in arguments.sections:
        for tool in ("valgrind", "strace"):
            if not counts.find_tool(tool):
                outcome.remarks.append(f"SKIPPED: {tool} is not installed, its counts are not measured (apt-get install {tool})")
    if arguments.gate:
        return
    if not subjects.static and {"memory", "size", "startup"} & set(arguments.sections):
        outcome.remarks.append("the static fwatchdog is not built: memory, size and start-up are of the dynamic one")
    if not subjects.client_core:
        outcome.remarks.append("one core only: nothing is pinned, and G5 is left out")
    if subjects.ab and subjects.ab == subjects.fbench:
        outcome.remarks.append("ab is not installed (apt-get install apache2-utils): fbench stands in for it")


def run(arguments, subjects):
    outcome, began = Outcome(), time.monotonic()
    remark_missing(arguments, subjects, outcome)
    plan = Plan(subjects, arguments.scale, arguments.profile)
    if arguments.gate:
        measure(dict(plan.gate()), 1, outcome)
    else:
        measure_all(plan, arguments, outcome)
    print("{cpu}, {cores} cores, Linux {kernel}".format(**report.machine()) + f"; measured in {time.monotonic() - began:.0f} s")
    report.print_samples(outcome.samples)
    report.print_counts(outcome.samples)
    report.print_profile(outcome.samples)
    verdicts = report.print_goals(goals.GATES if arguments.gate else goals.GOALS + goals.GATES, outcome.samples)
    for line in outcome.remarks + [f"NOT MEASURED: {failure}" for failure in outcome.failures]:
        print(line)
    if arguments.json:
        report.write_json(arguments.json, outcome.samples, verdicts, outcome.remarks, outcome.failures)
    return exit_code(arguments, verdicts, outcome)


def exit_code(arguments, verdicts, outcome):
    exceeded = [verdict for verdict in verdicts if arguments.gate and goals.exceeds_gate(verdict)]
    for verdict in exceeded:
        print(f"GATE: {verdict.goal.what}: {verdict.figure.median:,.2f} is over {goals.gate_limit(verdict.goal):,.2f}")
    if exceeded:
        return 1
    return 70 if outcome.failures else 0


def main():
    arguments = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the servers are ended
    try:
        subjects = Subjects(arguments.build, arguments.static, peers_of(arguments), arguments.argument)
    except MeasureError as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 70
    try:
        return run(arguments, subjects)
    finally:
        subjects.close()


if __name__ == "__main__":
    sys.exit(main())
