#include <gtest/gtest.h>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/byte_server.hpp"
#include "tests/support/fbench_run.hpp"

namespace {

using namespace fwd::test;

const std::string kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const std::string kKept = "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello";
const Script kGood = {read_request(), send(kAnswer)};

TEST(Fbench, sends_what_ab_sends_byte_for_byte) {
  if (!has_ab()) GTEST_SKIP() << "ab is not installed";
  const BodyFile body("12345678901234567");
  for (const Words& words : std::vector<Words>{
           {},
           {"-k"},
           {"-p", body.path()},
           {"-i"},
           {"-m", "DELETE"},
           {"-p", body.path(), "-m", "PATCH"},
           {"-H", "User-Agent: x", "-H", "accept: y", "-H", "X: z"},
           {"-u", body.path(), "-T", "a/b", "-C", "c=d", "-A", "u:p", "-H", "X-A: 1", "-H", "host: foo", "-k"}}) {
    ByteServer server({{read_request(), send("HTTP/1.0 200 OK\r\n\r\n")}});
    Words all = words;
    all.push_back(server.url() + "a?b=c#d");
    (void)run("ab", all);
    (void)fbench(all);
    const auto requests = server.requests();
    ASSERT_EQ(requests.size(), 2u);
    EXPECT_EQ(requests[1], requests[0]);
  }
}

/// Numbers become N, and blanks that align them one blank.
std::string masked(const std::string& text) {
  const std::string numbers = std::regex_replace(text, std::regex("[0-9]+(\\.[0-9]+)?"), "N");
  return std::regex_replace(numbers, std::regex(" +"), " ");
}

/// The report without the warnings, which depend on the machine.
std::string without_warnings(const std::string& text) {
  return std::regex_replace(text, std::regex("(WARNING|ERROR): The median.*\n.*\n"), "");
}

TEST(Fbench, prints_as_ab_what_ab_prints) {
  if (!has_ab()) GTEST_SKIP() << "ab is not installed";
  const BodyFile body("12345678901234567");
  const Script short_once = {read_request(),
                             send("HTTP/1.0 404 Not Found\r\nServer: x/1 y\r\nContent-Length: 2\r\n\r\nno")};
  const Script kept(40, Act{Act::Kind::read_request});
  Script keep_alive;
  for (int i = 0; i < 400; ++i) keep_alive.insert(keep_alive.end(), {read_request(), send(kKept)});
  const struct {
    Words words;
    Script script;
  } rows[] = {{{"-n", "20", "-c", "4"}, kGood},
              {{"-n", "1"}, kGood},
              {{"-n", "20", "-d", "-S"}, kGood},
              {{"-n", "10", "-l", "-p", body.path()}, short_once},
              {{"-n", "10"}, short_once},
              {{"-n", "300", "-k"}, keep_alive},
              {{"-n", "200", "-k", "-q"}, keep_alive}};
  for (const auto& row : rows) {
    ByteServer server({row.script});
    Words words = row.words;
    words.push_back(server.url());
    const Outcome theirs = run("ab", words);
    words.insert(words.begin(), "--ab");
    const Outcome ours = fbench(words);
    EXPECT_EQ(masked(without_warnings(ours.out)), masked(without_warnings(theirs.out)));
    EXPECT_EQ(ours.err, theirs.err);
    EXPECT_EQ(ours.exit_code, theirs.exit_code);
  }
}

TEST(Fbench, counts_bytes_as_the_seed_does) {
  const BodyFile body("12345678901234567");
  const std::string head =
      "HTTP/1.1 200 OK\r\nDate: Fri, 22 Dec 2017 19:19:39 GMT\r\nContent-Length: 46\r\n"
      "Content-Type: text/plain; charset=utf-8\r\n\r\n";
  ASSERT_EQ(head.size(), 117u);
  ByteServer server({{read_request(), send(head + "You said: 12345678901234567. That was so fast!")}});
  const Outcome outcome = fbench({"-n", "100", "-c", "20", "-p", body.path(), server.url("localhost")});
  EXPECT_EQ(outcome.exit_code, 0);
  const std::size_t request_bytes = 142 + std::to_string(server.port()).size();  // 146 with a port of four digits
  EXPECT_HAS(outcome.out, "Document Length:        46 bytes\n");
  EXPECT_HAS(outcome.out, "Complete requests:      100\nFailed requests:        0\n");
  EXPECT_HAS(outcome.out, "Total transferred:      16300 bytes\n");
  EXPECT_HAS(outcome.out, "Total body sent:        " + std::to_string(request_bytes * 100) + "\n");
  EXPECT_HAS(outcome.out, "HTML transferred:       4600 bytes\n");
  EXPECT_HAS(outcome.out, "Statuses:       2xx 100 (200: 100)\nErrors:         none\n");
  EXPECT_HAS(outcome.out, "Accounting:     100 started = 100 ok + 0 failed + 0 interrupted\n");
}

}  // namespace
