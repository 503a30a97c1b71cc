"""Behaves as the published python3-afterburn template does: text streams, lengths in characters.

Kept as it is on purpose: the length of a body counts code points in both directions, head and body leave in two writes,
a 500 has no reason phrase, "Connection: Close" closes nothing, and at the end of the input it spins.
"""

import sys


def handle(body):
    return body


def write_answer(status, body, output):
    output.write(f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n"
                 "Content-Type: text/plain\r\nConnection: Close\r\n\r\n")
    output.flush()
    output.write(body)
    output.flush()


def read_head(source):
    """Lines up to the empty one, character by character; at the end of the input it never returns."""
    lines, line = [], ""
    while True:
        char = source.read(1)
        if char == "\r":
            continue
        if char != "\n":
            line += char
        elif line:
            lines.append(line)
            line = ""
        else:
            return lines


def fields_of(lines):
    fields = {}
    for line in lines[1:]:
        name, *rest = line.split(":")
        fields[name] = "".join(rest).strip()  # the colons inside a value are gone
    return fields


def serve(source, output):
    while True:
        lines = read_head(source)
        method = lines[0].split(" ")[0] if lines else ""
        fields = fields_of(lines)
        if "Content-Length" not in fields:
            write_answer("500", "Internal Error: Content-Length must be present in the request", output)
            continue
        body = source.read(int(fields["Content-Length"]))
        if method == "POST":
            write_answer("200 OK", handle(body), output)
        else:
            write_answer("400 Bad Request", "Malformed Request: Unrecognised Http method", output)


if __name__ == "__main__":
    serve(sys.stdin, sys.stdout)
