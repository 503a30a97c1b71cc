"""What is measured. A section gives steps (key, function); run.py calls the steps of all sections in turn, round after round.

Keys are "row | subject"; goals.py computes its ratios from them. A key that two sections give is measured once a round.
"""
from . import counts, footprint, load
from .process import MeasureError, Server, free_port

KEEP_REQUESTS, CLOSE_REQUESTS, SINGLE_REQUESTS = 30_000, 8_000, 5_000
PINGPONG_SECONDS = 0.5
HEALTH = "/_/health"  # answered by the watchdog itself: its front-end and nothing else


class Plan:
    """The steps of the sections that were asked for."""

    def __init__(self, subjects, scale=1.0, profile=None):
        self.subjects = subjects
        self.scale = scale
        self.profile = profile

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
            if its.peer:
                yield f"{row} | old watchdog, C++", lambda k=keep_alive: self._ab(its.old_watchdog("C++"), k)
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
        """Exec to first 200 through the C++ function, of the static program if it has been built."""
        its = self.subjects
        yield "start-up ms | fwatchdog", lambda: self._first_answer(
            lambda port: Server(its.fwatchdog_argv(port=port, program=its.static), port=port))
        if its.peer:
            yield "start-up ms | old watchdog", self._old_first_answer

    def once(self, names):
        """Steps that need no repetition: memory, file size, counts."""
        if "memory" in names:
            yield "memory MB | fwatchdog", lambda: self._memory(Server(self.subjects.fwatchdog_argv(program=self.subjects.static)))
            if self.subjects.peer:
                yield "memory MB | old watchdog", self._old_memory
        if "size" in names:
            yield "file MB | fwatchdog", self._size
        if "counts" in names:
            yield from self.gate()
            yield "instructions hello keep-alive | raw epoll", lambda: self._raw_instructions(True)
            yield "instructions afterburn close | fwatchdog", lambda: self._instructions(keep_alive=False, body=self.subjects.body)
            yield "system calls hello keep-alive | raw epoll", lambda: self._system_calls_of(
                self.subjects.epoll_hello_argv(), keep_alive=True)

    def gate(self):
        """G10, G10b: deterministic, so they can fail a build."""
        its = self.subjects
        hello = {"keep_alive": True, "path": HEALTH}
        if counts.find_tool("valgrind"):
            yield "instructions hello keep-alive | fwatchdog", lambda: self._instructions(**hello)
            yield "instructions afterburn keep-alive | fwatchdog", lambda: self._instructions(keep_alive=True, body=its.body)
        if counts.find_tool("strace"):
            yield "system calls hello keep-alive | fwatchdog", lambda: self._system_calls(**hello)
            yield "system calls afterburn keep-alive | fwatchdog", lambda: self._system_calls(keep_alive=True, body=its.body)
            yield "system calls afterburn close | fwatchdog", lambda: self._system_calls(keep_alive=False, body=its.body)

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

    def _instructions(self, **how):
        keep = self.profile if how.get("body") and how["keep_alive"] else None
        return counts.instructions(lambda: self.subjects.fwatchdog_argv(workers=2), self._drive(**how), keep)

    def _raw_instructions(self, keep_alive):
        return counts.instructions(self.subjects.epoll_hello_argv, self._drive(keep_alive=keep_alive))

    def _system_calls(self, **how):
        return self._system_calls_of(self.subjects.fwatchdog_argv(workers=2), **how)

    def _system_calls_of(self, argv, **how):
        with Server(argv) as server:
            server.wait_until_up()
            return counts.system_calls(server, self._drive(**how))

    def _first_answer(self, start):
        port = free_port()
        return footprint.first_answer_ms(lambda: start(port), port)

    def _old_first_answer(self):
        self.subjects.stop_old_watchdog()
        return self._first_answer(self.subjects.start_peer)

    def _memory(self, server):
        with server:
            server.wait_until_up()
            return [size / 1e6 for size in footprint.memory(server, self._drive(body=self.subjects.body))]

    def _old_memory(self):
        self.subjects.stop_old_watchdog()
        return self._memory(self.subjects.start_peer(free_port()))

    def _size(self):
        return footprint.stripped_bytes(self.subjects.static or self.subjects.fwatchdog) / 1e6
