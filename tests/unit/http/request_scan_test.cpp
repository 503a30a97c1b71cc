#include "watchdog/http/request_scan.hpp"

#include <gtest/gtest.h>
#include <string>

namespace fwd {
namespace {

using namespace std::string_view_literals;

constexpr auto npos = std::string_view::npos;

TEST(RequestScan, head_ends_at_the_first_crlf_crlf) {
  const auto bytes = "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /2"sv;
  const auto end = bytes.find("GET /2");
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    EXPECT_EQ(find_head_end(bytes.substr(0, size), 0), size < end ? npos : end) << size;
  }
}

TEST(RequestScan, head_end_is_found_wherever_the_bytes_are_cut) {
  const auto bytes = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"sv;
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    ASSERT_EQ(find_head_end(bytes.substr(0, cut), 0), npos);
    EXPECT_EQ(find_head_end(bytes, cut), bytes.size()) << cut;
  }
}

TEST(RequestScan, nothing_else_ends_a_head) {
  for (auto bytes :
       {"GET / HTTP/1.1\n\n"sv, "a\r\n\rX"sv, "a\r\n\n"sv, "a\n\r\n"sv, "\r\r\n\n"sv, "\n\r\n"sv, "\r\n"sv}) {
    EXPECT_EQ(find_head_end(bytes, 0), npos) << bytes;
  }
}

TEST(RequestScan, at_most_two_leading_line_ends_are_dropped) {
  EXPECT_EQ(skip_leading_crlf(""), 0U);
  EXPECT_EQ(skip_leading_crlf("GET"), 0U);
  EXPECT_EQ(skip_leading_crlf("\r"), 0U);
  EXPECT_EQ(skip_leading_crlf("\r\n"), 2U);
  EXPECT_EQ(skip_leading_crlf("\r\nGET"), 2U);
  EXPECT_EQ(skip_leading_crlf("\r\n\r\nGET"), 4U);
  EXPECT_EQ(skip_leading_crlf("\r\n\r\n\r\nGET"), 4U);
  EXPECT_EQ(skip_leading_crlf("\nGET"), 0U);
}

struct Case {
  std::string bytes;
  Error error;
};

TEST(RequestScan, garbage_is_refused_before_its_head_ends) {
  const Errc bad = Errc::malformed_request;
  const Case cases[] = {
      {std::string("\x16\x03\x01\x02\0\x01"sv), bad},  // a TLS hello
      {"PRI * HTTP/2.0\r\n", bad},                     // HTTP/2
      {"\r\nGET", bad},                                // the caller dropped two already
      {"\n", bad},
      {" GET", bad},
      {"GE\tT", bad},
      {"GET\r\n", bad},
      {"GET /\r\n", bad},
      {"GET /\n", bad},
      {"GET / HTTP/1.1\n", bad},
      {"GET /a\x01", bad},
      {"GET  /", bad},
      {"GET / http", bad},
      {"GET / x HTTP", bad},
      {"GET / HTTP/1.1 ", bad},
      {"GET / HTTP/1.1\rX", bad},
      {std::string(33, 'A'), bad},
      {"GET / HTTP/1.1\r\n Host: a", bad},
      {"GET / HTTP/1.1\r\nHost: a\n", bad},
      {"GET / HTTP/1.1\r\nHost: a\r\n\tb", bad},
      {"GET / HTTP/1.1\r\nHost: a\rb", bad},
      {"GET / HTTP/1.1\r\nHost: a\r\n\rX", bad},  // CVE-2025-23167
      {"GET / HTTP/2.0\r\n", Errc::unsupported_version},
      {"GET / HTTP/0.9\r\n", Errc::unsupported_version},
      {"PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n", bad},
      {"GET /" + std::string(8 * 1024, 'a'), Errc::target_too_long},
      {"GET / HTTP/1.1\r\nA: " + std::string(16 * 1024, 'a'), Errc::head_too_large},
  };
  for (const auto& row : cases) {
    EXPECT_EQ(check_partial_head(row.bytes, {}), row.error) << row.bytes.substr(0, 60);
  }
}

TEST(RequestScan, every_beginning_of_a_good_head_may_go_on) {
  const auto head = "OPTIONS http://a/%C3\xA9?x HTTP/1.0\r\nHost: a\r\nX:\r\nY: \xE9 b\t\r\n\r"sv;
  for (std::size_t size = 0; size <= head.size(); ++size) {
    EXPECT_FALSE(check_partial_head(head.substr(0, size), {})) << size;
  }
}

TEST(RequestScan, limits_hold_to_the_byte_in_partial_heads) {
  const RequestLimits limits{.head_bytes = 60, .line_bytes = 30, .target_bytes = 10, .fields = 2};
  const std::string start = "GET / HTTP/1.1\r\n";
  EXPECT_FALSE(check_partial_head("GET /123456789", limits));
  EXPECT_EQ(check_partial_head("GET /123456789a", limits), Errc::target_too_long);
  EXPECT_FALSE(check_partial_head(start + std::string(30, 'a'), limits));
  EXPECT_FALSE(check_partial_head(start + std::string(30, 'a') + "\r", limits));
  EXPECT_EQ(check_partial_head(start + std::string(32, 'a'), limits), Errc::head_too_large);
  EXPECT_FALSE(check_partial_head(start + "a:1\r\nb:2\r\n", limits));
  EXPECT_EQ(check_partial_head(start + "a:1\r\nb:2\r\nc:3\r\n", limits), Errc::head_too_large);
  EXPECT_FALSE(check_partial_head(start + "a:" + std::string(20, 'a') + "\r\nb:" + std::string(18, 'b'), limits));
  EXPECT_EQ(check_partial_head(start + "a:" + std::string(20, 'a') + "\r\nb:" + std::string(19, 'b'), limits),
            Errc::head_too_large);
}

TEST(RequestScan, a_whole_head_gives_its_request_line) {
  RequestLine line;
  ASSERT_FALSE(scan_head("POST /a?b HTTP/1.7\r\nHost: a\r\n\r\n", {}, line));
  EXPECT_EQ(line.method, "POST");
  EXPECT_EQ(line.target, "/a?b");
  EXPECT_EQ(line.minor_version, 7);
}

TEST(RequestScan, a_whole_head_is_exactly_one) {
  RequestLine line;
  EXPECT_FALSE(scan_head("GET / HTTP/1.0\r\n\r\n", {}, line));
  for (auto bytes :
       {""sv, "\r\n"sv, "\r\n\r\n"sv, "GET / HTTP/1.1\r\n"sv, "GET / HTTP/1.1\r\nA: b\r\n"sv,
        "GET / HTTP/1.1\r\n\r\n\r\n"sv, "GET / HTTP/1.1\r\n\r\nx"sv, "GET / HTTP/1.1\r\nA: b\r\n\r\n\r\n"sv}) {
    EXPECT_EQ(scan_head(bytes, {}, line), Errc::malformed_request) << bytes;
  }
}

}  // namespace
}  // namespace fwd
