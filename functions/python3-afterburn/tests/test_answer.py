"""What a handler may return, and the bytes that come of it."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from answer import render  # noqa: E402
from event import Event  # noqa: E402


class AnswerTest(unittest.TestCase):
    def test_results_become_answers(self):
        table = [
            (None, b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
            ("", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
            ("hé€", b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nh\xc3\xa9\xe2\x82\xac"),
            (b"\x00\xff", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\x00\xff"),
            (bytearray(b"x"), b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"),
            (("no", 404), b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno"),
            (("x", 299), b"HTTP/1.1 299 Unknown\r\nContent-Length: 1\r\n\r\nx"),
            (("gone", 204), b"HTTP/1.1 204 No Content\r\n\r\n"),
            (("a", 200, {"X-A": 1}), b"HTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Length: 1\r\n\r\na"),
            (("", 200, [("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")]),
             b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\n\r\n"),
            ({"statusCode": 201, "body": "made", "headers": {"Set-Cookie": ["a=1", "b=2"]}},
             b"HTTP/1.1 201 Created\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 4\r\n\r\nmade"),
            ({"body": "x"}, b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"),
            ({"n": 1}, b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n{"n": 1}'),
            (({"n": 1}, 200, {"content-type": "text/x"}),
             b'HTTP/1.1 200 OK\r\ncontent-type: text/x\r\nContent-Length: 8\r\n\r\n{"n": 1}'),
            (("x", 200, {"Content-Length": 9, "Connection": "close"}),
             b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"),
        ]
        for result, expected in table:
            with self.subTest(result=result):
                self.assertEqual(render(result), expected)

    def test_head_only_keeps_the_length_and_leaves_the_body_out(self):
        self.assertEqual(render("four", head_only=True), b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n")

    def test_impossible_results_are_errors(self):
        for result in [("x", 99), ("x", "200"), ("x", 600), ("x",), ("x", 200, {"A": "1\r\nB: 2"}),
                       ("x", 200, {"": "1"}), "\ud800", object()]:
            with self.subTest(result=result), self.assertRaises((TypeError, ValueError)):
                render(result)


class EventTest(unittest.TestCase):
    def test_parts_of_a_request(self):
        event = Event(b"PUT /a%20b?x=1&y=?z HTTP/1.1\r\nHost: h\r\nX-Two: 1\r\nx-two:  2 \r\n", b"\xc3\xa9")
        self.assertEqual((event.method, event.path, event.query), ("PUT", "/a%20b", "x=1&y=?z"))
        self.assertEqual(event.headers["x-TWO"], "1, 2")
        self.assertEqual(event.headers.get("Missing", "none"), "none")
        self.assertIn("HOST", event.headers)
        self.assertEqual(event.text, "é")

    def test_header_bytes_survive_decoding_and_encoding(self):
        value = Event(b"GET / HTTP/1.1\r\nX-Raw: \xff\xc3\xa9\r\n", b"").headers["X-Raw"]
        self.assertIn(b"X-Back: \xff\xc3\xa9\r\n", render(("", 200, {"X-Back": value})))


if __name__ == "__main__":
    unittest.main()
