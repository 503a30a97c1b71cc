#include <chrono>
#include <gtest/gtest.h>
#include <signal.h>
#include <string>
#include <vector>

#include "tests/support/byte_server.hpp"
#include "tests/support/fbench_run.hpp"

namespace {

using namespace fwd::test;
using std::chrono::seconds;

const std::string kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const std::string kKept = "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello";
const Script kGood = {read_request(), send(kAnswer)};

TEST(Fbench, another_length_is_a_failure_unless_any_is_allowed) {
  const Script longer = {read_request(), send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello!")};
  ByteServer server({kGood, longer, kGood});
  EXPECT_HAS(fbench({"-n", "5", server.url()}).out, "   (Connect: 0, Receive: 0, Length: 1, Exceptions: 0)\n");
  ByteServer other({kGood, longer, kGood});
  EXPECT_HAS(fbench({"-n", "5", "-l", other.url()}).out, "Document Length:        Variable\n");
}

TEST(Fbench, statuses_are_counted_and_are_no_failures) {
  ByteServer server({kGood, {read_request(), send("HTTP/1.1 503 Busy\r\nContent-Length: 5\r\n\r\nsorry")}, kGood});
  const Outcome outcome = fbench({"-n", "10", server.url()});
  EXPECT_HAS(outcome.out, "Failed requests:        0\nNon-2xx responses:      1\n");
  EXPECT_HAS(outcome.out, "Statuses:       2xx 9 (200: 9) 5xx 1 (503: 1)\n");
}

TEST(Fbench, answers_are_read_to_their_true_end) {
  const std::string chunks =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nT: t\r\n\r\n";
  Script mixed;
  for (const std::string& answer : {kKept, chunks, "HTTP/1.1 100 Continue\r\n\r\n" + kKept}) {
    mixed.insert(mixed.end(), {read_request(), dribble(answer)});
  }
  mixed.insert(mixed.end(), {read_request(), send("HTTP/1.1 200 OK\r\n\r\nhello")});
  ByteServer server({mixed});
  const Outcome outcome = fbench({"-n", "4", "-k", "--http", "1.1", server.url()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_HAS(outcome.out, "Failed requests:        0\nKeep-Alive requests:    3\n");
  EXPECT_HAS(outcome.out, "HTML transferred:       20 bytes\n");
  EXPECT_EQ(server.connections(), 1u);
}

TEST(Fbench, a_server_that_leaves_closing_to_us_delays_only_once) {
  ByteServer server({{read_request(), send(kAnswer), stall()}});
  const Outcome outcome = fbench({"-n", "50", "-s", "20", server.url()});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_HAS(outcome.out, "Failed requests:        0\n");
  EXPECT_HAS(outcome.out, "Time taken for tests:   0.");
}

TEST(Fbench, a_kept_connection_found_closed_is_no_failure_but_a_race) {
  ByteServer server({{read_request(), send(kKept), read_request()},
                     {read_request(), send(kKept), read_request(), reset()},
                     {read_request(), send(kKept), read_request(), send(kKept)}});
  const Outcome outcome = fbench({"-n", "4", "-k", server.url()});
  SCOPED_TRACE(outcome.out);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_HAS(outcome.out, "Failed requests:        0\nKeep-Alive requests:    4\n");
  EXPECT_HAS(outcome.out, "Keep-Alive races: 2 (retried once each)\n");
}

TEST(Fbench, a_race_is_retried_only_once) {
  ByteServer server({{read_request(), send(kKept), read_request()}, {read_request()}, {read_request(), send(kKept)}});
  const Outcome outcome = fbench({"-n", "3", "-k", server.url()});
  SCOPED_TRACE(outcome.out);
  EXPECT_HAS(outcome.out, "Errors:         empty reply 1\n");
  EXPECT_HAS(outcome.out, "Keep-Alive races: 1 (retried once each)\n");
}

TEST(Fbench, large_bodies_go_both_ways_and_an_early_answer_counts) {
  const std::string megabytes(3'000'000, 'x');
  const BodyFile body(megabytes);
  const std::string length = "Content-Length: " + std::to_string(megabytes.size()) + "\r\n\r\n";
  Script both;
  for (int i = 0; i < 3; ++i) {
    both.insert(both.end(),
                {read_request(), send("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n" + length + megabytes)});
  }
  ByteServer server({both});
  const Outcome outcome = fbench({"-n", "3", "-k", "-p", body.path(), server.url()});
  EXPECT_HAS(outcome.out, "HTML transferred:       9000000 bytes\n");
  EXPECT_HAS(outcome.out, "Failed requests:        0\n");
  EXPECT_EQ(server.connections(), 1u);

  ByteServer early({{send("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno"), stall()}});
  const Outcome refused = fbench({"-n", "3", "-k", "-p", body.path(), early.url()});
  EXPECT_HAS(refused.out, "Statuses:       4xx 3 (413: 3)\nErrors:         none\n");
}

TEST(Fbench, the_answer_to_head_has_no_body) {
  ByteServer server({{read_request(), send("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 99\r\n\r\n"),
                      read_request(), send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n")}});
  const Outcome outcome = fbench({"-n", "2", "-i", "-k", server.url()});
  EXPECT_HAS(outcome.out, "Document Length:        0 bytes\n");
  EXPECT_HAS(outcome.out, "Failed requests:        0\n");
}

TEST(Fbench, nobody_listening_gives_a_report_and_exit_1) {
  const ClosedPort port;
  for (const Words& first : {Words{}, Words{"--ab"}}) {
    Words words = first;
    words.insert(words.end(), {"-n", "1000", "-c", "3", port.url()});
    const Outcome outcome = fbench(words);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_HAS(outcome.out, "(Connect: 10, Receive: 0, Length: 0, Exceptions: 0)\n");
    EXPECT_HAS(outcome.err, "no connection could be made");
  }
}

TEST(Fbench, every_address_of_a_host_is_tried) {
  ByteServer server({kGood});  // on 127.0.0.1 only, while localhost may be ::1 first
  EXPECT_HAS(fbench({"-n", "5", "-c", "2", server.url("localhost")}).out, "Failed requests:        0\n");
}

TEST(Fbench, an_interrupt_gives_the_report_of_what_was_done) {
  const std::pair<Words, int> rows[] = {{{}, 105}, {{"--ab"}, 1}};
  for (const auto& [first, code] : rows) {
    ByteServer server({kGood, kGood, {read_request(), stall()}});
    Words words = first;
    words.insert(words.end(), {"-n", "1000", "-c", "2", server.url()});
    Program program(FBENCH_BINARY, words);
    ASSERT_TRUE(server.wait_for_requests(4));
    program.signal(SIGINT);
    EXPECT_EQ(program.wait(seconds(5)), code);
    EXPECT_HAS(program.out(), "Complete requests:      2\nFailed requests:        0\n");
    EXPECT_HAS(program.err(), "Finished 2 requests\n");
    const bool extended =
        program.out().find("Accounting:     4 started = 2 ok + 0 failed + 2 interrupted\n") != std::string::npos;
    EXPECT_EQ(extended, first.empty());
  }
}

TEST(Fbench, a_time_limit_ends_a_run_even_if_nothing_answers) {
  ByteServer server({{read_request(), stall()}});
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = fbench({"-t", "300ms", "-c", "2", server.url()});
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(5));
  EXPECT_HAS(outcome.out, "Time taken for tests:   0.3");
  EXPECT_HAS(outcome.out, "Ended by:       time limit\nAccounting:     2 started = 0 ok + 0 failed + 2 interrupted\n");
}

TEST(Fbench, a_lack_of_descriptors_is_named) {
  ByteServer server({{read_request(), stall()}});
  const std::string command = "ulimit -n 16; exec " FBENCH_BINARY " -c 30 -n 40 --timeout 300ms " + server.url();
  const Outcome outcome = run("sh", {"-c", command});
  EXPECT_HAS(outcome.out, "no free descriptor ");
  EXPECT_HAS(outcome.out, "Local limit:    this process ran out of file descriptors");
}

TEST(Fbench, what_cannot_be_run_says_so) {
  const Outcome usage = fbench({"-Q", "http://127.0.0.1:1/"});
  EXPECT_EQ(usage.exit_code, 2);
  EXPECT_EQ(usage.err, "fbench: unknown option -Q (-h for help)\n");
  EXPECT_EQ(fbench({"--ab", "-Q", "http://127.0.0.1:1/"}).exit_code, 22);
  const Outcome unreadable = fbench({"-p", "/nonexistent", "http://127.0.0.1:1/"});
  EXPECT_EQ(unreadable.exit_code, 1);
  EXPECT_EQ(unreadable.err, "fbench: Could not open POST data file (/nonexistent): No such file or directory\n");
  EXPECT_EQ(fbench({"http://no-such-host.invalid/"}).exit_code, 1);
}

}  // namespace
