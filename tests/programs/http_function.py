"""A function that is an HTTP server, on raw sockets, so that it can be right or wrong byte by byte.

http_function.py PORT-OR-SOCKET [GATE]: serves on 127.0.0.1:PORT, or on a Unix socket where that has a slash; with GATE
only once that file exists. What a request does is in its path; files named in the query are waited for.
"""

import os
import signal
import socket
import sys
import threading
import time

served = 0  # connections that brought a request
lock = threading.Lock()


def wait_for(path):
    while not os.path.exists(path):
        time.sleep(0.002)


class Connection:
    def __init__(self, peer):
        self.peer = peer
        self.buffer = b""
        self.number = 0

    def more(self):
        piece = self.peer.recv(65536)
        self.buffer += piece
        return bool(piece)

    def take(self, count):
        while len(self.buffer) < count:
            if not self.more():
                raise EOFError
        piece, self.buffer = self.buffer[:count], self.buffer[count:]
        return piece

    def line(self):
        while b"\n" not in self.buffer:
            if not self.more():
                raise EOFError
        return self.take(self.buffer.index(b"\n") + 1)

    def head(self):
        lines = [self.line()]
        while lines[-1] != b"\r\n":
            lines.append(self.line())
        return b"".join(lines)

    def body(self, fields):
        if fields.get("transfer-encoding") != "chunked":
            return self.take(int(fields.get("content-length", 0)))
        body = b""
        while size := int(self.line(), 16):
            body += self.take(size)
            self.line()
        self.line()
        return body

    def answer(self, body, fields="", status="200 OK"):
        head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n{fields}\r\n"
        self.peer.sendall(head.encode() + body)

    def chunk(self, text):
        self.peer.sendall(f"{len(text):x}\r\n{text}\r\n".encode())

    def serve(self):
        global served
        self.first_byte()
        while True:
            head = self.head()
            if not self.number:
                with lock:
                    served += 1
                    self.number = served
            lines = head.decode("latin-1").split("\r\n")
            method, target, _ = lines[0].split(" ")
            fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:-2])}
            path, _, query = target.partition("?")
            verb = getattr(self, path[1:].replace("-", "_") or "seen", None)
            if verb is None:
                self.body(fields)
                self.answer(b"no such verb", status="404 Not Found")
            else:
                verb(method, query, head, fields)

    def first_byte(self):
        if not self.more():
            raise EOFError  # somebody looked whether we are there

    def echo(self, method, query, head, fields):
        self.answer(self.body(fields))

    def seen(self, method, query, head, fields):
        body = self.body(fields)
        self.answer(head + body)

    def pid(self, method, query, head, fields):
        self.body(fields)
        self.answer(f"{os.getpid()} {os.environ.get('PORT', 'none')} {self.number}".encode())

    def hold(self, method, query, head, fields):
        print("holding", flush=True)
        wait_for(query)
        self.answer(f"{os.getpid()}".encode())

    def hang(self, method, query, head, fields):
        print("hanging", flush=True)
        try:
            while self.peer.recv(65536):
                pass
        except OSError:
            pass
        print("the watchdog hung up", flush=True)
        raise EOFError

    def sse(self, method, query, head, fields):
        self.peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        for number in (1, 2, 3):
            wait_for(f"{query}{number}")
            self.chunk(f"data: {number}\n\n")
        wait_for(f"{query}4")
        self.peer.sendall(b"0\r\n\r\n")

    def until_eof(self, method, query, head, fields):
        self.peer.sendall(b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nno length")
        raise EOFError

    def midway(self, method, query, head, fields):
        self.peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        wait_for(query)
        os._exit(9)

    def exit(self, method, query, head, fields):
        os._exit(int(query))

    def kill(self, method, query, head, fields):
        os.kill(os.getpid(), signal.SIGKILL)

    def early(self, method, query, head, fields):
        """Answers before the body was read, and never reads it."""
        self.answer(b"enough", status="413 Content Too Large")
        self.peer.shutdown(socket.SHUT_WR)
        try:
            while self.peer.recv(65536):
                pass
        except OSError:
            pass
        raise EOFError

    def closes(self, method, query, head, fields):
        """Closes an idle connection once it may."""
        self.answer(self.body(fields))
        wait_for(query)
        self.peer.close()
        print("closed", flush=True)
        raise EOFError

    def both_ways(self, method, query, head, fields):
        """Sends each chunk back before the next one is asked for."""
        self.peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n")
        while size := int(self.line(), 16):
            self.chunk(self.take(size).decode())
            self.line()
        self.line()
        self.peer.sendall(b"0\r\n\r\n")

    def fields(self, method, query, head, fields):
        self.answer(b"x", "X-One: 1\r\nx-one: 2\r\nX-Duration-Seconds: 77\r\nKeep-Alive: timeout=5\r\n"
                    "Connection: keep-alive, X-Hop\r\nX-Hop: 1\r\nUpgrade: h2c\r\nProxy-Authenticate: Basic\r\n"
                    "Location: /elsewhere\r\n", "302 Over There")

    def trailers(self, method, query, head, fields):
        self.peer.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
                          b"3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n")

    def hints(self, method, query, head, fields):
        self.peer.sendall(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </s>\r\n\r\n")
        self.answer(b"hinted")

    def upgrade(self, method, query, head, fields):
        """Speaks lines that come back in capitals, once it has greeted."""
        if fields.get("connection", "").lower() != "upgrade" or fields.get("upgrade") != "lines":
            return self.answer(b"not asked for", status="426 Upgrade Required")
        self.peer.sendall(b"HTTP/1.1 101 Now Lines\r\nConnection: Upgrade\r\nUpgrade: lines\r\nX-Told: 1\r\n\r\nhello\n")
        while self.buffer or self.more():
            self.peer.sendall(self.take(len(self.buffer)).upper())
        self.peer.sendall(b"bye\n")
        raise EOFError


def serve(peer):
    try:
        Connection(peer).serve()
    except (EOFError, OSError):
        pass
    finally:
        peer.close()


def main():
    place = sys.argv[1]
    if len(sys.argv) > 2:
        print("waiting for the gate", flush=True)
        wait_for(sys.argv[2])
    if "/" in place:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(place)
    else:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", int(place)))
    listener.listen(128)
    print("serving", flush=True)
    while True:
        peer, _ = listener.accept()
        if peer.family != socket.AF_UNIX:
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=serve, args=(peer,), daemon=True).start()


main()
