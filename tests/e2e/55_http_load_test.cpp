// mode=http: many clients at once.

#include <gtest/gtest.h>

#include "tests/e2e/http_function.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/token_load.hpp"

namespace fwd::test {
namespace {

TEST(http_load, a_thousand_requests_of_many_clients_get_their_own_answers) {
  const TemporaryFolder folder;
  folder.write("server.py", R"(import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
)");
  const WatchdogProcess watchdog({.function = {"python3", folder / "server.py", "{port}"},
                                  .environment = {{"mode", "http"},
                                                  {"upstream_url", "http://127.0.0.1:{port}"},
                                                  {"http_buffer_req_body", "true"}}});
  TokenLoad load;
  load.port = watchdog.port();
  load.requests = 1000;
  load.concurrency = 16;
  const TokenLoadResult result = run_token_load(load);
  EXPECT_EQ(result.right, 1000U) << result.summary() << watchdog.log().substr(0, 2000);
}

}  // namespace
}  // namespace fwd::test
