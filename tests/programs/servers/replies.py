"""What every server program here answers, whatever carries it.

GET /hello             a text
GET /chunked           ten parts, whose length is not known before
GET /status/<code>     that status
POST /gated            body: as for /wait; says "first" at once and "second" after the fifo
POST /wait             body: the path of a fifo; says "begun /wait" on stderr, and answers once the fifo was opened
anything else          the body of the request, with its method and length in X-Method and X-Length
"""

import os

PARTS = [b"part %d of ten\n" % number for number in range(10)]


def wait_for(path: bytes) -> bytes:
    os.write(2, b"begun /wait\n")
    with open(path, "rb") as fifo:
        fifo.read()
    return b"finished"


def gated(path: bytes):
    yield b"first\n"
    wait_for(path)
    yield b"second\n"


def reply(method: str, path: str, body: bytes):
    """Status, fields, and the parts of a body; a list of one part has a length, anything else has none."""
    fields = {"Content-Type": "application/octet-stream", "X-Method": method, "X-Length": str(len(body))}
    if path == "/hello":
        return 200, fields, [b"hello from a real server\n"]
    if path == "/chunked":
        return 200, fields, PARTS
    if path.startswith("/status/"):
        return int(path.rsplit("/", 1)[1]), fields, [b"as asked\n"]
    if path == "/gated":
        return 200, fields, gated(body)
    if path == "/wait":
        return 200, fields, [wait_for(body)]
    return 200, fields, [body]


def has_length(parts) -> bool:
    return isinstance(parts, list) and len(parts) == 1
