"""Clients: each run sends a known number of requests and gives one Sample."""
import contextlib
import dataclasses
import re
import resource
import socket
import subprocess
import time

from . import cpu
from .process import MeasureError, prepare_child

RUN_SECONDS = 120  # a run that takes longer is broken
CONTENT_TYPE = "text/plain"


@dataclasses.dataclass
class Sample:
    """One run. Times are CPU microseconds per request; foreign is the load of others, in cores."""
    rps: float
    server_us: float = 0.0
    function_us: float = 0.0
    client_us: float = 0.0
    foreign: float = 0.0
    p50_us: float = 0.0      # service time; 0 where the client does not say
    growth_mib: float = 0.0  # of resident memory while it ran; 0 where nobody looked


def run_ab(ab, server, requests, *, concurrency=20, keep_alive=True, body=None, path="/", cores=None):
    """ab, or fbench, which takes the same options and prints the same report."""
    argv = [ab, "-q", "-n", requests, "-c", concurrency] + (["-k"] if keep_alive else [])
    argv += (["-p", body, "-T", CONTENT_TYPE] if body else []) + [server.url(path)]
    return _measure(argv, server, requests, cores, _read_ab_report)


def run_fbench(fbench, server, requests, *, concurrency=20, keep_alive=True, body=None, path="/", cores=None):
    """HTTP/1.1, so that answers may come in chunks; tells the median service time."""
    argv = [fbench, "-q", "--http", "1.1", "-n", requests, "-c", concurrency] + (["-k"] if keep_alive else [])
    argv += (["-p", body, "-T", CONTENT_TYPE] if body else []) + [server.url(path)]
    return _measure(argv, server, requests, cores, _read_ab_report, _read_median_us)


def run_epoll_client(program, server, requests, *, concurrency=20, keep_alive=True, body=None, path="/", cores=None):
    """Our raw epoll client: the cheapest there is, so that the client hides little of the server."""
    argv = [program, "-n", requests, "-c", concurrency] + (["-k"] if keep_alive else [])
    argv += (["-p", body, "-T", CONTENT_TYPE] if body else []) + [server.url(path)]
    return _measure(argv, server, requests, cores, lambda text: float(_pairs(text)["rps"]))


def run_pingpong(program, cores, seconds, function):
    """One child behind two pipes: server_us is the parent's CPU per trip, function_us the child's."""
    text, _ = _run([program, "--cores", cores, "--seconds", seconds, "--", *function], None)
    pairs = _pairs(text)
    return Sample(float(pairs["rps"]), float(pairs["parent_us"]), float(pairs["child_us"]))


def drive(program, server, requests, **how):
    """Load whose figures nobody wants: to warm up, and to be counted by other tools."""
    run_epoll_client(program, server, requests, **how)


@contextlib.contextmanager
def open_connections(server, count):
    """So many that say nothing, while the block runs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < 2 * count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(2 * count, hard), hard))  # servers that run already keep theirs
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=2))
        yield


def _measure(argv, server, requests, cores, read_rps, read_median_us=lambda text: 0.0):
    busy, began = cpu.of_machine(), time.monotonic()
    server_before, function_before = server.cpu_us()
    text, client_us = _run(argv, cores)
    server_after, function_after = server.cpu_us()
    ours = server_after - server_before + function_after - function_before + client_us
    foreign = (cpu.of_machine() - busy - ours) / ((time.monotonic() - began) * 1e6)
    return Sample(rps=read_rps(text), server_us=(server_after - server_before) / requests,
                  function_us=(function_after - function_before) / requests,
                  client_us=client_us / requests, foreign=max(foreign, 0.0), p50_us=read_median_us(text))


def _run(argv, cores):
    """(what it printed, its CPU in us). Start-up of the client is part of its CPU: a millisecond or two."""
    argv = [str(word) for word in argv]
    before = _children_cpu_us()
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL,
                          preexec_fn=lambda: prepare_child(cores)) as popen:
        try:
            text, errors = popen.communicate(timeout=RUN_SECONDS)
        except subprocess.TimeoutExpired:
            popen.kill()
            raise MeasureError(f"{argv[0]} has not ended after {RUN_SECONDS} s") from None
    if popen.returncode != 0:
        raise MeasureError(f"{' '.join(argv)} ended with {popen.returncode}: {(errors + text).strip()[-400:]}")
    return text, _children_cpu_us() - before


def _children_cpu_us():
    """CPU of the children that have been waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (usage.ru_utime + usage.ru_stime) * 1e6


def _read_ab_report(text):
    """Requests per second. A run with failures says nothing about speed."""
    bad = re.findall(r"^(Failed requests:\s+[1-9]\d*|Non-2xx responses:\s+\d+|   \(Connect.*)$", text, re.MULTILINE)
    rate = re.search(r"^Requests per second:\s+([\d.]+)", text, re.MULTILINE)
    if bad or not rate:
        raise MeasureError(" ".join(bad) or "no report: " + text[-300:])
    return float(rate.group(1))


def _read_median_us(text):
    return float(re.search(r"^Latency \(ms\).*\nTotal: +([\d.]+)", text, re.MULTILINE).group(1)) * 1000


def _pairs(text):
    return dict(word.split("=", 1) for word in text.split())
