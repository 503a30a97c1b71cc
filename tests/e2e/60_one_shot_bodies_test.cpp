// Bodies of every size through one process for each request: none loses a byte, and none is held in memory.
// FWD_FULL=1 sends 5,000 requests instead of 400, and one body of 1 GiB.

#include <atomic>
#include <thread>

#include "tests/e2e/one_shot.hpp"

namespace fwd::test {
namespace {

class OneShotBodies : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(modes, OneShotBodies, testing::Values("streaming", "serializing", "classic"),
                         [](const auto& each) { return each.param; });

constexpr std::size_t kSizes[] = {0,       1,       4095,        4096,        65'535,    65'536,
                                  65'537,  100'000, 200'000,     262'145,     1'000'000, 1'048'577,
                                  10'000'000};

TEST_P(OneShotBodies, come_back_from_cat_whole_at_every_size_by_length) {
  const WatchdogProcess watchdog(one_shot(GetParam(), {"cat"}));
  for (const std::size_t size : kSizes) {
    SCOPED_TRACE(size);
    const std::string body = random_bytes(size, static_cast<unsigned>(size));
    HttpClient client(watchdog.port());
    std::thread sender([&] { (void)client.send(render_request("POST", "/", body)); });  // both ways at once
    const auto answer = client.find_answer();
    sender.join();
    ASSERT_TRUE(answer) << client.last_error();
    EXPECT_EQ(answer->status, 200) << answer->body.substr(0, 100);
    EXPECT_TRUE(answer->body == body) << answer->body.size();
  }
  expect_no_process_left(watchdog);
}

TEST_P(OneShotBodies, come_back_from_cat_whole_at_every_size_in_chunks) {
  const WatchdogProcess watchdog(one_shot(GetParam(), {"cat"}));
  unsigned seed = 1;
  for (const std::size_t size : kSizes) {
    SCOPED_TRACE(size);
    const std::string body = random_bytes(size, ++seed);
    HttpClient client(watchdog.port());
    std::thread sender([&] { (void)client.send(render_chunked("/", body, seed)); });  // both ways at once
    const auto answer = client.find_answer();
    sender.join();
    ASSERT_TRUE(answer) << client.last_error();
    EXPECT_EQ(answer->status, 200);
    EXPECT_TRUE(answer->body == body) << answer->body.size();
  }
  expect_no_process_left(watchdog);
}

TEST_P(OneShotBodies, of_sixteen_clients_at_once_do_not_mix) {
  constexpr std::size_t kClients = 16;
  const std::size_t requests = full_length() ? 5'000 : 400;
  const WatchdogProcess watchdog(one_shot(GetParam(), {"cat"}));
  std::atomic<std::size_t> next = 0, wrong = 0;
  std::vector<std::thread> clients;
  for (std::size_t i = 0; i < kClients; ++i) {
    clients.emplace_back([&] {
      for (std::size_t number = next++; number < requests; number = next++) {
        const std::size_t size = number % 10 == 0 ? 100'000 + number * 7 : number % 3'000;
        const std::string body = random_bytes(size, static_cast<unsigned>(number));
        const auto answer = try_request(watchdog.port(), "POST", "/", body);
        if (!answer || answer->status != 200 || answer->body != body) ++wrong;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(wrong, 0U) << watchdog.log();
  expect_no_process_left(watchdog);
}

TEST_P(OneShotBodies, are_nothing_to_a_function_that_does_not_read_them) {
  const WatchdogProcess watchdog(one_shot(GetParam(), {PROBE_BINARY, "print", "done"}));
  const std::string body(1'000'000, 'b');
  for (int round = 0; round < 5; ++round) {
    for (const std::string& text : {render_request("POST", "/", body), render_chunked("/", body, 7)}) {
      HttpClient client(watchdog.port());
      (void)client.send(text);  // the answer may come before all of it has gone
      const auto answer = client.find_answer();
      ASSERT_TRUE(answer) << client.last_error() << watchdog.log();
      EXPECT_EQ(answer->status, 200);
      EXPECT_EQ(answer->body, "done");
    }
  }
  expect_no_process_left(watchdog);
}

TEST(one_shot_bodies, begin_to_come_back_before_they_have_ended) {
  const WatchdogProcess watchdog(one_shot("streaming", {"cat"}));
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n"));
  std::string text = client.read_bytes(1);
  while (!text.empty() && text.find("first") == std::string::npos) text += client.read_bytes(1);
  EXPECT_NE(text.find("\r\n\r\n5\r\nfirst"), std::string::npos) << text;
  ASSERT_TRUE(client.send("6\r\nsecond\r\n0\r\n\r\n"));
  EXPECT_EQ(client.read_bytes(18), "\r\n6\r\nsecond\r\n0\r\n\r\n");
}

std::size_t peak_kilobytes(pid_t pid) {
  const std::string status = read_file("/proc/" + std::to_string(pid) + "/status");
  const std::size_t at = status.find("VmHWM:");
  return at == std::string::npos ? 0 : std::stoul(status.substr(at + 6));
}

constexpr char kFiller = '\1';  // in no head, and in no chunk's size

/// Sends `count` bytes in pieces while they come back, and counts those that do.
std::size_t pour(std::uint16_t port, std::size_t count) {
  HttpClient client(port, milliseconds(120'000));
  const std::string head =
      "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: " + std::to_string(count) + "\r\n\r\n";
  std::thread sender([&] {
    const std::string piece(1024 * 1024, kFiller);
    bool sent = client.send(head);
    for (std::size_t left = count; sent && left > 0; left -= std::min(left, piece.size()))
      sent = client.send(std::string_view(piece).substr(0, std::min(left, piece.size())));
  });
  std::size_t payload = 0;
  for (std::string piece = client.read_bytes(65'536); !piece.empty(); piece = client.read_bytes(65'536))
    payload += static_cast<std::size_t>(std::count(piece.begin(), piece.end(), kFiller));
  sender.join();
  return payload;
}

TEST(one_shot_bodies, take_no_memory_when_they_are_streamed) {
  const std::size_t count = full_length() ? std::size_t{1} << 30 : 64 * 1024 * 1024;
  const WatchdogProcess watchdog(
      one_shot("streaming", {"cat"}, {{"read_timeout", "5m"}, {"write_timeout", "5m"}, {"exec_timeout", "5m"}}));
  EXPECT_EQ(pour(watchdog.port(), 1'000'000), 1'000'000U);
  const std::size_t before = peak_kilobytes(watchdog.pid());
  ASSERT_GT(before, 0U);
  EXPECT_EQ(pour(watchdog.port(), count), count);
  EXPECT_LT(peak_kilobytes(watchdog.pid()), before + 8 * 1024);
}

TEST(one_shot_bodies, that_break_off_never_look_complete) {
  const TemporaryFolder folder;
  const WatchdogProcess watchdog(
      shell("streaming", "echo $$ > " + (folder / "pid") + "; cat > /dev/null; echo whole > " + (folder / "whole")));
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf"));
  const pid_t pid = wait_for_pid(folder / "pid");
  client.reset();
  EXPECT_TRUE(wait_until([&] { return !is_running(pid); }));
  expect_no_process_left(watchdog);
  EXPECT_EQ(read_file(folder / "whole"), "");
}

TEST(one_shot_bodies, with_malformed_chunks_are_answered_400_and_end_the_process) {
  const WatchdogProcess watchdog(one_shot("streaming", {"cat"}));
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"));
  const auto answer = client.find_answer();
  ASSERT_TRUE(answer) << client.last_error();
  EXPECT_EQ(answer->status, 400);
  expect_no_process_left(watchdog);
}

TEST(one_shot_bodies, are_invited_by_100_continue) {
  for (const std::string mode : {"streaming", "serializing", "classic"}) {
    SCOPED_TRACE(mode);
    const WatchdogProcess watchdog(one_shot(mode, {"cat"}));
    HttpClient client(watchdog.port());
    ASSERT_TRUE(
        client.send("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"));
    const auto invitation = client.find_answer();
    ASSERT_TRUE(invitation) << client.last_error();
    EXPECT_EQ(invitation->status, 100);
    ASSERT_TRUE(client.send("hello"));
    const auto answer = client.find_answer();
    ASSERT_TRUE(answer) << client.last_error();
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, "hello");
  }
}

}  // namespace
}  // namespace fwd::test
