"""Tables for people, JSON for machines."""
import dataclasses
import json
import os
import platform

from .goals import judge
from .load import Sample
from .stats import summarize


def machine():
    """What a reader must know to compare figures."""
    model = "unknown CPU"
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
    return {"cpu": model, "cores": len(os.sched_getaffinity(0)), "kernel": platform.release()}


def print_samples(samples):
    """One line per subject: medians, and the quartiles of the watchdog's CPU."""
    rows = [(key, runs) for key, runs in samples.items() if isinstance(runs[0], Sample)]
    if rows:
        print(f"\n{'CPU us per request':<51} {'server':>8} {'quartiles':>15} {'function':>9} {'client':>7} "
              f"{'requests/s':>11} {'p50 us':>9} {'runs':>5}")
    for key, runs in rows:
        server = summarize(run.server_us for run in runs)
        print(f"{key:<51} {server.median:8.1f} {_range(server):>15} {_median(runs, 'function_us'):9.1f} "
              f"{_median(runs, 'client_us'):7.1f} {_median(runs, 'rps'):11,.0f} "
              f"{_or_dash(_median(runs, 'p50_us')):>9} {len(runs):5d}")
    if rows:
        foreign = summarize(run.foreign for _, runs in rows for run in runs)
        print(f"Load of others: median {foreign.median:.2f} cores, quartiles {_range(foreign)}"
              + (". Trust the ratios, not the requests/s." if foreign.median > 0.15 else "."))


def print_counts(samples):
    """Counts and what they are made of; memory of both watchdogs."""
    print()
    for key, runs in samples.items():
        if hasattr(runs[0], "per_request"):
            print(f"{key:<60} {runs[0].per_request:10,.2f} per request")
            if key.startswith("system calls"):
                print("    " + ", ".join(runs[0].detail))
        elif key.startswith("memory"):
            print(f"{key:<60} {' / '.join(f'{size:.1f}' for size in runs[0])} (idle / after its requests / after as many again)")
        elif not isinstance(runs[0], Sample):
            figure = summarize(runs)
            print(f"{key:<60} {figure.median:.2f} [{_range(figure)}]")


def print_profile(samples):
    """Where the instructions go, for whoever has missed a goal."""
    for key, runs in samples.items():
        if key.startswith("instructions") and runs[0].detail:
            print(f"\nProfile of {key} (start-up included; instructions, share, function):")
            print("\n".join("  " + line for line in runs[0].detail))


def print_goals(goals, samples):
    verdicts = judge(goals, samples)
    print(f"\n{'goal':<10} {'':<78} {'must':>10} {'stretch':>9} {'measured':>10} {'quartiles':>19}")
    for goal, figure, word in verdicts:
        print(f"{goal.name:<10} {goal.what:<78} {goal.sense} {_number(goal.must):>7} {_number(goal.stretch):>9} "
              f"{_number(figure.median):>10} {_range(figure, _number) if figure.count > 1 else '':>19}  {word}")
    return verdicts


def write_json(path, samples, verdicts, remarks, failures):
    document = {
        "machine": machine(),
        "samples": {key: [_plain(run) for run in runs] for key, runs in samples.items()},
        "goals": [{"goal": v.goal.name, "what": v.goal.what, "must": v.goal.must, "stretch": v.goal.stretch,
                   "sense": v.goal.sense, "measured": v.figure._asdict(), "verdict": v.word} for v in verdicts],
        "remarks": remarks,
        "not_measured": failures,
    }
    with open(path, "w") as file:
        json.dump(document, file, indent=1)
        file.write("\n")


def _plain(run):
    if isinstance(run, Sample):
        return dataclasses.asdict(run)
    return run._asdict() if hasattr(run, "_asdict") else run


def _median(runs, name):
    return summarize(getattr(run, name) for run in runs).median


def _or_dash(value):
    return _number(value) if value else "-"


def _number(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.2f}" if value < 100 else f"{value:.1f}"


def _range(figure, number=lambda value: f"{value:.1f}"):
    return f"{number(figure.low)}..{number(figure.high)}"
