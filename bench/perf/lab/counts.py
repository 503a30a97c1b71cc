"""Counts that no foreign load disturbs: user instructions (callgrind) and system calls (strace).

Both are differences: a run with few requests and one with many, so that start-up and connections cancel out.
"""
import collections
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

from .process import MeasureError, Server, SkippedError, prepare_child

FEW, MANY = 500, 2500
ATTACH_SECONDS = 10

Counted = collections.namedtuple("Counted", "per_request detail")  # detail: what makes it up, largest first


def find_tool(name):
    """Path of valgrind or strace; None when it is not installed."""
    return shutil.which(name)


def instructions(make_argv, drive, keep=None):
    """User instructions per request of the process that make_argv starts (its children are not followed).

    drive(server, requests) sends the load; keep: a file for the larger run's profile.
    """
    with tempfile.TemporaryDirectory(prefix="fwd-perf-") as folder:
        totals = []
        for requests in (FEW, MANY):
            path = os.path.join(folder, f"callgrind.{requests}")
            argv = [find_tool("valgrind"), "--tool=callgrind", f"--callgrind-out-file={path}", "--trace-children=no"]
            with Server(argv + make_argv()) as server:
                server.wait_until_up()
                drive(server, requests)
            totals.append(_callgrind_total(path))
        detail = _hot_functions(path) if keep else []
        if keep:
            os.makedirs(os.path.dirname(keep), exist_ok=True)
            shutil.copy(path, keep)
    return Counted((totals[1] - totals[0]) / (MANY - FEW), detail)


def system_calls(server, drive):
    """System calls per request of the threads that the server has now; neither its children nor later threads."""
    few, many = (_strace(server, lambda: drive(server, requests)) for requests in (FEW, MANY))
    share = {name: (many[name] - few.get(name, 0)) / (MANY - FEW) for name in many}
    total = share.pop("total")
    detail = sorted(((count, name) for name, count in share.items() if count >= 0.005), reverse=True)
    return Counted(total, [f"{name} {count:.2f}" for count, name in detail])


def _callgrind_total(path):
    try:
        with open(path) as file:
            found = re.findall(r"^(?:summary|totals): (\d+)", file.read(), re.MULTILINE)
    except OSError:
        found = []
    if not found:
        raise MeasureError("callgrind wrote no summary: was the program killed, or did it not end at SIGTERM?")
    return int(found[-1])


def _hot_functions(path):
    text = subprocess.run(["callgrind_annotate", "--threshold=70", "--auto=no", path], capture_output=True, text=True, check=False).stdout
    lines = [line.strip()[:150] for line in text.splitlines() if re.match(r"\s*[\d,]+ \( *[\d.]+%\)", line)]
    return lines[:20]


def _strace(server, work):
    """Calls by name while work() runs, "total" among them."""
    with tempfile.NamedTemporaryFile(mode="r", prefix="fwd-perf-") as out, tempfile.TemporaryFile(mode="w+") as messages:
        argv = [find_tool("strace"), "-c", "-U", "calls,name", "-o", out.name]
        for thread in os.listdir(f"/proc/{server.pid}/task"):  # not -f: it would follow into every child that is started
            argv += ["-p", thread]
        popen = subprocess.Popen(argv, stderr=messages, stdin=subprocess.DEVNULL, preexec_fn=lambda: prepare_child(None))
        try:
            _wait_until_attached(popen, messages)
            work()
        finally:
            popen.send_signal(signal.SIGINT)  # strace detaches and prints its table
            popen.wait()
        return _strace_table(out.read())


def _wait_until_attached(popen, messages):
    deadline = time.monotonic() + ATTACH_SECONDS
    text = ""
    while "attached" not in text:
        if popen.poll() is not None or time.monotonic() > deadline:
            raise SkippedError(f"strace cannot attach, tracing is forbidden here: {text.strip()}")
        time.sleep(0.02)
        messages.seek(0)
        text = messages.read()


def _strace_table(text):
    calls = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 2 and words[0].isdigit():
            calls[words[1]] = int(words[0])
    if "total" not in calls:
        raise MeasureError("strace printed no table: " + text[-300:])
    return calls
