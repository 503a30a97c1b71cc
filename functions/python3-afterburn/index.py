"""Keeps one Python process hot: HTTP/1.1 requests from stdin, one answer after the other.

Answers go to the descriptor in FWATCHDOG_RESPONSE_FD if the watchdog offers one, and then stdout is a log. Without it
they go to the original stdout, and whatever the handler prints is moved to stderr, where it cannot break the protocol.
"""

import os
import signal
import sys

from answer import render
from event import Event

_READ_BYTES = 65536  # a whole pipe, pipe(7): a usual request comes in one read
_LARGE_READ_BYTES = 1 << 20  # what one read of a large body may allocate
_HEAD_LIMIT_BYTES = 1 << 20  # far above what a watchdog lets through; a longer head is a broken stream


class BrokenStream(Exception):
    """The input cannot be cut into requests any more."""


class Requests:
    """Cuts the bytes of a descriptor into requests, however they are segmented."""

    def __init__(self, descriptor):
        self._descriptor = descriptor
        self._buffer = b""

    def started(self):
        """True if a part of the next request has been read."""
        return bool(self._buffer)

    def next(self):
        """The next (head, body), or None at the end of the input. The head ends with its last CRLF."""
        head_end = self._buffer.find(b"\r\n\r\n")
        while head_end < 0:
            more = os.read(self._descriptor, _READ_BYTES)
            if not more:
                return None
            searched = max(0, len(self._buffer) - 3)
            self._buffer = self._buffer + more if self._buffer else more
            head_end = self._buffer.find(b"\r\n\r\n", searched)
            if head_end < 0 and len(self._buffer) > _HEAD_LIMIT_BYTES:
                raise BrokenStream("the head of a request does not end")
        head = self._buffer[: head_end + 2]
        body_end = head_end + 4 + _content_length(head)
        if body_end > len(self._buffer) and not self._fill(body_end):
            return None
        body = self._buffer[head_end + 4 : body_end]
        self._buffer = self._buffer[body_end:]
        return head, body

    def _fill(self, wanted):
        """Reads until the buffer holds `wanted` bytes; False at the end of the input."""
        parts = [self._buffer]
        missing = wanted - len(self._buffer)
        while missing > 0:
            more = os.read(self._descriptor, min(missing, _LARGE_READ_BYTES))
            if not more:
                return False
            parts.append(more)
            missing -= len(more)
        self._buffer = b"".join(parts)
        return True


def _content_length(head):
    """The length of the body; 0 without a Content-Length."""
    name = b"\r\nContent-Length:"
    at = head.find(name)
    if at < 0:  # not spelt as a watchdog spells it: look again without case
        lower = head.lower()
        at = lower.find(name.lower())
        if at < 0:
            if b"\r\ntransfer-encoding:" in lower:
                raise BrokenStream("a request without Content-Length has a Transfer-Encoding")
            return 0
    value = head[at + len(name) : head.index(b"\r\n", at + 2)].strip(b" \t")
    if not value.isdigit():
        raise BrokenStream("a Content-Length is not a number")
    return int(value)


class Server:
    """Answers requests until the input ends or SIGTERM asks to stop; an answer in flight is finished first."""

    def __init__(self, requests, answer_descriptor, handle):
        self._requests = requests
        self._answer_descriptor = answer_descriptor
        self._handle = handle
        self._answering = False
        self._stopping = False

    def stop(self, _signal=None, _frame=None):
        self._stopping = True
        if not self._answering and not self._requests.started():
            raise SystemExit(0)

    def run(self):
        """Returns the exit code of the process."""
        while not self._stopping or self._requests.started():
            try:
                request = self._requests.next()
            except BrokenStream as error:
                print(f"Broken request: {error}", file=sys.stderr, flush=True)
                self._write(render(("Bad Request\n", 400)))
                return 1
            if request is None:
                return 0
            self._answering = True
            self._write(self._answer(*request))
            self._answering = False
        return 0

    def _answer(self, head, body):
        head_only = head.startswith(b"HEAD ")
        try:
            return render(self._handle(Event(head, body)), head_only)
        except Exception:
            import traceback

            traceback.print_exc()
            return render(("The function failed; its log says why.\n", 500), head_only)

    def _write(self, answer):
        """One write for head and body. A pipe takes less only when a signal comes in between."""
        written = os.write(self._answer_descriptor, answer)
        while written < len(answer):
            written += os.write(self._answer_descriptor, memoryview(answer)[written:])


def _take_descriptors():
    """Takes the protocol's descriptors away from the handler: (requests, answers)."""
    requests = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    offered = os.environ.get("FWATCHDOG_RESPONSE_FD", "")
    if offered:
        answers = int(offered)
        os.set_inheritable(answers, False)
    else:
        answers = os.dup(1)
        os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)  # so that a log line leaves when it is printed
    return requests, answers


def main():
    requests, answers = _take_descriptors()
    from function.handler import handle  # after the descriptors: importing it may print

    server = Server(Requests(requests), answers, handle)
    signal.signal(signal.SIGTERM, server.stop)
    try:
        return server.run()
    except BrokenPipeError:  # the watchdog is gone
        return 0


if __name__ == "__main__":
    sys.exit(main())
