"""What a watchdog weighs: resident memory, time to its first answer, size of its file."""
import os
import shutil
import socket
import subprocess
import tempfile
import time

from . import cpu
from .process import MeasureError

REQUESTS = 10_000
FIRST_ANSWER_SECONDS = 10
POLL_SECONDS = 0.0001
FIRST_REQUEST = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"


def memory(server, drive):
    """(RSS idle, after 10,000 requests, after 20,000) in bytes; half of the requests keep their connection."""
    time.sleep(0.3)  # let start-up end
    sizes = [cpu.rss_bytes(server.pid)]
    for _ in range(2):
        drive(server, REQUESTS // 2, keep_alive=True)
        drive(server, REQUESTS // 2, keep_alive=False)
        sizes.append(cpu.rss_bytes(server.pid))
    return sizes


def first_answer_ms(start, port):
    """From exec of the server that start() gives to the end of its first 200."""
    began = time.monotonic()
    with start() as server:
        while time.monotonic() - began < FIRST_ANSWER_SECONDS:
            if _answers(port):
                return (time.monotonic() - began) * 1000
            time.sleep(POLL_SECONDS)
        raise MeasureError(f"no answer after {FIRST_ANSWER_SECONDS} s: {server.log_tail()}")


def stripped_bytes(path):
    """Size of the file without its symbols; the file itself is left alone."""
    strip = shutil.which("strip")
    if not strip:
        return os.path.getsize(path)
    with tempfile.TemporaryDirectory(prefix="fwd-perf-") as folder:
        copy = os.path.join(folder, "stripped")
        done = subprocess.run([strip, "-o", copy, path], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise MeasureError(done.stderr.strip())
        return os.path.getsize(copy)


def _answers(port):
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as client:
            client.sendall(FIRST_REQUEST)
            return client.recv(4096).startswith(b"HTTP/1.1 200")
    except OSError:
        return False
