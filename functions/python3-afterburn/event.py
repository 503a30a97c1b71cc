"""The request as a handler sees it."""

# A header byte that is not UTF-8 survives decoding and encoding unchanged.
_ENCODING = ("utf-8", "surrogateescape")


class Headers(dict):
    """Header fields by lower-case name; look-ups take any case. Repeated fields are joined by a comma."""

    def __getitem__(self, name):
        return super().__getitem__(name.lower())

    def __contains__(self, name):
        return super().__contains__(name.lower())

    def get(self, name, default=None):
        return super().get(name.lower(), default)


class Event:
    """One request: `method`, `path`, `query`, `headers`, `body` (bytes), `text` (body as str).

    Only `body` is taken apart in advance; the head stays bytes until a handler asks for a part of it.
    """

    __slots__ = ("_head", "_headers", "body")

    def __init__(self, head, body):
        self._head = head
        self._headers = None
        self.body = body

    @property
    def method(self):
        return self._request_line()[0]

    @property
    def path(self):
        """The target up to the first '?', still percent-encoded."""
        return self._request_line()[1].partition("?")[0]

    @property
    def query(self):
        """What follows the first '?', raw; empty if there is none."""
        return self._request_line()[1].partition("?")[2]

    @property
    def text(self):
        """The body as UTF-8. Raises UnicodeDecodeError if it is not."""
        return self.body.decode()

    @property
    def headers(self):
        if self._headers is None:
            self._headers = _parse_headers(self._head)
        return self._headers

    def _request_line(self):
        line, _, _ = self._head.partition(b"\r\n")
        parts = line.decode(*_ENCODING).split(" ")
        return (parts + ["", ""])[:2]


def _parse_headers(head):
    headers = Headers()
    for line in head.split(b"\r\n")[1:]:
        name, colon, value = line.decode(*_ENCODING).partition(":")
        if not colon:
            continue
        name, value = name.lower(), value.strip(" \t")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers
