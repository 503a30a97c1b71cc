"""What a watchdog weighs: resident memory, time to its first answer, size of its file."""
import os
import shutil
import subprocess
import tempfile
import time

from . import cpu
from .process import MeasureError, free_port


def memory(server, drive, requests):
    """(RSS idle, after `requests`, after twice as many) in bytes; half of the requests keep their connection."""
    time.sleep(0.3)  # let start-up end
    sizes = [cpu.rss_bytes(server.pid)]
    for _ in range(2):
        drive(server, requests // 2, keep_alive=True)
        drive(server, requests // 2, keep_alive=False)
        sizes.append(cpu.rss_bytes(server.pid))
    return sizes


def first_answer_ms(start, request):
    """From exec of the server that start(port) gives to the end of its first 200."""
    with start(free_port()) as server:
        server.wait_until_answers(request)
        return (time.monotonic() - server.exec_time) * 1000


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
