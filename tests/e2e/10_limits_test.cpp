// What a request may not be: too long, or malformed in one of the ways that others take for another request.

#include <gtest/gtest.h>
#include <string>

#include "tests/e2e/fragilities.hpp"

namespace fwd::test {
namespace {

/// Answers how many requests it has seen, this one included.
constexpr const char* kCounts = R"(
import sys
source, output, count = sys.stdin.buffer, sys.stdout.buffer, 0
for line in iter(source.readline, b''):
    length, count = 0, count + 1
    while line.strip():
        if line.lower().startswith(b'content-length:'): length = int(line.split(b':')[1])
        line = source.readline()
    source.read(length)
    output.write(b'HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%d' % (len(str(count)), count))
    output.flush()
)";

const std::string kSmuggled = "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n";
const std::string kPost = "POST / HTTP/1.1\r\nHost: h\r\n";
const std::string kChunks = kPost + "Transfer-Encoding: chunked\r\n\r\n";

/// A watchdog over a function that counts, so that a test can tell what reached it.
class Limits : public testing::Test {
 protected:
  static WatchdogOptions options(Variables variables) {
    variables.try_emplace("mode", "afterburn");
    variables.try_emplace("afterburn_workers", "1");
    return {.function = {"python3", "-c", kCounts}, .environment = std::move(variables)};
  }

  /// Sends `bytes` and a request behind them; expects one answer, the end, and that nothing reached the function.
  void expect_refused(const WatchdogProcess& watchdog, const std::string& bytes, int status) {
    HttpClient client(watchdog.port());
    (void)client.send(bytes + kSmuggled);
    const auto text = client.read_to_end();
    ASSERT_TRUE(text) << "no clean end: " << client.last_error();
    EXPECT_TRUE(text->starts_with("HTTP/1.1 " + std::to_string(status) + " ")) << text->substr(0, 200);
    EXPECT_EQ(text->find("HTTP/1.1", 1), std::string::npos) << "a second answer: " << *text;
    const bool is_1_0 = bytes.find(" HTTP/1.0\r\n") != std::string::npos;  // whose connections close unasked
    EXPECT_EQ(text->find("\r\nConnection: close\r\n") == std::string::npos, is_1_0) << *text;
    EXPECT_NE(text->find("\r\nX-OpenFaaS-Internal: of-watchdog\r\n"), std::string::npos) << *text;
    EXPECT_EQ(post(watchdog, "/").body, std::to_string(++seen_));
  }

  int seen_ = 0;
};

TEST_F(Limits, malformed_requests_are_refused_and_end_their_connection) {
  struct Case {
    const char* name;
    std::string bytes;
    int status;
  };
  const auto get = [](const std::string& line) { return line + "\r\nHost: h\r\n\r\n"; };
  const auto field = [](const std::string& text) { return kPost + text + "\r\n\r\n"; };
  const auto coding = [](const std::string& text) { return kPost + text + "\r\n\r\n0\r\n\r\n"; };
  const Case cases[] = {
      {"no host", "GET / HTTP/1.1\r\n\r\n", 400},
      {"two hosts", field("Host: h"), 400},
      {"host with a path", "GET / HTTP/1.1\r\nHost: h/x\r\n\r\n", 400},
      {"host with a blank", "GET / HTTP/1.1\r\nHost: h x\r\n\r\n", 400},
      {"coding and length", coding("Transfer-Encoding: chunked\r\nContent-Length: 5"), 400},
      {"length and coding", coding("Content-Length: 5\r\nTransfer-Encoding: chunked"), 400},
      {"two codings", coding("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"), 400},
      {"chunked twice", coding("Transfer-Encoding: chunked, chunked"), 400},
      {"list of codings", coding("Transfer-Encoding: gzip, chunked"), 400},
      {"unknown coding", coding("Transfer-Encoding: gzip"), 501},
      {"almost chunked", coding("Transfer-Encoding: xchunked"), 501},
      {"hidden coding",
       coding("Transfer-Encoding: \x0B"
              "chunked"),
       400},
      {"coding in 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {"two lengths", field("Content-Length: 0\r\nContent-Length: 0"), 400},
      {"list of lengths", field("Content-Length: 0, 0"), 400},
      {"signed length", field("Content-Length: +0"), 400},
      {"negative length", field("Content-Length: -1"), 400},
      {"hexadecimal length", field("Content-Length: 0x0"), 400},
      {"empty length", field("Content-Length:"), 400},
      {"length with a blank", field("Content-Length: 0 0"), 400},
      {"length of 20 digits", field("Content-Length: 00000000000000000000"), 400},
      {"folded line", field("X: a\r\n b"), 400},
      {"folded first line", "GET / HTTP/1.1\r\n Host: h\r\n\r\n", 400},
      {"blank before colon", field("Content-Length : 0"), 400},
      {"no colon", field("no colon"), 400},
      {"empty name", field(": x"), 400},
      {"bare LF", "GET / HTTP/1.1\nHost: h\n\n", 400},
      {"bare LF in a field", field("X: a\nContent-Length: 36"), 400},
      {"bare CR", field("X: a\rContent-Length: 36"), 400},
      {"NUL", field(std::string("X: a\0b", 6)), 400},
      {"control byte in the target", get("GET /\x01 HTTP/1.1"), 400},
      {"target without slash", get("GET foo HTTP/1.1"), 400},
      {"star for GET", get("GET * HTTP/1.1"), 400},
      {"other scheme", get("GET ftp://h/ HTTP/1.1"), 400},
      {"empty authority", get("GET http:///x HTTP/1.1"), 400},
      {"CONNECT", get("CONNECT h:80 HTTP/1.1"), 405},
      {"method with a colon", get("GE:T / HTTP/1.1"), 400},
      {"method of 33 bytes", get(std::string(33, 'M') + " / HTTP/1.1"), 400},
      {"two blanks", get("GET  / HTTP/1.1"), 400},
      {"blank at the end", get("GET / HTTP/1.1 "), 400},
      {"no version", get("GET /"), 400},
      {"lower-case version", get("GET / http/1.1"), 400},
      {"two digits", get("GET / HTTP/1.10"), 400},
      {"version 2", get("GET / HTTP/2.0"), 505},
      {"version 0.9", get("GET / HTTP/0.9"), 505},
      {"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400},
      {"TLS", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11), 400},
      {"chunk size is no number", kChunks + "zz\r\n", 400},
      {"negative chunk", kChunks + "-1\r\n", 400},
      {"chunk of 17 digits", kChunks + "FFFFFFFFFFFFFFFFF\r\n", 400},
      {"bare LF after a size", kChunks + "1\na\r\n0\r\n\r\n", 400},
      {"chunk too long for its size", kChunks + "1\r\nab\r\n0\r\n\r\n", 400},
      {"LF in an extension", kChunks + "1;a=\"\n\"\r\na\r\n0\r\n\r\n", 400},
      {"endless extension", kChunks + "1;" + std::string(20'000, 'x'), 400},
      {"129 fields",
       kPost +
           [] {
             std::string fields;
             for (int i = 0; i < 128; ++i) fields += "X-" + std::to_string(i) + ": 1\r\n";
             return fields;
           }() +
           "\r\n",
       431},
  };
  const WatchdogProcess watchdog(options({}));
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    expect_refused(watchdog, each.bytes, each.status);
  }
}

TEST_F(Limits, a_head_passes_up_to_max_head_bytes_and_is_answered_431_beyond) {
  const WatchdogProcess watchdog(options({{"max_head_bytes", "2000"}}));
  const auto head_of = [](std::size_t bytes) {
    const std::string start = kPost + "Content-Length: 0\r\nX-Fill: ";
    return start + std::string(bytes - start.size() - 4, 'f') + "\r\n\r\n";
  };
  ASSERT_EQ(head_of(2000).size(), 2000U);
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(head_of(2000)));
  const auto passed = client.find_answer();
  ASSERT_TRUE(passed) << client.last_error();
  EXPECT_EQ(passed->status, 200);
  seen_ = 1;
  expect_refused(watchdog, head_of(2001), 431);
  expect_refused(watchdog, kPost + std::string(50'000, 'x'), 431);  // it never ends
}

TEST_F(Limits, a_target_passes_up_to_8_kib_and_is_answered_414_beyond) {
  const WatchdogProcess watchdog(options({}));
  const auto request_for = [](std::size_t bytes) {
    return "GET /" + std::string(bytes - 1, 't') + " HTTP/1.1\r\nHost: h\r\n\r\n";
  };
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(request_for(8192)));
  const auto passed = client.find_answer();
  ASSERT_TRUE(passed) << client.last_error();
  EXPECT_EQ(passed->status, 200);
  seen_ = 1;
  expect_refused(watchdog, request_for(8193), 414);
  expect_refused(watchdog, "GET /" + std::string(60'000, 't'), 414);
}

TEST_F(Limits, a_body_passes_up_to_max_body_and_is_answered_413_beyond) {
  const WatchdogProcess watchdog(options({{"max_body", "1000"}}));
  EXPECT_EQ(post(watchdog, "/", std::string(1000, 'b')).status, 200);
  HttpClient chunked(watchdog.port());
  ASSERT_TRUE(chunked.send(kChunks + "3E8\r\n" + std::string(1000, 'c') + "\r\n0\r\n\r\n"));
  const auto passed = chunked.find_answer();
  ASSERT_TRUE(passed) << chunked.last_error();
  EXPECT_EQ(passed->status, 200);
  seen_ = 2;
  expect_refused(watchdog, render_request("POST", "/", std::string(1001, 'b')), 413);
  expect_refused(watchdog, kChunks + "3E8\r\n" + std::string(1000, 'c') + "\r\n1\r\nc\r\n0\r\n\r\n", 413);
  expect_refused(watchdog, kPost + "Content-Length: 9000000000000000000\r\n\r\n", 413);
  expect_refused(watchdog, kPost + "Expect: 100-continue\r\nContent-Length: 1001\r\n\r\n", 413);  // and no 100 before
}

TEST_F(Limits, without_max_body_a_body_may_be_larger_than_what_is_held_in_memory) {
  const WatchdogProcess watchdog(options({{"body_memory", "1000"}}));
  EXPECT_EQ(post(watchdog, "/", std::string(5'000'000, 'b')).body, "1");
  for (const auto& entry : std::filesystem::directory_iterator(watchdog.folder()))
    EXPECT_EQ(entry.path().filename(), ".lock") << "a spool file is left";
}

}  // namespace
}  // namespace fwd::test
