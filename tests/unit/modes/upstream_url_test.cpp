#include "modes/upstream_url.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fwd {
namespace {

TEST(upstream_url, takes_every_form_apart) {
  struct Case {
    const char* text;
    const char* host;
    unsigned port;
    const char* socket;
    const char* prefix;
  };
  const Case cases[] = {
      {"http://127.0.0.1:5000", "127.0.0.1", 5000, "", ""},
      {"http://127.0.0.1:5000/", "127.0.0.1", 5000, "", ""},
      {"HTTP://localhost", "localhost", 80, "", ""},
      {"http://localhost:8082/a/b", "localhost", 8082, "", "/a/b"},
      {"http://localhost:8082/a/b//", "localhost", 8082, "", "/a/b"},
      {"http://localhost:8082//a%2Fb", "localhost", 8082, "", "//a%2Fb"},
      {"http://[::1]:99/x", "::1", 99, "", "/x"},
      {"http://[::1]", "::1", 80, "", ""},
      {"http://app:65535", "app", 65535, "", ""},
      {"unix:/run/app.sock", "", 80, "/run/app.sock", ""},
      {"unix:///run/app.sock", "", 80, "/run/app.sock", ""},
      {"http+unix://%2Frun%2fapp.sock", "", 80, "/run/app.sock", ""},
      {"http+unix://%2Frun%2Fapp.sock/v1/", "", 80, "/run/app.sock", "/v1"},
  };
  for (const Case& each : cases) {
    const auto url = parse_upstream_url(each.text);
    ASSERT_TRUE(url) << each.text << ": " << problem_of_upstream_url(each.text);
    EXPECT_EQ(url->host, each.host) << each.text;
    EXPECT_EQ(url->port, each.port) << each.text;
    EXPECT_EQ(url->socket, each.socket) << each.text;
    EXPECT_EQ(url->prefix, each.prefix) << each.text;
    EXPECT_EQ(url->is_unix(), *each.socket != '\0') << each.text;
    EXPECT_EQ(problem_of_upstream_url(each.text), "") << each.text;
  }
}

TEST(upstream_url, has_an_authority_for_clients_that_name_no_host) {
  for (const auto& [text, authority] : std::initializer_list<std::pair<const char*, const char*>>{
           {"http://app:5000/v1", "app:5000"}, {"http://[::1]", "[::1]:80"}, {"unix:/run/app.sock", "localhost"}}) {
    const auto url = parse_upstream_url(text);
    ASSERT_TRUE(url) << text;
    EXPECT_EQ(url->authority(), authority) << text;
  }
}

TEST(upstream_url, refuses_what_it_cannot_reach_and_says_why) {
  struct Case {
    std::string text;
    const char* reason;
  };
  const Case cases[] = {
      {"", "http://"},
      {"127.0.0.1:5000", "http://"},
      {"ftp://127.0.0.1", "http://"},
      {"https://127.0.0.1:5000", "https"},
      {"http://", "host"},
      {"http:///x", "host"},
      {"http://:5000", "host"},
      {"http://a b", "host"},
      {"http://u:p@127.0.0.1", "user"},
      {"http://127.0.0.1:0", "port"},
      {"http://127.0.0.1:65536", "port"},
      {"http://127.0.0.1:5000x", "host"},
      {"http://127.0.0.1/a?b", "path"},
      {"http://127.0.0.1/a#b", "path"},
      {"http://127.0.0.1/a b", "path"},
      {"unix:", "begins with /"},
      {"unix:run/app.sock", "begins with /"},
      {"unix://host/app.sock", "begins with /"},
      {"unix:/" + std::string(107, 's'), "107"},
      {"http+unix://%2Frun%2", "hexadecimal"},
      {"http+unix://%2Frun%00", "NUL"},
      {"http+unix:///run/app.sock", "begins with /"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(parse_upstream_url(each.text).error(), Errc::invalid_value) << each.text;
    const std::string problem = problem_of_upstream_url(each.text);
    EXPECT_NE(problem.find(each.reason), std::string::npos) << each.text << ": " << problem;
  }
}

}  // namespace
}  // namespace fwd
