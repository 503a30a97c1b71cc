#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/support/byte_server.hpp"
#include "tests/support/fbench_run.hpp"

namespace {

using namespace fwd::test;

const std::string kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const Script kGood = {read_request(), send(kAnswer)};

struct Fault {
  const char* name;
  Script script;
  const char* column;
  Words words = {};
};

std::vector<Fault> faults() {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  const std::string chunked = ok + "Transfer-Encoding: chunked\r\n\r\n";
  return {
      {"empty reply", {read_request()}, "Receive"},
      {"truncated reply", {read_request(), send("HTTP/1.1 200 OK\r\nConte")}, "Receive"},
      {"truncated reply", {read_request(), send(ok + "Content-Length: 10\r\n\r\nhello")}, "Receive"},
      {"truncated reply", {read_request(), send(chunked + "5\r\nhello\r\n")}, "Receive", {"--http", "1.1"}},
      {"bad chunk",
       {read_request(), send(chunked + "5\r\nhelloworld\r\n0\r\n\r\n")},
       "Exceptions",
       {"--http", "1.1", "-k"}},
      {"reset", {read_request(), send(ok + "Content-Length: 10\r\n\r\nhello"), reset()}, "Receive"},
      {"reset", {read_request(), reset()}, "Receive"},
      {"not HTTP", {read_request(), send("SSH-2.0-OpenSSH_9.2\r\n"), stall()}, "Exceptions"},
      {"malformed head",
       {read_request(), send("HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\nhello"), stall()},
       "Exceptions"},
      {"head too large", {read_request(), send(ok + "X: " + std::string(70'000, 'x')), stall()}, "Exceptions"},
      {"bytes after the reply", {read_request(), send(kAnswer + "and more")}, "Exceptions"},
      {"timeout", {read_request(), stall()}, "Receive", {"--timeout", "150ms"}},
      {"timeout", {stall()}, "Receive", {"-k", "--timeout", "150ms"}},
      {"timeout",
       {read_request(), send(ok + "\r\nno length, and no end"), stall()},
       "Receive",
       {"-k", "--timeout", "150ms"}},
      {"timeout", {read_request(), dribble(ok + "X: " + std::string(5000, 'x'))}, "Receive", {"--timeout", "150ms"}},
  };
}

TEST(Fbench, each_fault_has_its_name_is_never_a_success_and_never_hangs) {
  for (const Fault& fault : faults()) {
    ByteServer server({fault.script});
    Words words = fault.words;
    words.insert(words.end(), {"-n", "8", "-c", "4", server.url()});
    const Outcome outcome = fbench(words);
    SCOPED_TRACE(outcome.out + outcome.err);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_HAS(outcome.out, "Complete requests:      8\nFailed requests:        8\n");
    EXPECT_HAS(outcome.out, fault.column + std::string(": 8"));
    EXPECT_HAS(outcome.out, "Errors:         " + std::string(fault.name) + " 8\n");
    EXPECT_HAS(outcome.out, "Accounting:     8 started = 0 ok + 8 failed + 0 interrupted\n");
  }
}

TEST(Fbench, one_fault_among_good_answers_is_one_failure) {
  for (const Fault& fault : faults()) {
    ByteServer server({kGood, fault.script, kGood});
    Words words = fault.words;
    words.insert(words.end(), {"-n", "20", server.url()});
    const Outcome outcome = fbench(words);
    SCOPED_TRACE(outcome.out + outcome.err);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_HAS(outcome.out, "Complete requests:      20\nFailed requests:        1\n");
    EXPECT_HAS(outcome.out, "Errors:         " + std::string(fault.name) + " 1\n");
    EXPECT_HAS(outcome.out, "With failures:");
  }
}

}  // namespace
