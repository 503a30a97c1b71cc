"""The sections of every mode but afterburn, the spawns and the bulk. Steps as in sections.py."""
import sys

from . import bulk, footprint, load, paced
from .modes import MODES
from .process import Server

RAW_KEEP_REQUESTS, RAW_CLOSE_REQUESTS = 30_000, 8_000
SPAWN_REQUESTS = 1_000
OPEN_CONNECTIONS = 1_000
WARM_UP_SHARE = 0.05
PREFORK = ("--prefork", 1, "--cgi_headers", "false")  # what a request says cannot be in a child that started before it
COLD = ("--prefork", 0, "--cgi_headers", "false")
PACED = {  # function, how many requests, and the pause after each: long enough for the next process to be ready
    "cat": (["cat"], 100, 0.01),
    "python3": ([sys.executable, "-c", "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"], 20, 0.2),
}


class ModeSteps:
    """The steps, for the subjects that are there."""

    def __init__(self, subjects, scale):
        self.subjects = subjects
        self.scale = scale
        self._warmed = set()

    def mode(self, name):
        """c=20, nothing pinned: POST of 146 bytes, or GET of a file of 146; each new connection or kept."""
        its, mode = self.subjects, MODES[name]
        for kind, keep_alive in (("keep-alive", True), ("close", False)):
            yield f"{name} {kind} | raw epoll", lambda k=keep_alive: self._raw(mode, k)
            yield f"{name} {kind} | fwatchdog", lambda k=keep_alive: self._run(its.mode_watchdog(mode), mode, k)
            if its.peer_of(mode):
                yield f"{name} {kind} | old watchdog", lambda k=keep_alive: self._run(its.mode_peer(mode), mode, k)

    def startup(self):
        """Exec to first 200."""
        its = self.subjects
        for mode in MODES.values():
            yield f"start-up ms | fwatchdog, {mode.name}", lambda m=mode: self._first_answer(m)
            if its.peer_of(mode):
                yield (f"start-up ms | old watchdog, {mode.name}",
                       lambda m=mode: footprint.first_answer_ms(lambda port: its.start_peer(m, port), m.first_request()))

    def memory(self):
        """Resident memory, of both."""
        its = self.subjects
        for mode in MODES.values():
            yield (f"memory MB | fwatchdog, {mode.name}",
                   lambda m=mode: self.memory_of(Server(its.mode_argv(m, program=its.static)), m))
            if its.peer_of(mode):
                yield f"memory MB | old watchdog, {mode.name}", lambda m=mode: self.memory_of(its.start_peer(m), m)

    def spawn(self):
        """G6, G7: what a process per request costs beyond the process, and how much of it can be done before."""
        its, mode = self.subjects, MODES["streaming"]
        yield "spawn c=1 | spawn_relay", lambda: self._spawn(its.relay())
        yield "spawn c=1 | fwatchdog", lambda: self._spawn(its.mode_watchdog(mode))
        yield "spawn c=1, 1,000 open | fwatchdog", self._spawn_among_connections
        for name, (function, requests, pause) in PACED.items():
            for label, more in (("prefork=0", COLD), ("prefork=1", PREFORK)):
                yield (f"paced {name} | {label}", lambda f=function, n=requests, p=pause, m=more: paced.run(
                    its.mode_watchdog(mode, function=f, more=m), self._scaled(n, 5), p))

    def bulk(self):
        """G8: through a process that gives back what it gets."""
        its, mode = self.subjects, MODES["streaming"]
        row = "256 MiB through cat, per MiB"
        yield f"{row} | spawn_relay", lambda: bulk.run(its.relay())
        yield f"{row} | fwatchdog", lambda: bulk.run(its.mode_watchdog(mode))
        if its.peer_of(mode):
            yield f"{row} | old watchdog", lambda: bulk.run(its.mode_peer(mode))

    def memory_of(self, server, mode, body=None):
        with server:
            server.wait_until_up().wait_until_answers(mode.first_request())
            sizes = footprint.memory(server, lambda *args, **how: self.drive(mode, *args, **how), mode.memory_requests)
            return [size / 1e6 for size in sizes]

    def drive(self, mode, server, requests, keep_alive=True):
        """Load whose figures nobody wants."""
        load.run_fbench(self._fbench(), server, requests, keep_alive=keep_alive, path=mode.path, body=self._body(mode))

    def _run(self, server, mode, keep_alive):
        requests = self._scaled(mode.keep_requests if keep_alive else mode.close_requests)
        if server.pid not in self._warmed:
            server.wait_until_answers(mode.first_request())
            self.drive(mode, server, max(20, int(requests * WARM_UP_SHARE)), keep_alive)
            self._warmed.add(server.pid)
        return load.run_fbench(self._fbench(), server, requests, keep_alive=keep_alive, path=mode.path, body=self._body(mode))

    def _raw(self, mode, keep_alive):
        requests = self._scaled(RAW_KEEP_REQUESTS if keep_alive else RAW_CLOSE_REQUESTS)
        return load.run_fbench(self._fbench(), self.subjects.hello(), requests, keep_alive=keep_alive, body=self._body(mode))

    def _spawn(self, server):
        return load.run_fbench(self._fbench(), server, self._scaled(SPAWN_REQUESTS), concurrency=1, keep_alive=False,
                               body=self.subjects.body)

    def _spawn_among_connections(self):
        server = self.subjects.mode_watchdog(MODES["streaming"])
        with load.open_connections(server, OPEN_CONNECTIONS):
            return self._spawn(server)

    def _first_answer(self, mode):
        its = self.subjects
        return footprint.first_answer_ms(
            lambda port: Server(its.mode_argv(mode, port, its.static), port=port), mode.first_request())

    def _body(self, mode):
        return self.subjects.body if mode.posts else None

    def _fbench(self):
        return self.subjects.needed_fbench()

    def _scaled(self, requests, least=100):
        return max(least, int(requests * self.scale))
