"""The server of Python's standard library. usage: stdlib_server.py PORT HTTP/1.0|HTTP/1.1"""

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from replies import has_length, reply


class Handler(BaseHTTPRequestHandler):
    protocol_version = sys.argv[2]
    timeout = 60

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status, fields, parts = reply(self.command, self.path, body)
        is_chunked = not has_length(parts) and self.protocol_version == "HTTP/1.1"
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("X-Peer", str(self.client_address[1]))
        if has_length(parts):
            self.send_header("Content-Length", str(len(parts[0])))
        elif is_chunked:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if self.command == "HEAD":
            return
        for part in parts:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part) if is_chunked else part)
        if is_chunked:
            self.wfile.write(b"0\r\n\r\n")

    do_GET = do_HEAD = do_POST = do_PUT = answer

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 128  # the default of 5 drops connections under load
    daemon_threads = True


Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
