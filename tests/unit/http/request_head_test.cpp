#include "watchdog/http/request_head.hpp"

#include <gtest/gtest.h>
#include <string>

namespace fwd {
namespace {

using namespace std::string_view_literals;

constexpr auto kBad = Errc::malformed_request;

Error assign(std::string_view bytes) {
  RequestHead head;
  return head.assign(bytes, {});
}

/// A 1.1 request with Host and these further lines.
std::string with(std::string_view lines, std::string_view start = "POST / HTTP/1.1\r\nHost: a\r\n") {
  return std::string(start).append(lines).append("\r\n");
}

TEST(RequestHead, says_what_the_client_sent) {
  RequestHead head;
  ASSERT_FALSE(
      head.assign("POST /a%20b?x=1?2 HTTP/1.1\r\nHost: fn.example:8080\r\nX-Empty:\r\nX-Pad: \t b c\t \r\n"
                  "Content-Length: 5\r\n\r\n",
                  {}));
  EXPECT_EQ(head.method(), "POST");
  EXPECT_EQ(head.target(), "/a%20b?x=1?2");
  EXPECT_EQ(head.path_and_query(), "/a%20b?x=1?2");
  EXPECT_EQ(head.path(), "/a%20b");
  EXPECT_EQ(head.query(), "x=1?2");
  EXPECT_EQ(head.host(), "fn.example:8080");
  EXPECT_EQ(head.minor_version(), 1);
  EXPECT_TRUE(head.keep_alive());
  EXPECT_FALSE(head.expects_continue());
  EXPECT_FALSE(head.chunked());
  EXPECT_EQ(head.content_length(), 5U);
  EXPECT_TRUE(head.has_body());
  ASSERT_EQ(head.fields().size(), 4U);
  EXPECT_EQ(head.find("x-empty"), "");
  EXPECT_EQ(head.find("x-pad"), "b c");
  EXPECT_EQ(head.find("nothing"), std::nullopt);
}

TEST(RequestHead, one_object_serves_many_requests) {
  RequestHead head;
  ASSERT_FALSE(head.assign(with("Transfer-Encoding: chunked\r\nExpect: 100-continue\r\nConnection: x\r\n"), {}));
  EXPECT_TRUE(head.chunked() && head.expects_continue() && head.connection_names_fields());
  ASSERT_TRUE(head.assign("nonsense\r\n\r\n", {}));
  EXPECT_FALSE(head.keep_alive());
  ASSERT_FALSE(head.assign("GET / HTTP/1.0\r\n\r\n", {}));
  EXPECT_FALSE(head.chunked() || head.expects_continue() || head.connection_names_fields() || head.has_body());
  EXPECT_EQ(head.content_length(), std::nullopt);
  EXPECT_EQ(head.host(), "");
  EXPECT_TRUE(head.fields().empty());
}

TEST(RequestHead, views_point_into_the_head_itself) {
  RequestHead head;
  std::string bytes = with("A: b\r\n");
  ASSERT_FALSE(head.assign(bytes, {}));
  bytes.assign(bytes.size(), '#');
  EXPECT_EQ(head.find("a"), "b");
  EXPECT_EQ(head.method(), "POST");
}

TEST(RequestHead, host_is_there_once_and_valid) {
  EXPECT_EQ(assign("GET / HTTP/1.1\r\n\r\n"), kBad);
  EXPECT_FALSE(assign("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_FALSE(assign("GET / HTTP/1.1\r\nHost:\r\n\r\n"));
  EXPECT_FALSE(assign("GET / HTTP/1.1\r\nhOST: a_b.c~%41!:65535\r\n\r\n"));
  EXPECT_FALSE(assign("GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n"));
  for (auto lines : {"Host: a\r\nHost: a\r\n", "Host: a\r\nHost: b\r\n", "Host: a b\r\n", "Host: a/b\r\n",
                     "Host: a@b\r\n", "Host: a:b\r\n", "Host: a:123456\r\n", "Host: a:1:2\r\n", "Host: [::1\r\n",
                     "Host: [x]\r\n", "Host: []\r\n", "Host: a,b\"\r\n", "Host: \xE9\r\n", "Host: http://a\r\n"}) {
    EXPECT_EQ(assign(with(lines, "GET / HTTP/1.1\r\n")), kBad) << lines;
    EXPECT_EQ(assign(with(lines, "GET / HTTP/1.0\r\n")), kBad) << lines;
  }
}

TEST(RequestHead, transfer_encoding_is_chunked_alone_or_refused) {
  for (auto value : {"chunked", "Chunked", "CHUNKED", " chunked\t"}) {
    EXPECT_FALSE(assign(with("Transfer-Encoding:" + std::string(value) + "\r\n"))) << value;
  }
  for (auto value : {"", "chunked, chunked", "gzip, chunked", "chunked, gzip", "chunked,", ", chunked", "chunked;q=1",
                     "\"chunked\"", "chun ked", "\vchunked", "chunked\v"}) {
    EXPECT_EQ(assign(with("Transfer-Encoding: " + std::string(value) + "\r\n")), kBad) << value;
  }
  for (auto value : {"gzip", "identity", "xchunked", "chunke"}) {
    EXPECT_EQ(assign(with("Transfer-Encoding: " + std::string(value) + "\r\n")), Errc::unsupported_coding) << value;
  }
  for (auto lines :
       {"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding:\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "Content-Length: 0\r\nTransfer-Encoding: gzip\r\n",
        "Transfer-Encoding: gzip\r\nContent-Length: 5\r\n", "Transfer-Encoding : chunked\r\n",
        "Transfer-Encoding:\r\n chunked\r\n", "A: b\r\n Transfer-Encoding: chunked\r\n"}) {
    EXPECT_EQ(assign(with(lines)), kBad) << lines;
  }
  EXPECT_EQ(assign("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), kBad);
}

TEST(RequestHead, content_length_is_one_line_of_digits) {
  struct Row {
    std::string_view value;
    std::optional<std::uint64_t> length;
  };
  for (const Row& row :
       {Row{"0", 0}, Row{"5", 5}, Row{"005", 5}, Row{"9999999999999999999", 9999999999999999999U}, Row{" 7\t", 7}}) {
    RequestHead head;
    ASSERT_FALSE(head.assign(with("Content-Length: " + std::string(row.value) + "\r\n"), {})) << row.value;
    EXPECT_EQ(head.content_length(), row.length);
    EXPECT_EQ(head.has_body(), row.length > 0U);
  }
  for (auto value : {"", "+5", "-5", "0x5", "5a", "5 5", "5,5", "5, 5", "5;", "1_0", "5.0", "\"5\"", "1e3",
                     "10000000000000000000", "18446744073709551616", "00000000000000000005"}) {
    EXPECT_EQ(assign(with("Content-Length: " + std::string(value) + "\r\n")), kBad) << value;
  }
  EXPECT_EQ(assign(with("Content-Length: 5\r\nContent-Length: 5\r\n")), kBad);
  EXPECT_EQ(assign(with("Content-Length: 5\r\nContent-Length: 6\r\n")), kBad);
  EXPECT_EQ(assign(with("Content-Length : 5\r\n")), kBad);
  EXPECT_EQ(assign(with("A: b\r\n Content-Length: 5\r\n")), kBad);  // CVE-2024-27982
}

TEST(RequestHead, target_has_the_form_that_its_method_allows) {
  struct Row {
    std::string_view line, path_and_query, path, query, host;
  };
  for (const Row& row :
       {Row{"GET /", "/", "/", "", "a"}, Row{"GET /?", "/?", "/", "", "a"},
        Row{"GET //b/..?c#d", "//b/..?c#d", "//b/..", "c#d", "a"}, Row{"OPTIONS *", "*", "*", "", "a"},
        Row{"GET /http://b/", "/http://b/", "/http://b/", "", "a"}, Row{"GET http://b:1/c?d", "/c?d", "/c", "d", "b:1"},
        Row{"GET HTTPS://b", "/", "/", "", "b"}, Row{"OPTIONS http://b", "*", "*", "", "b"},
        Row{"OPTIONS http://b/", "/", "/", "", "b"}, Row{"GET http://b?c/d", "/?c/d", "/", "c/d", "b"},
        Row{"get /\xC3\xA9", "/\xC3\xA9", "/\xC3\xA9", "", "a"}}) {
    RequestHead head;
    ASSERT_FALSE(head.assign(std::string(row.line) + " HTTP/1.1\r\nHost: a\r\n\r\n", {})) << row.line;
    EXPECT_EQ(head.path_and_query(), row.path_and_query);
    EXPECT_EQ(head.path(), row.path);
    EXPECT_EQ(head.query(), row.query);
    EXPECT_EQ(head.host(), row.host);
    EXPECT_EQ(head.target(), row.line.substr(row.line.find(' ') + 1));
  }
  for (auto line : {"GET *", "GET foo", "GET a:80", "GET http://", "GET http:///x", "GET http://:80/", "GET http:/x",
                    "GET http://u@b/", "GET ftp://b/", "GET http://b:x/", "OPTIONS **", "GET ?x", "GET http://b#c"}) {
    EXPECT_EQ(assign(std::string(line) + " HTTP/1.1\r\nHost: a\r\n\r\n"), kBad) << line;
  }
  EXPECT_EQ(assign("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n"), Errc::unsupported_method);
  EXPECT_EQ(assign("CONNECT / HTTP/1.1\r\nHost: a\r\n\r\n"), Errc::unsupported_method);
}

TEST(RequestHead, an_absolute_target_still_needs_a_host_field) {
  EXPECT_EQ(assign("GET http://b/ HTTP/1.1\r\n\r\n"), kBad);
  EXPECT_FALSE(assign("GET http://b/ HTTP/1.0\r\n\r\n"));
}

TEST(RequestHead, request_line_is_method_target_version_with_one_space_each) {
  EXPECT_FALSE(assign(std::string(32, 'M') + " / HTTP/1.1\r\nHost: a\r\n\r\n"));
  for (auto line :
       {std::string(33, 'M') + " / HTTP/1.1", std::string(" GET / HTTP/1.1"), std::string("GET  / HTTP/1.1"),
        std::string("GET /  HTTP/1.1"), std::string("GET / HTTP/1.1 "), std::string("GET /a b HTTP/1.1"),
        std::string("GET\t/ HTTP/1.1"), std::string("GET / http/1.1"), std::string("GET / HTTP/1.10"),
        std::string("GET / HTTP/11.1"), std::string("GET / HTTP/1"), std::string("GET / HTTP/1.x"),
        std::string("GET / HTTP/+1.1"), std::string("GET /"), std::string("GET"), std::string("G(T / HTTP/1.1"),
        std::string("GET /\x7F HTTP/1.1"), std::string("GET /\0 HTTP/1.1"sv), std::string("/ HTTP/1.1")}) {
    EXPECT_EQ(assign(line + "\r\nHost: a\r\n\r\n"), kBad) << line;
  }
}

TEST(RequestHead, versions_of_1_are_taken_and_others_are_not) {
  for (auto [version, minor] : {std::pair{"1.0", 0}, std::pair{"1.1", 1}, std::pair{"1.2", 1}, std::pair{"1.9", 1}}) {
    RequestHead head;
    ASSERT_FALSE(head.assign("GET / HTTP/" + std::string(version) + "\r\nHost: a\r\n\r\n", {})) << version;
    EXPECT_EQ(head.minor_version(), minor);
    EXPECT_EQ(head.keep_alive(), minor == 1);
  }
  for (auto version : {"0.9", "2.0", "3.0", "9.9"}) {
    EXPECT_EQ(assign("GET / HTTP/" + std::string(version) + "\r\nHost: a\r\n\r\n"), Errc::unsupported_version);
  }
  EXPECT_EQ(assign("PRI * HTTP/2.0\r\n\r\n"), kBad);
}

TEST(RequestHead, lines_that_rfc_9112_forbids_are_refused) {
  for (auto lines :
       {"A: b\r\n c\r\n"sv, "A: b\r\n\tc\r\n"sv, " A: b\r\n"sv, "A : b\r\n"sv, "A\t: b\r\n"sv, ": b\r\n"sv, "A\r\n"sv,
        "A b\r\n"sv, "A: b\nC: d\r\n"sv, "A: b\rC: d\r\n"sv, "A: b\r\r\n"sv, "A: \0\r\n"sv, "A\0: b\r\n"sv,
        "A: \x01\r\n"sv, "A: \x7F\r\n"sv, "A\xE9: b\r\n"sv, "A\n: b\r\n"sv, "A(: b\r\n"sv, "A: b\r\n \r\n"sv}) {
    EXPECT_EQ(assign(with(lines)), kBad) << lines;
  }
  EXPECT_EQ(assign("GET / HTTP/1.1\nHost: a\n\n"), kBad);
  EXPECT_EQ(assign("GET / HTTP/1.1\r\nHost: a\r\n\n"), kBad);
  EXPECT_FALSE(assign(with("A: \xE9\t\"x\"\r\nB:\r\n")));
}

TEST(RequestHead, connection_counts_on_every_line) {
  struct Row {
    std::string_view version, lines;
    bool lasts;
  };
  for (const Row& row :
       {Row{"1.1", "", true}, Row{"1.1", "Connection: close\r\n", false},
        Row{"1.1", "Connection: keep-alive\r\n", true}, Row{"1.1", "Connection: x\r\nConnection: close\r\n", false},
        Row{"1.1", "Connection: x, Close\r\n", false}, Row{"1.1", "Connection: keep-alive, close\r\n", false},
        Row{"1.1", "Connection:\r\n", true}, Row{"1.0", "", false}, Row{"1.0", "Connection: Keep-Alive\r\n", true},
        Row{"1.0", "Connection: x\r\nConnection: keep-alive\r\n", true},
        Row{"1.0", "Connection: close, keep-alive\r\n", false},
        Row{"1.0", "Proxy-Connection: keep-alive\r\n", false}}) {
    RequestHead head;
    ASSERT_FALSE(head.assign(
        "GET / HTTP/" + std::string(row.version) + "\r\nHost: a\r\n" + std::string(row.lines) + "\r\n", {}));
    EXPECT_EQ(head.keep_alive(), row.lasts) << row.version << row.lines;
    EXPECT_EQ(head.asks_keep_alive_1_0(), row.lasts && row.version == "1.0") << row.version << row.lines;
  }
}

TEST(RequestHead, fields_named_in_connection_are_for_this_hop) {
  RequestHead head;
  ASSERT_FALSE(
      head.assign(with("Connection: close, X-One\r\nX-One: 1\r\nConnection: x-TWO\r\nX-Two: 2\r\nX-3: 3\r\n"), {}));
  EXPECT_TRUE(head.connection_names_fields());
  EXPECT_TRUE(head.is_for_this_hop("x-one"));
  EXPECT_TRUE(head.is_for_this_hop("X-Two"));
  EXPECT_TRUE(head.is_for_this_hop("TE"));
  EXPECT_FALSE(head.is_for_this_hop("X-3"));
}

TEST(RequestHead, expectations_are_100_continue_or_nothing) {
  RequestHead head;
  ASSERT_FALSE(head.assign(with("Expect: 100-Continue\r\nContent-Length: 5\r\n"), {}));
  EXPECT_TRUE(head.expects_continue());
  ASSERT_FALSE(head.assign("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n", {}));
  EXPECT_FALSE(head.expects_continue());
  ASSERT_FALSE(head.assign(with("Expect:\r\n"), {}));
  EXPECT_FALSE(head.expects_continue());
  for (auto value : {"200-ok", "100-continue, x", "100-continue;q=1"}) {
    EXPECT_EQ(assign(with("Expect: " + std::string(value) + "\r\n")), Errc::expectation_failed) << value;
  }
  EXPECT_EQ(assign(with("Expect: x\r\nContent-Length: y\r\n")), kBad);  // framing matters more
}

TEST(RequestHead, limits_hold_to_the_byte) {
  const std::string start = "GET /1234 HTTP/1.1\r\nHost: a\r\n";  // 29 bytes
  const RequestLimits limits{.head_bytes = 60, .line_bytes = 22, .target_bytes = 5, .fields = 3};
  const auto check = [&](std::string_view lines) {
    RequestHead head;
    return head.assign(start + std::string(lines) + "\r\n", limits);
  };
  EXPECT_FALSE(check("A: 1234567890123456789\r\n"));                      // a line of 22
  EXPECT_EQ(check("A: 12345678901234567890\r\n"), Errc::head_too_large);  // 23
  EXPECT_FALSE(check("A: 1\r\nB: 2\r\n"));
  EXPECT_EQ(check("A: 1\r\nB: 2\r\nC: 3\r\n"), Errc::head_too_large);
  EXPECT_FALSE(check("A: 123456789\r\nB: 123456789\r\n"));                       // 59
  EXPECT_EQ(check("A: 1234567890\r\nB: 1234567890\r\n"), Errc::head_too_large);  // 61
  RequestHead head;
  EXPECT_EQ(head.assign("GET /12345 HTTP/1.1\r\nHost: a\r\n\r\n", limits), Errc::target_too_long);
  EXPECT_EQ(head.target(), "/12345");
}

TEST(RequestHead, a_head_as_large_as_the_limits_is_parsed) {
  std::string bytes = "GET /" + std::string(8 * 1024 - 1, 't') + " HTTP/1.1\r\nHost: a\r\n";
  bytes += "Big: " + std::string(16 * 1024 - 5, 'b') + "\r\n";
  for (int i = 0; i < 126; ++i) bytes += "X-" + std::to_string(i) + ": 1\r\n";
  bytes += "\r\n";
  RequestHead head;
  ASSERT_FALSE(head.assign(bytes, {}));
  EXPECT_EQ(head.fields().size(), 128U);
}

TEST(RequestHead, what_a_partial_check_refuses_the_whole_check_refuses_too) {
  for (auto bytes :
       {"GET / HTTP/1.1\r\nHost: a\r\nA: b\r\n c\r\n\r\n"sv, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"sv,
        "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n"sv, "GET / HTTP/1.1\nHost: a\r\n\r\n"sv}) {
    const auto whole = assign(bytes);
    for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
      if (check_partial_head(bytes.substr(0, cut), {})) {
        EXPECT_TRUE(whole) << bytes << cut;
      }
    }
  }
}

}  // namespace
}  // namespace fwd
