"""The C++ template over pipes. CPP_AFTERBURN_BINARY is the shipped function, CPP_AFTERBURN_PROBE is probe.cpp."""

import faulthandler
import os
import signal
import subprocess
import tempfile
import unittest

BUDGET_SECONDS = 30  # a test that needs it has failed


def setUpModule():
    faulthandler.dump_traceback_later(4 * BUDGET_SECONDS, exit=True)  # a read that never ends fails, with its place


def tearDownModule():
    faulthandler.cancel_dump_traceback_later()


def request(body=b"", method=b"POST", target=b"/", head=b""):
    return b"%b %b HTTP/1.1\r\nHost: h\r\n%bContent-Length: %d\r\n\r\n%b" % (method, target, head, len(body), body)


def answer(body):
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


def said(body):
    return answer(b"You said: " + body + b". That was so fast!")


class Program:
    def __init__(self, name="CPP_AFTERBURN_PROBE", response_fd=None):
        environment = {**os.environ}
        environment.pop("FWATCHDOG_RESPONSE_FD", None)
        if response_fd is not None:
            environment["FWATCHDOG_RESPONSE_FD"] = str(response_fd)
        self.process = subprocess.Popen([os.environ[name]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=environment,
                                        pass_fds=() if response_fd is None else (response_fd,))

    def send(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self, count):
        return self.process.stdout.read(count)

    def finish(self, data=b""):
        """Ends the input: (exit code, stdout, stderr)."""
        out, err = self.process.communicate(data, timeout=BUDGET_SECONDS)
        return self.process.returncode, out, err


class ShippedFunctionTest(unittest.TestCase):
    def test_answers_46_bytes_to_17(self):
        self.assertEqual(Program("CPP_AFTERBURN_BINARY").finish(request(b"12345678901234567"))[:2],
                         (0, b"HTTP/1.1 200 OK\r\nContent-Length: 46\r\n\r\n"
                             b"You said: 12345678901234567. That was so fast!"))

    def test_every_method_with_an_empty_body(self):
        methods = (b"GET", b"POST", b"PUT", b"DELETE", b"PATCH", b"OPTIONS")
        data = b"".join(request(method=method) for method in methods)
        self.assertEqual(Program("CPP_AFTERBURN_BINARY").finish(data)[:2], (0, said(b"") * len(methods)))
        self.assertEqual(Program("CPP_AFTERBURN_BINARY").finish(request(method=b"HEAD"))[1],
                         b"HTTP/1.1 200 OK\r\nContent-Length: 29\r\n\r\n")


class FramingTest(unittest.TestCase):
    def echoes(self, data, expected):
        self.assertEqual(Program().finish(data)[:2], (0, expected))

    def test_bytes_come_back_as_they_were(self):
        for body in (b"", b"h\xc3\xa9\xe2\x82\xac", bytes(range(256)), "😀".encode(), b"\r\n\r\n", b"\xe2\x82"):
            with self.subTest(body=body):
                self.echoes(request(body), answer(body))

    def test_a_request_without_length_has_no_body(self):
        self.echoes(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n" + request(b"x"), answer(b"") + answer(b"x"))

    def test_odd_spelling_of_the_length(self):
        self.echoes(b"POST / HTTP/1.1\r\ncontent-LENGTH:\t 2 \r\n\r\nhi", answer(b"hi"))

    def test_any_segmentation_gives_the_same_answers(self):
        data = request(b"one") + request(b"") + request(b"\r\n\r\n") + request(b"x" * 300)
        for size in (1, 2, 3, 7, 64, len(data)):
            with self.subTest(size=size):
                program = Program()
                for at in range(0, len(data), size):
                    program.send(data[at:at + size])
                self.assertEqual(program.finish()[:2],
                                 (0, answer(b"one") + answer(b"") + answer(b"\r\n\r\n") + answer(b"x" * 300)))

    def test_cut_at_every_place(self):
        data = request(b"ab", head=b"X-A: b\r\n")
        program = Program()
        for cut in range(1, len(data)):
            program.send(data[:cut])
            program.send(data[cut:])
            self.assertEqual(program.read(len(answer(b"ab"))), answer(b"ab"), cut)
        self.assertEqual(program.finish()[0], 0)

    def test_large_bodies_and_what_follows_them(self):
        body = bytes(range(256)) * 20000
        for size in (65443, 65536, 131072, len(body)):
            with self.subTest(size=size):
                self.echoes(request(body[:size]) + request(b"next"), answer(body[:size]) + answer(b"next"))

    def test_many_pipelined_requests(self):
        bodies = [b"%d" % number * (number % 50) for number in range(5000)]
        self.echoes(b"".join(map(request, bodies)), b"".join(map(answer, bodies)))

    def test_a_broken_stream_gives_400_and_ends_the_program(self):
        for head in (b"Content-Length: 1x", b"Content-Length: -1", b"Content-Length:", b"Transfer-Encoding: chunked"):
            with self.subTest(head=head):
                code, out, _ = Program().finish(b"POST / HTTP/1.1\r\n%b\r\n\r\n" % head + request(b"never"))
                self.assertEqual(code, 1)
                self.assertTrue(out.startswith(b"HTTP/1.1 400 \r\n"), out)
                self.assertEqual(out.count(b"HTTP/1.1"), 1)

    def test_the_end_of_the_input_ends_the_program(self):
        for data in (b"", request(b"x"), request(b"x")[:-1], b"POST / HT"):
            with self.subTest(data=data):
                self.assertEqual(Program().finish(data)[0], 0)


class HandlerTest(unittest.TestCase):
    def test_parts_of_a_request(self):
        data = request(method=b"PUT", target=b"/parts?x=1&y=?z", head=b"X-One: 1\r\nX-Two:  2 \r\n")
        self.assertEqual(Program().finish(data)[1], answer(b"PUT|/parts|x=1&y=?z|2|none"))

    def test_status_and_headers(self):
        self.assertEqual(Program().finish(request(target=b"/status"))[1],
                         b"HTTP/1.1 404 \r\nX-A: 1\r\nX-A: 2\r\nContent-Length: 4\r\n\r\ntext")
        self.assertEqual(Program().finish(request(target=b"/bodiless"))[1], b"HTTP/1.1 204 \r\n\r\n")

    def test_failures_give_500_and_the_next_request_is_served(self):
        for target, log in ((b"/throw", b"secret"), (b"/throw-int", b"no std::exception"),
                            (b"/bad-status", b"impossible"), (b"/bad-header", b"impossible")):
            with self.subTest(target=target):
                code, out, err = Program().finish(request(target=target) + request(b"good"))
                self.assertEqual(code, 0)
                self.assertTrue(out.startswith(b"HTTP/1.1 500 \r\n"), out)
                self.assertTrue(out.endswith(answer(b"good")), out)
                self.assertNotIn(b"secret", out)
                self.assertIn(log, err)

    def test_prints_go_to_stderr_without_a_response_descriptor(self):
        code, out, err = Program().finish(request(target=b"/print"))
        self.assertEqual((code, out), (0, answer(b"no input left for a handler")))
        self.assertEqual(err, b"log line\nputs line\n")

    def test_stdout_is_a_log_with_a_response_descriptor(self):
        answers, write_end = os.pipe()
        program = Program(response_fd=write_end)
        os.close(write_end)
        self.assertEqual(program.finish(request(target=b"/print"))[:2], (0, b"log line\nputs line\n"))
        with open(answers, "rb") as file:
            self.assertEqual(file.read(), answer(b"no input left for a handler"))


class TerminationTest(unittest.TestCase):
    def test_sigterm_ends_an_idle_program(self):
        program = Program()
        program.send(request(b"x"))
        self.assertEqual(program.read(len(answer(b"x"))), answer(b"x"))
        program.process.send_signal(signal.SIGTERM)
        self.assertEqual(program.process.wait(BUDGET_SECONDS), 0)
        program.finish()

    def test_sigterm_lets_the_answer_in_flight_finish(self):
        with tempfile.TemporaryDirectory() as folder:
            gate = os.path.join(folder, "gate")
            os.mkfifo(gate)
            program = Program()
            program.send(request(gate.encode(), target=b"/wait"))
            self.assertEqual(program.process.stderr.readline(), b"begun\n")
            program.process.send_signal(signal.SIGTERM)
            with open(gate, "wb"):
                pass
            self.assertEqual(program.read(len(answer(b"finished"))), answer(b"finished"))
            self.assertEqual(program.process.wait(BUDGET_SECONDS), 0)
            program.finish()


if __name__ == "__main__":
    unittest.main()
