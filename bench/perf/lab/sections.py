"""What is measured. A section gives steps (key, function); run.py calls the steps of all sections in turn, round after round.

Keys are "row | subject"; goals.py computes its ratios from them. A key that two sections give is measured once a round.
"""
import os

from . import counts, footprint, load
from .mode_sections import ModeSteps
from .modes import AFTERBURN, MODES
from .process import MeasureError, Server

KEEP_REQUESTS, CLOSE_REQUESTS, SINGLE_REQUESTS = 30_000, 8_000, 5_000
PINGPONG_SECONDS = 0.5
HEALTH = "/_/health"  # answered by the watchdog itself: its front-end and nothing else


class Plan:
    """The steps of the sections that were asked for."""

    def __init__(self, subjects, scale=1.0, profile=None):
        self.subjects = subjects
        self.scale = scale
        self.profile = profile
        self._modes = ModeSteps(subjects, scale)

    def section(self, name):
        """The steps of one of the repeated sections."""
        if name in MODES:
            return self._modes.mode(name)
        return getattr(self._modes if name in ("spawn", "bulk") else self, name)()

    def frontend(self):
        """G1, G1b: hello, server and client each on a core of their own."""
        its = self.subjects
        for row, keep_alive in (("hello keep-alive", True), ("hello close", False)):
            yield f"{row} | raw epoll", lambda k=keep_alive: self._epoll(its.hello(pinned=True), k, path="/")
            yield f"{row} | fwatchdog", lambda k=keep_alive: self._epoll(its.watchdog(pinned=True), k, path=HEALTH)

    def afterburn(self):
        """The afterburn row: ab -c 20, POST of 146 bytes, C++ function, nothing pinned."""
        its = self.subjects
        for row, keep_alive in (("afterburn keep-alive", True), ("afterburn close", False)):
            yield f"{row} | raw epoll", lambda k=keep_alive: self._ab(its.hello(), k)
            yield f"{row} | fwatchdog, C++", lambda k=keep_alive: self._ab(its.watchdog("C++"), k)
            if its.peer_of(AFTERBURN):
                yield f"{row} | old watchdog, C++", lambda k=keep_alive: self._ab(its.mode_peer(AFTERBURN), k)
            if "python3-afterburn" in its.functions:
                yield (f"{row} | fwatchdog, python3-afterburn",
                       lambda k=keep_alive: self._ab(its.watchdog("python3-afterburn"), k))

    def limits(self):
        """G2 to G5: against the bare pipe and the bare socket, with the classic Python function in text mode."""
        its, function = self.subjects, "python text"
        yield "pipe one core | python text", lambda: self._pingpong("one", function)
        yield "afterburn keep-alive | raw epoll", lambda: self._ab(its.hello(), True)
        yield "afterburn keep-alive | fwatchdog, python text", lambda: self._ab(its.watchdog(function), True)
        yield "afterburn close | raw epoll", lambda: self._ab(its.hello(), False)
        yield "afterburn close | fwatchdog, python text", lambda: self._ab(its.watchdog(function), False)
        if its.client_core:
            yield "pipe two cores | python text", lambda: self._pingpong("two", function)
            yield "afterburn c=1 | fwatchdog, python text", lambda: load.run_epoll_client(
                its.epoll_client, its.watchdog(function), self._scaled(SINGLE_REQUESTS), concurrency=1, body=its.body)

    def client(self):
        """G9: fbench against the raw epoll client, same server."""
        its = self.subjects
        if its.fbench:
            yield "client keep-alive | epoll_client", lambda: self._epoll(its.hello(pinned=True), True, path="/")
            yield "client keep-alive | fbench", lambda: load.run_ab(
                its.fbench, its.hello(pinned=True), self._scaled(KEEP_REQUESTS), cores=its.client_core)

    def startup(self):
        """Exec to first 200 through the C++ function, of the static program if it has been built; then the other modes."""
        its, request = self.subjects, AFTERBURN.first_request()
        yield "start-up ms | fwatchdog", lambda: footprint.first_answer_ms(
            lambda port: Server(its.fwatchdog_argv(port=port, program=its.static), port=port), request)
        if its.peer_of(AFTERBURN):
            yield "start-up ms | old watchdog", lambda: footprint.first_answer_ms(
                lambda port: its.start_peer(AFTERBURN, port), request)
        yield from self._modes.startup()

    def once(self, names):
        """Steps that need no repetition: memory, file size, counts."""
        its = self.subjects
        if "memory" in names:
            yield "memory MB | fwatchdog", lambda: self._modes.memory_of(Server(its.fwatchdog_argv(program=its.static)), AFTERBURN)
            if its.peer_of(AFTERBURN):
                yield "memory MB | old watchdog", lambda: self._modes.memory_of(its.start_peer(AFTERBURN), AFTERBURN)
            yield from self._modes.memory()
        if "size" in names:
            yield "file MB | fwatchdog", self._size
        if "counts" in names:
            yield from self.gate()
            yield "instructions hello keep-alive | raw epoll", lambda: counts.instructions(
                lambda: [its.epoll_hello], self._drive(keep_alive=True))
            yield "instructions afterburn close | fwatchdog", lambda: self._instructions("", keep_alive=False, body=its.body)
            yield "system calls hello keep-alive | raw epoll", lambda: self._system_calls(
                [its.epoll_hello], self._drive(keep_alive=True))

    def gate(self):
        """Deterministic, so they can fail a build."""
        its = self.subjects
        hello, post = {"keep_alive": True, "path": HEALTH}, {"keep_alive": True, "body": its.body}
        counted = [MODES["http"], MODES["static"]]
        if counts.find_tool("valgrind"):
            yield "instructions hello keep-alive | fwatchdog", lambda: self._instructions("", **hello)
            yield "instructions afterburn keep-alive | fwatchdog", lambda: self._instructions("afterburn", **post)
            for mode in counted:
                yield f"instructions {mode.name} keep-alive | fwatchdog", lambda m=mode: self._mode_instructions(m)
        if counts.find_tool("strace"):
            argv = its.fwatchdog_argv(workers=2)
            for row, how in (("hello keep-alive", hello), ("afterburn keep-alive", post), ("afterburn close", {**post, "keep_alive": False})):
                yield f"system calls {row} | fwatchdog", lambda h=how: self._system_calls(argv, self._drive(**h))
            for mode in counted:
                yield f"system calls {mode.name} keep-alive | fwatchdog", lambda m=mode: self._system_calls(
                    its.mode_argv(m), self._mode_drive(m))

    def profiles(self):
        """Where the instructions of a request go that starts a process."""
        for mode in MODES.values():
            if mode.forks:
                yield f"instructions {mode.name} keep-alive | fwatchdog", lambda m=mode: self._mode_instructions(m)
                yield f"system calls {mode.name} keep-alive | fwatchdog", lambda m=mode: self._system_calls(
                    self.subjects.mode_argv(m), self._mode_drive(m))

    def _scaled(self, requests):
        return max(200, int(requests * self.scale))

    def _requests(self, keep_alive):
        return self._scaled(KEEP_REQUESTS if keep_alive else CLOSE_REQUESTS)

    def _epoll(self, server, keep_alive, path):
        return load.run_epoll_client(self.subjects.epoll_client, server, self._requests(keep_alive), keep_alive=keep_alive,
                                     path=path, cores=self.subjects.client_core)

    def _ab(self, server, keep_alive):
        if not self.subjects.ab:
            raise MeasureError("neither ab (apt-get install apache2-utils) nor fbench is there")
        return load.run_ab(self.subjects.ab, server, self._requests(keep_alive), keep_alive=keep_alive, body=self.subjects.body)

    def _pingpong(self, cores, function):
        return load.run_pingpong(self.subjects.pingpong, cores, PINGPONG_SECONDS, self.subjects.functions[function])

    def _drive(self, **how):
        return lambda server, requests, **more: load.drive(self.subjects.epoll_client, server, requests, **{**how, **more})

    def _mode_drive(self, mode):
        return lambda server, requests: self._modes.drive(mode, server.wait_until_answers(mode.first_request()), requests)

    def _instructions(self, profile, **how):
        argv = self.subjects.fwatchdog_argv(workers=2)
        return counts.instructions(lambda: argv, self._drive(**how), self._profile_path(profile))

    def _mode_instructions(self, mode):
        return counts.instructions(lambda: self.subjects.mode_argv(mode), self._mode_drive(mode), self._profile_path(mode.name))

    def _profile_path(self, name):
        """Where the profile goes; None when it is not wanted."""
        return os.path.join(self.profile, f"callgrind.out.{name}") if self.profile and name else None

    def _system_calls(self, argv, drive):
        with Server(argv) as server:
            return counts.system_calls(server.wait_until_up(), drive)

    def _size(self):
        return footprint.stripped_bytes(self.subjects.static or self.subjects.fwatchdog) / 1e6
