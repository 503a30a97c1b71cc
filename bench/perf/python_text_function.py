"""The classic afterburn loop of 2017, in text mode: header dictionary, read(n) of the body, header and body in two writes.

Functions written like this are the ones most often deployed, so G2 to G5 are measured with it. It counts characters
where HTTP counts bytes: use functions/python3-afterburn for anything real.
"""
import sys

BODY = "You said: something. That was so fast, indeed!"
HEAD = "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nContent-Type: text/plain\r\n\r\n"


def read_headers():
    """Reads one head; None at the end of stdin."""
    if not sys.stdin.readline():
        return None
    headers = {}
    while True:
        line = sys.stdin.readline()
        if line in ("\n", "\r\n", ""):
            return headers
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()


def main():
    while True:
        headers = read_headers()
        if headers is None:
            return
        sys.stdin.read(int(headers.get("content-length", 0)))
        sys.stdout.write(HEAD % len(BODY))
        sys.stdout.flush()
        sys.stdout.write(BODY)
        sys.stdout.flush()


main()
