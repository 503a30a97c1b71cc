// Mode http before servers that people use: the standard library's, gunicorn, uvicorn, Node.

#include <future>
#include <gtest/gtest.h>
#include <ostream>
#include <signal.h>
#include <string>

#include "tests/e2e/fragilities.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/token_load.hpp"

namespace fwd::test {
namespace {

const std::string kFolder = SOURCE_DIR "/tests/programs/servers";
const std::string kUrl = "http://127.0.0.1:{port}";

/// A server program that answers as tests/programs/servers/replies.py says.
struct Server {
  std::string name;
  std::vector<std::string> function;
  std::string url = kUrl;
  bool keeps_connections = true;
  bool takes_chunks = true;
};

void PrintTo(const Server& server, std::ostream* out) {
  *out << server.name;
}

const std::vector<Server> kServers = {
    {.name = "stdlib_1_0",
     .function = {"python3", kFolder + "/stdlib_server.py", "{port}", "HTTP/1.0"},
     .keeps_connections = false,
     .takes_chunks = false},
    {.name = "stdlib_1_1",
     .function = {"python3", kFolder + "/stdlib_server.py", "{port}", "HTTP/1.1"},
     .takes_chunks = false},
    {.name = "gunicorn_sync",
     .function = {"gunicorn", "--bind", "127.0.0.1:{port}", "--log-level", "warning", "wsgi_app:app"},
     .keeps_connections = false},
    {.name = "gunicorn_threads",
     .function = {"gunicorn", "--bind", "127.0.0.1:{port}", "--log-level", "warning", "--worker-class", "gthread",
                  "--threads", "8", "wsgi_app:app"}},
    {.name = "gunicorn_unix",
     .function = {"gunicorn", "--bind", "unix:{socket}", "--log-level", "warning", "wsgi_app:app"},
     .url = "unix:{socket}",
     .keeps_connections = false},
    {.name = "uvicorn", .function = {"uvicorn", "--port", "{port}", "--log-level", "warning", "asgi_app:app"}},
    {.name = "node", .function = {"node", kFolder + "/node_server.js", "{port}"}},
};

class real_servers : public testing::TestWithParam<Server> {
 protected:
  void SetUp() override {
    if (!has_program(GetParam().function[0])) GTEST_SKIP() << "no " << GetParam().function[0] << " on this machine";
  }

  static WatchdogOptions options(Variables variables = {}) {
    const Server& server = GetParam();
    variables.insert({{"mode", "http"},
                      {"http_upstream_url", server.url},
                      {"PYTHONPATH", kFolder},
                      {"PYTHONDONTWRITEBYTECODE", "1"}});
    if (!server.takes_chunks) variables["http_buffer_req_body"] = "true";
    return {.function = server.function, .environment = std::move(variables)};
  }
};

INSTANTIATE_TEST_SUITE_P(e2e, real_servers, testing::ValuesIn(kServers),
                         [](const auto& instance) { return instance.param.name; });

/// Those that can tell connections apart, by their ports.
class real_tcp_servers : public real_servers {};

std::vector<Server> tcp_servers() {
  std::vector<Server> servers = kServers;
  std::erase_if(servers, [](const Server& server) { return server.url != kUrl; });
  return servers;
}

INSTANTIATE_TEST_SUITE_P(e2e, real_tcp_servers, testing::ValuesIn(tcp_servers()),
                         [](const auto& instance) { return instance.param.name; });

TEST_P(real_servers, get_and_post_reach_the_function_and_its_answer_the_client) {
  const WatchdogProcess watchdog(options());
  const HttpAnswer hello = request(watchdog.port(), "GET", "/hello");
  EXPECT_EQ(hello.status, 200) << hello.body << watchdog.log();
  EXPECT_EQ(hello.body, "hello from a real server\n");
  EXPECT_EQ(hello.header("Content-Length"), "25") << hello.raw_head;
  EXPECT_EQ(hello.header("Content-Type"), "application/octet-stream");
  EXPECT_EQ(hello.header("X-Method"), "GET");
  EXPECT_TRUE(hello.header("X-Duration-Seconds")) << hello.raw_head;

  for (const std::string& body : {std::string("small"), std::string(), std::string(1'000'000, 'x')}) {
    const HttpAnswer echo = post(watchdog, "/echo", body);
    EXPECT_EQ(echo.status, 200) << echo.raw_head << watchdog.log();
    EXPECT_EQ(echo.header("X-Length"), std::to_string(body.size()));
    EXPECT_TRUE(echo.body == body) << echo.body.size();
  }
}

TEST_P(real_servers, a_chunked_request_arrives_whole) {
  const WatchdogProcess watchdog(options());
  HttpClient client(watchdog.port());
  ASSERT_TRUE(
      client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                  "5\r\nfirst\r\n7\r\n second\r\n0\r\n\r\n"));
  const auto answer = client.find_answer();
  ASSERT_TRUE(answer) << client.last_error() << watchdog.log();
  EXPECT_EQ(answer->header("X-Length"), "12");
  EXPECT_EQ(answer->body, "first second");
}

TEST_P(real_servers, an_answer_of_unknown_length_comes_whole_and_the_connection_goes_on) {
  const WatchdogProcess watchdog(options());
  std::string expected;
  for (int i = 0; i < 10; ++i) expected += "part " + std::to_string(i) + " of ten\n";
  HttpClient client(watchdog.port());
  for (int round = 0; round < 3; ++round) {
    const auto answer = client.ask("GET", "/chunked");
    ASSERT_TRUE(answer) << client.last_error() << watchdog.log();
    EXPECT_EQ(answer->header("Transfer-Encoding"), "chunked") << answer->raw_head;
    EXPECT_EQ(answer->body, expected);
  }
}

/// Reads what comes until it ends with `text`.
bool read_up_to(HttpClient& client, std::string_view text) {
  std::string all;
  while (!all.ends_with(text)) {
    const std::string byte = client.read_bytes(1);
    if (byte.empty()) return false;
    all += byte;
  }
  return true;
}

TEST_P(real_servers, an_answer_is_passed_on_as_it_comes) {
  const WatchdogProcess watchdog(options());
  const Gate gate(watchdog);
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(render_request("POST", "/gated", gate.path())));
  ASSERT_TRUE(read_up_to(client, "first\n")) << client.last_error() << watchdog.log();
  gate.open();
  EXPECT_TRUE(read_up_to(client, "second\n")) << client.last_error() << watchdog.log();
}

TEST_P(real_servers, statuses_are_passed_on) {
  const WatchdogProcess watchdog(options());
  for (const int status : {201, 404, 500, 503}) {
    const HttpAnswer answer = request(watchdog.port(), "GET", "/status/" + std::to_string(status));
    EXPECT_EQ(answer.status, status);
    EXPECT_EQ(answer.body, "as asked\n");
  }
}

TEST_P(real_servers, head_has_no_body_and_does_not_spoil_the_next_answer) {
  const WatchdogProcess watchdog(options());
  HttpClient client(watchdog.port());
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(client.send("HEAD /hello HTTP/1.1\r\nHost: a\r\n\r\n"));
    const auto head = client.find_answer(true);
    ASSERT_TRUE(head) << client.last_error() << watchdog.log();
    EXPECT_EQ(head->header("Content-Length"), "25") << head->raw_head;
    const auto echo = client.ask("POST", "/echo", "after it");
    ASSERT_TRUE(echo) << client.last_error() << watchdog.log();
    EXPECT_EQ(echo->body, "after it");
  }
}

/// Frames by hand: RFC 6455 section 5.2.
TEST(real_server, a_websocket_goes_through_to_uvicorn) {
  if (!has_program("uvicorn")) GTEST_SKIP() << "no uvicorn on this machine";
  const WatchdogProcess watchdog(
      {.function = {"uvicorn", "--port", "{port}", "--log-level", "warning", "asgi_app:app"},
       .environment = {
           {"mode", "http"}, {"http_upstream_url", kUrl}, {"PYTHONPATH", kFolder}, {"PYTHONDONTWRITEBYTECODE", "1"}}});
  HttpClient client(watchdog.port());
  ASSERT_TRUE(
      client.send("GET /socket HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"));
  const auto answer = client.find_answer();
  ASSERT_TRUE(answer) << client.last_error() << watchdog.log();
  ASSERT_EQ(answer->status, 101) << answer->raw_head << answer->body << watchdog.log();
  EXPECT_EQ(answer->header("Sec-WebSocket-Accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");  // RFC 6455 section 1.3
  for (const std::string text : {"one", "three"}) {
    const std::string head{'\x81', static_cast<char>(0x80 + text.size()), 0, 0, 0, 0};  // text, masked with zeros
    ASSERT_TRUE(client.send(head + text));
    std::string echo{'\x81', static_cast<char>(9 + text.size())};
    echo += "you said " + text;
    EXPECT_EQ(client.read_bytes(echo.size()), echo);
  }
  ASSERT_TRUE(client.send(std::string{'\x88', '\x80', 0, 0, 0, 0}));
  EXPECT_EQ(client.read_bytes(2).substr(0, 1), "\x88");
  EXPECT_TRUE(client.closed_by_peer()) << client.last_error();
}

/// Keeps its connections, and sends the body of an answer to HEAD once the next request is there.
const std::vector<std::string> kLateBody = {
    "python3", "-c",
    "import socket, sys, threading\n"
    "def answer(text): return b'HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n%b' % (len(text), text)\n"
    "def serve(peer):\n"
    "  late = b''\n"
    "  while True:\n"
    "    request = peer.recv(65536)\n"
    "    if not request: return\n"
    "    peer.sendall(late)\n"
    "    is_head = request.startswith(b'HEAD')\n"
    "    late = answer(b'evil') if is_head else b''\n"
    "    peer.sendall(answer(late)[:-len(late)] if is_head else answer(b'right'))\n"
    "listener = socket.create_server(('127.0.0.1', int(sys.argv[1])))\n"
    "while True: threading.Thread(target=serve, args=[listener.accept()[0]], daemon=True).start()\n",
    "{port}"};

TEST(real_server, a_body_that_follows_the_answer_to_head_is_nobodys_answer) {
  const WatchdogProcess watchdog(
      {.function = kLateBody, .environment = {{"mode", "http"}, {"http_upstream_url", kUrl}}});
  HttpClient client(watchdog.port());
  for (const std::string method : {"GET", "POST"}) {
    ASSERT_TRUE(client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"));
    ASSERT_TRUE(client.find_answer(true)) << client.last_error() << watchdog.log();
    const auto next = client.ask(method, "/");
    ASSERT_TRUE(next) << client.last_error() << watchdog.log();
    EXPECT_EQ(next->body, "right") << next->raw_head;
  }
}

/// Idle connections are closed after half a second, so on a slow machine two requests may miss each other.
TEST_P(real_tcp_servers, connections_are_kept_if_the_server_keeps_them) {
  const WatchdogProcess watchdog(options());
  HttpClient client(watchdog.port());
  const auto peer = [&client] {
    const auto answer = client.ask("GET", "/hello");
    return answer ? answer->header("X-Peer").value_or("") : client.last_error();
  };
  std::string last = peer();
  EXPECT_FALSE(last.empty());
  bool was_kept = false;
  for (int round = 0; round < 20 && !was_kept; ++round) {
    const std::string next = peer();
    was_kept = next == last;
    last = next;
  }
  EXPECT_EQ(was_kept, GetParam().keeps_connections);
}

TEST_P(real_servers, under_load_every_client_gets_its_own_answer) {
  const WatchdogProcess watchdog(options());
  const TokenLoadResult result =
      run_token_load({.port = watchdog.port(), .requests = 300, .concurrency = 8, .target = "/echo"});
  EXPECT_EQ(result.right, 300U) << result.summary() << watchdog.log();
}

TEST_P(real_servers, a_drain_waits_for_the_answer_and_ends_with_0) {
  WatchdogProcess watchdog(options());
  const Gate gate(watchdog);
  auto held = std::async(std::launch::async, [&] { return post(watchdog, "/wait", gate.path()); });
  ASSERT_TRUE(watchdog.wait_for_line("begun /wait")) << watchdog.log();
  const auto children = watchdog.children();
  EXPECT_EQ(children.size(), 1U);
  watchdog.signal(SIGTERM);
  ASSERT_TRUE(watchdog.wait_for_line("draining: 1 requests")) << watchdog.log();
  gate.open();
  EXPECT_EQ(held.get().body, "finished") << watchdog.log();
  EXPECT_EQ(watchdog.wait_exit(milliseconds(20'000)), 0) << watchdog.log();
  for (const pid_t child : children) EXPECT_FALSE(is_running(child));
}

TEST_P(real_servers, a_killed_server_is_started_again) {
  const WatchdogProcess watchdog(options());
  const auto before = watchdog.children();
  ASSERT_EQ(before.size(), 1U);
  ASSERT_EQ(kill(before[0], SIGKILL), 0);
  const auto after = watchdog.wait_children([&before](const auto& pids) { return pids.size() == 1 && pids != before; });
  ASSERT_EQ(after.size(), 1U) << watchdog.log();
  EXPECT_TRUE(wait_until([&] { return post(watchdog, "/echo", "again").body == "again"; })) << watchdog.log();
}

}  // namespace
}  // namespace fwd::test
