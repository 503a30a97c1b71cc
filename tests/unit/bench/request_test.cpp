#include "bench/request.hpp"

#include <gtest/gtest.h>

#include "bench/version.hpp"

namespace fwd::bench {
namespace {

Url url(const char* text) {
  return *parse_url(text);
}

RequestParts posting(std::string body) {
  RequestParts parts;
  parts.method = "POST";
  parts.has_body = true;
  parts.body = std::move(body);
  return parts;
}

// The expected bytes of these tests were captured from ab 2.3 (Debian 12) with a raw socket; tests/e2e/40 does so
// again.

TEST(Request, plain_is_that_of_ab) {
  EXPECT_EQ(render_request({}, url("http://127.0.0.1:8081/")),
            "GET / HTTP/1.0\r\nHost: 127.0.0.1:8081\r\nUser-Agent: ApacheBench/2.3\r\nAccept: */*\r\n\r\n");
}

TEST(Request, keep_alive_is_that_of_ab) {
  RequestParts parts;
  parts.keep_alive = true;
  EXPECT_EQ(render_request(parts, url("http://[::1]:8081/a?b=c#d")),
            "GET /a?b=c#d HTTP/1.0\r\nConnection: Keep-Alive\r\nHost: [::1]:8081\r\nUser-Agent: ApacheBench/2.3\r\n"
            "Accept: */*\r\n\r\n");
}

TEST(Request, the_seed_sends_146_bytes_a_request) {
  const std::string bytes = render_request(posting("12345678901234567"), url("http://localhost:8081/"));
  EXPECT_EQ(bytes,
            "POST / HTTP/1.0\r\nContent-length: 17\r\nContent-type: text/plain\r\nHost: localhost:8081\r\n"
            "User-Agent: ApacheBench/2.3\r\nAccept: */*\r\n\r\n12345678901234567");
  EXPECT_EQ(bytes.size(), 146u);
}

TEST(Request, everything_at_once_is_in_the_order_of_ab) {
  RequestParts parts = posting("12345678901234567");
  parts.method = "PUT";
  parts.content_type = "a/b";
  parts.cookie = "c=d";
  parts.authorizations = {"u:p"};
  parts.fields = {"X-A: 1", "host: foo"};
  EXPECT_EQ(render_request(parts, url("http://127.0.0.1:8081/")),
            "PUT / HTTP/1.0\r\nCookie: c=d\r\nAuthorization: Basic dTpw\r\nContent-length: 17\r\nContent-type: a/b\r\n"
            "X-A: 1\r\nhost: foo\r\nUser-Agent: ApacheBench/2.3\r\nAccept: */*\r\n\r\n12345678901234567");
}

TEST(Request, fields_of_the_user_stand_for_our_own) {
  RequestParts parts;
  parts.fields = {"User-Agent: x", "Accept: y"};
  EXPECT_EQ(render_request(parts, url("http://127.0.0.1:8081/")),
            "GET / HTTP/1.0\r\nUser-Agent: x\r\nAccept: y\r\nHost: 127.0.0.1:8081\r\n\r\n");
}

TEST(Request, a_content_type_of_the_user_is_doubled_only_as_ab) {
  RequestParts parts = posting("");
  parts.fields = {"content-TYPE: x/y", "Content-Types: z"};
  EXPECT_EQ(render_request(parts, url("http://h/")).find("Content-type"), std::string::npos);
  parts.keep_duplicates = true;
  EXPECT_NE(render_request(parts, url("http://h/")).find("Content-type: text/plain\r\n"), std::string::npos);
}

TEST(Request, http_11_names_us_and_closes_unless_kept_alive) {
  RequestParts parts;
  parts.version = HttpVersion::http_11;
  const std::string agent = "User-Agent: fbench/" + std::string(version()) + "\r\n";
  EXPECT_EQ(render_request(parts, url("http://h/")),
            "GET / HTTP/1.1\r\nConnection: close\r\nHost: h\r\n" + agent + "Accept: */*\r\n\r\n");
  parts.keep_alive = true;
  EXPECT_EQ(render_request(parts, url("http://h/")), "GET / HTTP/1.1\r\nHost: h\r\n" + agent + "Accept: */*\r\n\r\n");
}

TEST(Request, base64_has_the_padding_of_rfc_4648) {
  const std::pair<const char*, const char*> rows[] = {{"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
                                                      {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"\xff\xfe\xfd", "//79"}};
  for (const auto& [bytes, text] : rows) EXPECT_EQ(to_base64(bytes), text);
}

}  // namespace
}  // namespace fwd::bench
