"""The programs that are compared, and the servers made of them. A server is started on first use and lives until close()."""
import os
import shutil
import sys
import tempfile

from .modes import AFTERBURN, settings, start_peer, write_static_file
from .process import MeasureError, Server, free_port

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))
BODY_BYTES = 146  # as the reference figures of the old watchdog were taken


class Subjects:
    """Paths of everything under test, and the running servers."""

    def __init__(self, build, static=None, peers=None, extra_arguments=()):
        """peers: paths of old watchdogs by what they are: "afterburn" (of-watchdog that still has it), "of", "classic"."""
        self.fwatchdog = _program(os.path.join(build, "bin", "fwatchdog"))
        self.static = static if static and os.access(static, os.X_OK) else None
        self.peers = {kind: _program(path) for kind, path in (peers or {}).items() if path}
        self.extra_arguments = list(extra_arguments)
        self._perf = os.path.join(build, "bin", "perf")
        self.epoll_client = _program(os.path.join(self._perf, "epoll_client"))
        self.epoll_hello = _program(os.path.join(self._perf, "epoll_hello"))
        self.pingpong = _program(os.path.join(self._perf, "pingpong"))
        self.spawn_relay = _program(os.path.join(self._perf, "spawn_relay"))
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
        self._static_folder = write_static_file(os.path.join(self._folder, "static"), BODY_BYTES)
        self._servers = {}

    def close(self):
        for server in self._servers.values():
            server.stop()
        self._servers.clear()
        shutil.rmtree(self._folder, ignore_errors=True)

    def needed_fbench(self):
        if not self.fbench:
            raise MeasureError("fbench is missing: build it first")
        return self.fbench

    def fwatchdog_argv(self, function="C++", port=0, program=None, workers=None):
        argv = [program or self.fwatchdog, "--mode", "afterburn", "--port", port, "--metrics_port", 0,
                "--suppress_lock"]
        argv += ["--afterburn_workers", workers] if workers else []
        return argv + self.extra_arguments + ["--", *self.functions[function]]

    def mode_argv(self, mode, port=0, program=None, more=()):
        """fwatchdog in another mode; every call has a new upstream port, so the argv serves one start."""
        values, function = settings(mode, self.epoll_hello, self._static_folder)
        argv = [program or self.fwatchdog, "--mode", mode.name, "--port", port, "--metrics_port", 0, "--suppress_lock"]
        for name, value in values.items():
            argv += [f"--{name}", value]
        return argv + [*more, *self.extra_arguments] + (["--", *function] if function else [])

    def peer_of(self, mode):
        """Path of the old watchdog that has the mode; None when it was not given."""
        return self.peers.get("afterburn" if mode is AFTERBURN else mode.peer)

    def start_peer(self, mode, port=None):
        """A new one: the caller stops it."""
        self.stop_peers()
        function = ({}, self.functions["C++"]) if mode is AFTERBURN else settings(mode, self.epoll_hello, self._static_folder)
        return start_peer(self.peer_of(mode), mode, port or free_port(), function)

    def hello(self, pinned=False):
        return self._get(("epoll", pinned), lambda: Server([self.epoll_hello], cores=self._cores(pinned)))

    def relay(self):
        return self._get("spawn_relay", lambda: Server([self.spawn_relay, "cat"]))

    def watchdog(self, function="C++", pinned=False):
        return self._get((function, pinned), lambda: Server(self.fwatchdog_argv(function), cores=self._cores(pinned)))

    def mode_watchdog(self, mode, function=(), more=()):
        """function: instead of the mode's own."""
        def start():
            argv = self.mode_argv(mode, more=more)
            return Server(argv[:argv.index("--") + 1] + list(function) if function else argv)
        return self._get(("fwatchdog", mode, tuple(function), tuple(more)), start)

    def mode_peer(self, mode):
        """Runs until another peer is wanted."""
        if ("peer", mode) not in self._servers:
            self.stop_peers()
        return self._get(("peer", mode), lambda: self.start_peer(mode))

    def stop_peers(self):
        """Their metrics are always on port 8081, so only one can run."""
        for key in [key for key in self._servers if key[0] == "peer"]:
            self._servers.pop(key).stop()

    def _cores(self, pinned):
        return self.server_core if pinned else None

    def _get(self, key, start):
        if key not in self._servers:
            self._servers[key] = start()  # kept at once, so that close() ends it whatever happens
            try:
                self._servers[key].wait_until_up()
            except MeasureError:
                self._servers.pop(key).stop()
                raise
        return self._servers[key]


def _program(path):
    if not os.access(path, os.X_OK):
        raise MeasureError(f"{path} is missing: build it first (cmake --preset release && cmake --build --preset release)")
    return os.path.abspath(path)
