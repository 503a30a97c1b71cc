"""The whole program over pipes: framing, stray output, errors, the ways to stop."""

import faulthandler
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest

TEMPLATE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUDGET_SECONDS = 30  # a test that needs it has failed


def setUpModule():
    faulthandler.dump_traceback_later(4 * BUDGET_SECONDS, exit=True)  # a read that never ends fails, with its place


def tearDownModule():
    faulthandler.cancel_dump_traceback_later()


def request(body=b"", method=b"POST", head=b""):
    return b"%b / HTTP/1.1\r\nHost: h\r\n%bContent-Length: %d\r\n\r\n%b" % (method, head, len(body), body)


def said(body):
    text = b"You said: " + body + b". That was so fast!"
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(text), text)


class Program:
    """index.py with its own pipes, on the shipped handler or on the source of another one."""

    def __init__(self, handler=None, response_fd=False):
        self.folder = tempfile.TemporaryDirectory()
        for name in ("index.py", "event.py", "answer.py"):
            shutil.copy(os.path.join(TEMPLATE, name), self.folder.name)
        self._write_handler(handler)
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        environment.pop("FWATCHDOG_RESPONSE_FD", None)
        self.answers = None
        fds = ()
        if response_fd:
            self.answers, write_end = os.pipe()
            environment["FWATCHDOG_RESPONSE_FD"] = str(write_end)
            fds = (write_end,)
        self.process = subprocess.Popen([sys.executable, "index.py"], cwd=self.folder.name, env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        pass_fds=fds)
        for fd in fds:
            os.close(fd)

    def _write_handler(self, handler):
        target = os.path.join(self.folder.name, "function")
        if handler is None:
            shutil.copytree(os.path.join(TEMPLATE, "function"), target)
            return
        os.mkdir(target)
        with open(os.path.join(target, "handler.py"), "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(handler))

    def read(self, count):
        """Exactly `count` bytes of answers, or what there was before their end."""
        descriptor = self.process.stdout.fileno() if self.answers is None else self.answers
        data = b""
        while len(data) < count:
            more = os.read(descriptor, count - len(data))
            if not more:
                break
            data += more
        return data

    def send(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def finish(self, data=b""):
        """Ends the input: (exit code, stdout, stderr)."""
        out, err = self.process.communicate(data, timeout=BUDGET_SECONDS)
        self.folder.cleanup()
        return self.process.returncode, out, err


class ProtocolTest(unittest.TestCase):
    def answers_to(self, data, handler=None):
        code, out, err = Program(handler).finish(data)
        self.assertEqual(code, 0, err)
        return out

    def test_the_shipped_handler_answers_46_bytes_to_17(self):
        out = self.answers_to(request(b"12345678901234567"))
        self.assertEqual(out, b"HTTP/1.1 200 OK\r\nContent-Length: 46\r\n\r\n"
                              b"You said: 12345678901234567. That was so fast!")

    def test_every_method_with_an_empty_body(self):
        for method in (b"GET", b"POST", b"PUT", b"DELETE", b"PATCH", b"OPTIONS"):
            with self.subTest(method=method):
                self.assertEqual(self.answers_to(request(method=method)), said(b""))
        self.assertEqual(self.answers_to(request(method=b"HEAD")), b"HTTP/1.1 200 OK\r\nContent-Length: 29\r\n\r\n")

    def test_a_request_without_length_has_no_body(self):
        self.assertEqual(self.answers_to(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n" + request(b"x")), said(b"") + said(b"x"))

    def test_bytes_come_back_as_they_were(self):
        for body in (b"h\xc3\xa9\xe2\x82\xac", bytes(range(256)), "😀".encode(), b"\r\n\r\n", b"\xe2\x82"):
            with self.subTest(body=body):
                self.assertEqual(self.answers_to(request(body)), said(body))

    def test_any_segmentation_gives_the_same_answers(self):
        data = request(b"one") + request(b"") + request("zwö\r\n\r\n".encode()) + request(b"x" * 300)
        expected = said(b"one") + said(b"") + said("zwö\r\n\r\n".encode()) + said(b"x" * 300)
        for size in (1, 2, 3, 7, 64, len(data)):
            with self.subTest(size=size):
                program = Program()
                for at in range(0, len(data), size):
                    program.send(data[at:at + size])
                self.assertEqual(program.finish()[:2], (0, expected))

    def test_cut_at_every_place(self):
        data = request(b"ab", head=b"X-A: b\r\n")
        program = Program()
        for cut in range(1, len(data)):
            program.send(data[:cut])
            program.send(data[cut:])
            self.assertEqual(program.read(len(said(b"ab"))), said(b"ab"), cut)
        self.assertEqual(program.finish()[0], 0)

    def test_a_large_body_and_what_follows_it(self):
        body = bytes(range(256)) * 20000
        self.assertEqual(self.answers_to(request(body) + request(b"next")), said(body) + said(b"next"))

    def test_odd_spelling_of_the_length(self):
        self.assertEqual(self.answers_to(b"POST / HTTP/1.1\r\ncontent-LENGTH:  2 \r\n\r\nhi"), said(b"hi"))

    def test_prints_go_to_stderr_without_a_response_descriptor(self):
        code, out, err = Program("""
            import os, sys
            print("importing")
            def handle(event):
                print("handling"); os.system("echo from a child"); os.write(1, b"raw\\n")
                return sys.stdin.read() or "no input left for a handler"
            """).finish(request(b"x"))
        self.assertEqual(code, 0)
        self.assertEqual(out, b"HTTP/1.1 200 OK\r\nContent-Length: 27\r\n\r\nno input left for a handler")
        for line in (b"importing", b"handling", b"from a child", b"raw"):
            self.assertIn(line, err)

    def test_stdout_is_a_log_with_a_response_descriptor(self):
        program = Program("def handle(event):\n    print('log line')\n    return event.body\n", response_fd=True)
        program.send(request(b"hi"))
        expected = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
        self.assertEqual(program.read(len(expected)), expected)
        self.assertEqual(program.process.stdout.readline(), b"log line\n")
        self.assertEqual(program.finish()[0], 0)
        os.close(program.answers)

    def test_a_raising_handler_gives_500_and_the_next_request_is_served(self):
        code, out, err = Program("""
            def handle(event):
                if event.body == b"bad": raise KeyError("secret")
                return event.body
            """).finish(request(b"bad") + request(b"good"))
        self.assertEqual(code, 0)
        self.assertTrue(out.startswith(b"HTTP/1.1 500 Internal Server Error\r\n"), out)
        self.assertTrue(out.endswith(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood"), out)
        self.assertNotIn(b"secret", out)
        self.assertIn(b"KeyError: 'secret'", err)

    def test_an_unusable_result_gives_500(self):
        code, out, err = Program("def handle(event):\n    return 'x', 200, {'A': '1\\r\\nB: 2'}\n").finish(request())
        self.assertEqual(code, 0)
        self.assertTrue(out.startswith(b"HTTP/1.1 500 "), out)
        self.assertIn(b"ValueError", err)

    def test_a_broken_stream_gives_400_and_ends_the_program(self):
        for data in (b"POST / HTTP/1.1\r\nContent-Length: 1x\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                     b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"):
            with self.subTest(data=data):
                code, out, _ = Program().finish(data + request(b"never"))
                self.assertEqual(code, 1)
                self.assertTrue(out.startswith(b"HTTP/1.1 400 Bad Request\r\n"), out)
                self.assertEqual(out.count(b"HTTP/1.1"), 1)

    def test_the_end_of_the_input_ends_the_program(self):
        for data in (b"", request(b"x"), request(b"x")[:-1], b"POST / HT"):
            with self.subTest(data=data):
                self.assertEqual(Program().finish(data)[0], 0)

    def test_sigterm_ends_an_idle_program(self):
        program = Program()
        program.send(request(b"x"))
        program.read(len(said(b"x")))
        program.process.send_signal(signal.SIGTERM)
        self.assertEqual(program.process.wait(BUDGET_SECONDS), 0)
        program.finish()

    def test_sigterm_lets_the_answer_in_flight_finish(self):
        program = Program("""
            import sys
            def handle(event):
                print("begun", file=sys.stderr, flush=True)
                with open(event.text): return "finished"
            """)
        gate = os.path.join(program.folder.name, "gate")
        os.mkfifo(gate)  # opening it waits for the other side
        program.send(request(gate.encode()))
        self.assertEqual(program.process.stderr.readline(), b"begun\n")
        program.process.send_signal(signal.SIGTERM)
        with open(gate, "w", encoding="utf-8"):
            pass
        expected = b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nfinished"
        self.assertEqual(program.read(len(expected)), expected)
        self.assertEqual(program.process.wait(BUDGET_SECONDS), 0)
        program.finish()


if __name__ == "__main__":
    unittest.main()
