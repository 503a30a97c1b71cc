"""From what a handler returns to the bytes of an HTTP/1.1 answer."""

_RESPONSE_KEYS = {"statusCode", "body", "headers"}
_OURS = {"content-length", "transfer-encoding", "connection"}  # framing belongs to this file
_BODILESS = (204, 304)
_UNSAFE = frozenset(b"\r\n\0")


def render(result, head_only=False):
    """Turns a handler's result into one answer, head and body in one bytes object.

    Accepts None, str, bytes, (body, status), (body, status, headers), a dict of `statusCode`, `body` and `headers`,
    and anything json can write. Content-Length is in bytes. `head_only` leaves the body out, as HEAD asks for.
    Raises TypeError or ValueError if the result cannot be an answer.
    """
    if type(result) is str:
        result = result.encode()
    if type(result) is bytes and not head_only:  # the hot path: nothing to decide
        return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(result), result)
    body, status, headers = _parts(result)
    payload, content_type = _payload(body)
    lines = [b"HTTP/1.1 %d %b\r\n" % (status, _reason(status))]
    lines += _header_lines(headers, content_type)
    if status in _BODILESS:
        payload = b""
    else:
        lines.append(b"Content-Length: %d\r\n" % len(payload))
    lines.append(b"\r\n")
    if not head_only:
        lines.append(payload)
    return b"".join(lines)


def _parts(result):
    if isinstance(result, tuple):
        if len(result) not in (2, 3):
            raise TypeError("a tuple must be (body, status) or (body, status, headers)")
        return (result + (None,))[:3]
    if isinstance(result, dict) and result and _RESPONSE_KEYS.issuperset(result):
        return result.get("body"), result.get("statusCode", 200), result.get("headers")
    return result, 200, None


def _payload(body):
    """The body's bytes, and the media type if the type of the value implies one."""
    if body is None:
        return b"", None
    if isinstance(body, str):
        return body.encode(), None
    if isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(body), None
    import json  # late: most functions answer text and start faster without it

    return json.dumps(body).encode(), b"application/json"


def _reason(status):
    if status == 200:
        return b"OK"
    if not isinstance(status, int) or not 200 <= status <= 599:
        raise ValueError(f"status must be a number from 200 to 599, not {status!r}")
    import http

    try:
        return http.HTTPStatus(status).phrase.encode()
    except ValueError:
        return b"Unknown"


def _header_lines(headers, content_type):
    pairs = headers.items() if hasattr(headers, "items") else headers or ()
    lines = []
    for name, values in pairs:
        if name.lower() in _OURS:
            continue
        if name.lower() == "content-type":
            content_type = None
        for value in values if isinstance(values, (list, tuple)) else (values,):
            lines.append(_header_line(name, value))
    if content_type:
        lines.append(b"Content-Type: %b\r\n" % content_type)
    return lines


def _header_line(name, value):
    line = f"{name}: {value}".encode("utf-8", "surrogateescape")
    if not name or _UNSAFE.intersection(line):
        raise ValueError(f"header {name!r} has a line break or no name")
    return line + b"\r\n"
