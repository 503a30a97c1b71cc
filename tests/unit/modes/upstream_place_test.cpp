#include "modes/upstream_place.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace fwd {
namespace {

SpawnRequest command(std::vector<std::string> argv, std::vector<std::string> environment = {}) {
  SpawnRequest request;
  request.argv = std::move(argv);
  request.environment = std::move(environment);
  return request;
}

TEST(upstream_place, a_port_goes_into_the_url_the_words_and_the_environment) {
  const auto place =
      place_upstream("http://127.0.0.1:{port}/v1", command({"serve", "--bind=:{port}", "{socket}"}, {"A=1", "PORT=9", "PORTS=2"}), "/s");
  ASSERT_TRUE(place) << place.error().message();
  const std::string port = std::to_string(place->url.port);
  EXPECT_GT(place->url.port, 1023);
  EXPECT_EQ(place->url.prefix, "/v1");
  EXPECT_EQ(place->command.argv, (std::vector<std::string>{"serve", "--bind=:" + port, "{socket}"}));
  EXPECT_EQ(place->command.environment, (std::vector<std::string>{"A=1", "PORTS=2", "PORT=" + port}));
}

TEST(upstream_place, a_socket_goes_into_the_url_and_the_words_and_takes_the_port_away) {
  const auto place =
      place_upstream("unix:{socket}", command({"serve", "unix:{socket}", "{port}"}, {"PORT=9", "A=1"}), "/run/f/0.sock");
  ASSERT_TRUE(place) << place.error().message();
  EXPECT_EQ(place->url.socket, "/run/f/0.sock");
  EXPECT_EQ(place->command.argv, (std::vector<std::string>{"serve", "unix:/run/f/0.sock", "{port}"}));
  EXPECT_EQ(place->command.environment, (std::vector<std::string>{"A=1"}));
}

TEST(upstream_place, a_fixed_url_fills_the_words_too) {
  const auto tcp = place_upstream("http://127.0.0.1:5000", command({"serve", "{port}{port}"}), "/s");
  ASSERT_TRUE(tcp);
  EXPECT_EQ(tcp->command.argv[1], "50005000");
  EXPECT_EQ(tcp->command.environment, (std::vector<std::string>{"PORT=5000"}));
  const auto local = place_upstream("unix:/run/app.sock", command({"serve", "{socket}"}), "/s");
  ASSERT_TRUE(local);
  EXPECT_EQ(local->command.argv[1], "/run/app.sock");
}

TEST(upstream_place, ports_are_taken_anew) {
  std::vector<std::uint16_t> ports;
  for (int i = 0; i < 8; ++i) {
    const auto place = place_upstream("http://127.0.0.1:{port}", command({"serve"}), "/s");
    ASSERT_TRUE(place);
    ports.push_back(place->url.port);
  }
  std::ranges::sort(ports);
  EXPECT_GT(std::unique(ports.begin(), ports.end()) - ports.begin(), 1);
}

TEST(upstream_place, ports_are_none_that_the_kernel_gives_away_meanwhile) {
  std::ifstream range("/proc/sys/net/ipv4/ip_local_port_range");
  int first = 0, last = 0;
  if (!(range >> first >> last) || first < 30'000) GTEST_SKIP() << "the kernel's own range begins at " << first;
  for (int i = 0; i < 20; ++i) {
    const auto port = find_free_port();
    ASSERT_TRUE(port) << port.error().message();
    EXPECT_LT(*port, first);
  }
}

TEST(upstream_place, a_template_is_checked_as_the_url_that_it_will_be) {
  EXPECT_EQ(problem_of_upstream_template("http://127.0.0.1:{port}"), "");
  EXPECT_EQ(problem_of_upstream_template("unix:{socket}"), "");
  EXPECT_EQ(problem_of_upstream_template("http://127.0.0.1:5000"), "");
  EXPECT_NE(problem_of_upstream_template("http://127.0.0.1:{socket}"), "");
  EXPECT_NE(problem_of_upstream_template("unix:{port}"), "");
  EXPECT_NE(problem_of_upstream_template("{port}"), "");
  EXPECT_TRUE(has_placeholder("http://127.0.0.1:{port}"));
  EXPECT_TRUE(has_placeholder("unix:{socket}"));
  EXPECT_FALSE(has_placeholder("http://127.0.0.1:5000"));
}

}  // namespace
}  // namespace fwd
