// mode=http: upgrades.

#include <gtest/gtest.h>

#include "tests/e2e/http_function.hpp"

namespace fwd::test {
namespace {

TEST(http_tunnel, an_upgrade_passes_bytes_both_ways) {
  const WatchdogProcess watchdog(http_function());
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send("GET /upgrade HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: lines\r\n\r\nsent early\n"));
  std::string head;
  while (!head.ends_with("\r\n\r\n")) {
    const std::string byte = client.read_bytes(1);
    ASSERT_EQ(byte.size(), 1U) << head << client.last_error() << watchdog.log();
    head += byte;
  }
  EXPECT_TRUE(head.starts_with("HTTP/1.1 101 Now Lines\r\n")) << head;
  EXPECT_NE(head.find("Connection: Upgrade\r\n"), std::string::npos) << head;
  EXPECT_NE(head.find("Upgrade: lines\r\n"), std::string::npos) << head;
  EXPECT_NE(head.find("X-Told: 1\r\n"), std::string::npos) << head;
  EXPECT_EQ(client.read_bytes(17), "hello\nSENT EARLY\n");
  ASSERT_TRUE(client.send("more"));
  EXPECT_EQ(client.read_bytes(4), "MORE");
  client.shut_down_sending();
  EXPECT_EQ(client.read_to_end(), "bye\n");
}

TEST(http_tunnel, an_upgrade_that_is_declined_is_an_ordinary_answer) {
  const WatchdogProcess watchdog(http_function());
  HttpClient client(watchdog.port());
  const Fields fields = {{"Connection", "upgrade"}, {"Upgrade", "other"}};
  for (int i = 0; i < 2; ++i) {
    const auto answer = client.ask("GET", "/upgrade", {}, fields);
    ASSERT_TRUE(answer) << client.last_error();
    EXPECT_EQ(answer->status, 426);
    EXPECT_EQ(answer->body, "not asked for");
  }
}

TEST(http_tunnel, a_tunnel_ends_when_it_is_idle_or_old) {
  for (const char* limit : {"tunnel_idle_timeout", "tunnel_timeout"}) {
    const WatchdogProcess watchdog(http_function({{limit, "300ms"}}));
    HttpClient client(watchdog.port());
    ASSERT_TRUE(client.send("GET /upgrade HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: lines\r\n\r\n"));
    const auto all = client.read_to_end();
    ASSERT_TRUE(all) << limit << client.last_error();
    EXPECT_TRUE(all->ends_with("\r\n\r\nhello\n")) << *all;
  }
}

}  // namespace
}  // namespace fwd::test
