"""The modes of the watchdogs beside afterburn: what is asked of each, and with which settings it is started."""
import dataclasses
import os
import signal

from .process import Server, free_port

STATIC_FILE = "page.html"


@dataclasses.dataclass(frozen=True)
class Mode:
    """One mode, and how many requests a run of it sends: a request that starts a process takes a hundred times as long."""
    name: str
    peer: str = "of"  # which of the old watchdogs has it: "of" or "classic"
    posts: bool = True
    path: str = "/"
    keep_requests: int = 30_000
    close_requests: int = 8_000
    memory_requests: int = 10_000
    forks: bool = False  # one process per request

    def first_request(self):
        """What a probe sends to see the first 200."""
        method, length, body = ("POST", 2, "hi") if self.posts else ("GET", 0, "")
        return (f"{method} {self.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {length}\r\n"
                f"Connection: close\r\n\r\n{body}").encode()


def _forking(name, peer="of"):
    return Mode(name, peer, keep_requests=2_000, close_requests=2_000, memory_requests=2_000, forks=True)


AFTERBURN = Mode("afterburn")
MODES = {mode.name: mode for mode in (
    Mode("http"), _forking("streaming"), _forking("serializing"), _forking("classic", "classic"),
    Mode("static", posts=False, path=f"/{STATIC_FILE}"))}


def settings(mode, hello, folder):
    """(settings by name, argv of the function): alike for both watchdogs. hello: the HTTP function; folder: the static files."""
    if mode.name == "static":
        return {"static_path": folder}, []
    if mode.name == "http":
        port = free_port()
        return {"upstream_url": f"http://127.0.0.1:{port}"}, [hello, "--port", str(port)]
    return {}, ["cat"]


def start_peer(program, mode, port, settings_and_function):
    """An old watchdog: settings from the environment, metrics always on 8081, slow to stop gently, so it is killed."""
    values, function = settings_and_function
    environment = {"mode": mode.name, "port": str(port), "fprocess": " ".join(function), **values}
    return Server([program], env=environment, port=port, stop_signal=signal.SIGKILL)


def write_static_file(folder, size_bytes):
    """A page of that size, as the recorded figures were taken."""
    os.makedirs(folder)
    with open(os.path.join(folder, STATIC_FILE), "w") as file:
        file.write("x" * size_bytes)
    return folder
