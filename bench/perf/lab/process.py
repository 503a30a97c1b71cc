"""Servers under test: each has a TMPDIR and a session of its own, and is ended by its pid."""
import ctypes
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time

from . import cpu

START_SECONDS = 30     # valgrind needs a few; a server that takes longer is broken
FIRST_ANSWER_SECONDS = 10
POLL_SECONDS = 0.0001  # fine enough for a start-up of a millisecond
STOP_SECONDS = 5       # then SIGKILL
PR_SET_PDEATHSIG = 1   # prctl(2): nothing survives a killed run.py
LISTENING = re.compile(r"(?<!stderr: )Listening on port: (\d+)\s*$", re.MULTILINE)  # not that of its function
INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PYTHONHOME")
_libc = ctypes.CDLL(None)


class MeasureError(Exception):
    """A measurement that cannot be made; the text says why."""


class SkippedError(MeasureError):
    """This place does not let us measure; no fault of what is measured."""


class Server:
    """A process that serves 127.0.0.1:port. Use as a context manager, or call stop()."""

    def __init__(self, argv, env=None, port=None, cores=None, stop_signal=signal.SIGTERM):
        """port: set when the program cannot tell; else it is read from its log. cores: pins it and its children."""
        self.argv = [str(word) for word in argv]
        self.tmpdir = tempfile.mkdtemp(prefix="fwd-perf-")
        self.log_path = os.path.join(self.tmpdir, "log")
        self.port = port
        self._stop_signal = stop_signal
        environment = {name: os.environ[name] for name in INHERITED if name in os.environ}
        environment.update(env or {}, TMPDIR=self.tmpdir)
        clock, clock_of_child = os.pipe()

        def prepare():
            prepare_child(cores)
            os.write(clock_of_child, struct.pack("d", time.monotonic()))

        with open(self.log_path, "wb") as log, open(clock, "rb") as clock_file:
            try:
                self.popen = subprocess.Popen(self.argv, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                              start_new_session=True, preexec_fn=prepare)
            finally:
                os.close(clock_of_child)
            self.exec_time = struct.unpack("d", clock_file.read())[0]  # the fork of Python takes longer than many a start-up
        self.pid = self.popen.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def wait_until_up(self):
        """Returns self once the port takes connections."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self.popen.poll() is not None:
                raise MeasureError(f"{self.argv[0]} ended with {self.popen.returncode}: {self.log_tail()}")
            if self.port is None:
                found = LISTENING.search(self.log_text())
                self.port = int(found.group(1)) if found else None
            if self.port and _accepts(self.port):
                return self
            time.sleep(0.01)
        raise MeasureError(f"{self.argv[0]} does not listen after {START_SECONDS} s: {self.log_tail()}")

    def wait_until_answers(self, request):
        """Returns self after the first 200: the port may take connections before the function does."""
        deadline = time.monotonic() + FIRST_ANSWER_SECONDS
        while time.monotonic() < deadline:
            if self.port and _answers(self.port, request):
                return self
            if self.popen.poll() is not None:
                raise MeasureError(f"{self.argv[0]} ended with {self.popen.returncode}: {self.log_tail()}")
            time.sleep(POLL_SECONDS)
        raise MeasureError(f"no answer after {FIRST_ANSWER_SECONDS} s: {self.log_tail()}")

    def url(self, path="/"):
        return f"http://127.0.0.1:{self.port}{path}"

    def log_text(self):
        with open(self.log_path, errors="replace") as file:
            return file.read(1 << 20)

    def log_tail(self):
        return self.log_text()[-400:].strip() or "(it said nothing)"

    def cpu_us(self):
        """(of the server itself, of all its children, those included that it has waited for)"""
        children = sum(cpu.of_process(pid) for pid in cpu.descendants(self.pid))
        return cpu.of_process(self.pid), children + cpu.of_ended_children(self.pid)

    def stop(self):
        """SIGTERM, then SIGKILL; then the children that outlived it. Returns when all are gone."""
        children = {pid: cpu.start_time(pid) for pid in cpu.descendants(self.pid)}
        if self.popen.poll() is None:
            self.popen.send_signal(self._stop_signal)
            try:
                self.popen.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.popen.kill()
                self.popen.wait()
        for pid, started in children.items():
            if started is not None and cpu.start_time(pid) == started:
                os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.tmpdir, ignore_errors=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def prepare_child(cores):
    """Runs between fork and exec."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if cores:
        os.sched_setaffinity(0, cores)


def _accepts(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


def _answers(port, request):
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as client:
            client.sendall(request)
            return client.recv(4096).startswith(b"HTTP/1.1 200")
    except OSError:
        return False
