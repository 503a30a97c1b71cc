"""The programs that are compared, and the servers made of them. A server is started on first use and lives until close()."""
import os
import shutil
import signal
import sys
import tempfile

from .process import MeasureError, Server, free_port

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))
BODY_BYTES = 146  # as the reference figures of the old watchdog were taken


class Subjects:
    """Paths of everything under test, and the running servers."""

    def __init__(self, build, static=None, peer=None, extra_arguments=()):
        self.fwatchdog = _program(os.path.join(build, "bin", "fwatchdog"))
        self.static = static if static and os.access(static, os.X_OK) else None
        self.peer = _program(peer) if peer else None
        self.extra_arguments = list(extra_arguments)
        self._perf = os.path.join(build, "bin", "perf")
        self.epoll_client = _program(os.path.join(self._perf, "epoll_client"))
        self.pingpong = _program(os.path.join(self._perf, "pingpong"))
        fbench = os.path.join(build, "bin", "fbench")
        self.fbench = fbench if os.access(fbench, os.X_OK) else None
        self.ab = shutil.which("ab") or self.fbench  # None only where neither is there
        self.functions = {
            "C++": [_program(os.path.join(self._perf, "cpp_function"))],
            "python text": [sys.executable, os.path.join(HERE, "python_text_function.py")],
        }
        template = os.path.join(REPOSITORY, "functions", "python3-afterburn", "index.py")
        if os.path.exists(template):
            self.functions["python3-afterburn"] = [sys.executable, template]
        cores = sorted(os.sched_getaffinity(0))
        self.server_core, self.client_core = ({cores[0]}, {cores[1]}) if len(cores) > 1 else (None, None)
        self._folder = tempfile.mkdtemp(prefix="fwd-perf-")
        self.body = os.path.join(self._folder, "body")
        with open(self.body, "w") as file:
            file.write("x" * BODY_BYTES)
        self._servers = {}

    def close(self):
        for server in self._servers.values():
            server.stop()
        self._servers.clear()
        shutil.rmtree(self._folder, ignore_errors=True)

    def epoll_hello_argv(self):
        return [_program(os.path.join(self._perf, "epoll_hello"))]

    def fwatchdog_argv(self, function="C++", port=0, program=None, workers=None):
        argv = [program or self.fwatchdog, "--mode", "afterburn", "--port", port, "--metrics_port", 0,
                "--suppress_lock"]
        argv += ["--afterburn_workers", workers] if workers else []
        return argv + self.extra_arguments + ["--", *self.functions[function]]

    def start_peer(self, port, function="C++"):
        """The old watchdog takes its settings from the environment. Stopping it gently takes 20 s, so it is killed."""
        environment = {"mode": "afterburn", "port": str(port), "fprocess": " ".join(self.functions[function])}
        return Server([self.peer], env=environment, port=port, stop_signal=signal.SIGKILL)

    def hello(self, pinned=False):
        return self._get(("epoll", pinned), lambda: Server(self.epoll_hello_argv(), cores=self._cores(pinned)))

    def watchdog(self, function="C++", pinned=False):
        return self._get((function, pinned), lambda: Server(self.fwatchdog_argv(function), cores=self._cores(pinned)))

    def old_watchdog(self, function="C++"):
        return self._get("old watchdog", lambda: self.start_peer(free_port(), function))

    def stop_old_watchdog(self):
        """Its metrics are always on port 8081, so only one can run."""
        if "old watchdog" in self._servers:
            self._servers.pop("old watchdog").stop()

    def _cores(self, pinned):
        return self.server_core if pinned else None

    def _get(self, key, start):
        if key not in self._servers:
            self._servers[key] = start()  # kept at once, so that close() ends it even if it never comes up
            self._servers[key].wait_until_up()
        return self._servers[key]


def _program(path):
    if not os.access(path, os.X_OK):
        raise MeasureError(f"{path} is missing: build it first (cmake --preset release && cmake --build --preset release)")
    return os.path.abspath(path)
