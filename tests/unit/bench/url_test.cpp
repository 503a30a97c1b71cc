#include "bench/url.hpp"

#include <gtest/gtest.h>

namespace fwd::bench {
namespace {

struct Good {
  const char* text;
  bool secure;
  const char* host;
  const char* host_field;
  int port;
  const char* path;
};

TEST(Url, reads_what_ab_reads) {
  const Good rows[] = {
      {"http://localhost:8081/", false, "localhost", "localhost:8081", 8081, "/"},
      {"http://example.org/a/b?c=d#e", false, "example.org", "example.org", 80, "/a/b?c=d#e"},
      {"127.0.0.1:8080/x", false, "127.0.0.1", "127.0.0.1:8080", 8080, "/x"},
      {"HTTP://h/", false, "h", "h", 80, "/"},
      {"http://h:80/", false, "h", "h", 80, "/"},
      {"https://h/", true, "h", "h", 443, "/"},
      {"https://h:80/", true, "h", "h:80", 80, "/"},
      {"http://[::1]:9/p", false, "::1", "[::1]:9", 9, "/p"},
      {"http://[::1]/", false, "::1", "[::1]", 80, "/"},
      {"http://h//", false, "h", "h", 80, "//"},
  };
  for (const Good& row : rows) {
    const auto url = parse_url(row.text);
    ASSERT_TRUE(url) << row.text;
    EXPECT_EQ(url->secure, row.secure) << row.text;
    EXPECT_EQ(url->host, row.host) << row.text;
    EXPECT_EQ(url->host_field, row.host_field) << row.text;
    EXPECT_EQ(url->port, row.port) << row.text;
    EXPECT_EQ(url->path, row.path) << row.text;
  }
}

TEST(Url, refuses_the_rest) {
  for (const char* text : {"", "/", "http:///", "http://h", "h:80", "http://h:/", "http://h:0/", "http://h:65536/",
                           "http://h:8x/", "http://[]/", "http://[::1/", "http://[::1]x/", "http://u@h/",
                           "http://h/a b", "http://h/\r\nX: y", "ftp://h/", "http://:80/"}) {
    EXPECT_FALSE(parse_url(text)) << text;
  }
}

}  // namespace
}  // namespace fwd::bench
