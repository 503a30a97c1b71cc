"""Requests one after the other with a pause between, so that what a watchdog prepares meanwhile is ready."""
import socket
import statistics
import time

from .load import Sample
from .process import MeasureError

BODY = b"x" * 145 + b"!"  # its last byte occurs nowhere else in the answer
REQUEST = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)
ANSWER_SECONDS = 10


def run(server, requests, pause_seconds):
    """Sample with the median time of an echo on one kept connection; first the pause, so that the first one is no exception."""
    times, before = [], server.cpu_us()
    with socket.create_connection(("127.0.0.1", server.port), timeout=ANSWER_SECONDS) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(requests):
            time.sleep(pause_seconds)
            began = time.monotonic()
            client.sendall(REQUEST)
            _read_answer(client)
            times.append(time.monotonic() - began)
    after = server.cpu_us()
    return Sample(rps=0.0, server_us=(after[0] - before[0]) / requests, function_us=(after[1] - before[1]) / requests,
                  p50_us=statistics.median(times) * 1e6)


def _read_answer(client):
    """Returns at the end of the body, by its length or by its last chunk."""
    answer = b""
    while True:
        got = client.recv(65536)
        answer += got
        if not got or not b"HTTP/1.1 200".startswith(answer[:12]):
            raise MeasureError(f"no 200 to a paced request: {answer[:200]!r}")
        if b"\r\n\r\n" in answer and answer.endswith(b"0\r\n\r\n" if _is_chunked(answer) else BODY[-1:]):
            return


def _is_chunked(answer):
    return b"\r\ntransfer-encoding: chunked" in answer.partition(b"\r\n\r\n")[0].lower()
