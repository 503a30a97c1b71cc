#include "watchdog/http/response_head.hpp"

#include <gtest/gtest.h>
#include <string>

namespace fwd {
namespace {

using namespace std::string_view_literals;

constexpr auto kBad = Errc::worker_protocol;

TEST(ResponseHead, says_what_the_function_said) {
  ResponseHead head;
  ASSERT_FALSE(
      head.assign("HTTP/1.1 201 Made it\r\nContent-Length: 34\r\nSet-Cookie: a\r\nset-cookie: b\r\nX:\r\n\r\n"));
  EXPECT_EQ(head.status(), 201);
  EXPECT_EQ(head.reason(), "Made it");
  EXPECT_EQ(head.minor_version(), 1);
  EXPECT_EQ(head.content_length(), 34U);
  EXPECT_FALSE(head.chunked());
  EXPECT_FALSE(head.closes());
  ASSERT_EQ(head.fields().size(), 4U);
  EXPECT_EQ(head.fields()[2].value, "b");
  EXPECT_EQ(head.find("SET-COOKIE"), "a");
  EXPECT_EQ(head.find("x"), "");
  EXPECT_EQ(head.find("y"), std::nullopt);
}

TEST(ResponseHead, one_object_serves_many_answers) {
  ResponseHead head;
  ASSERT_FALSE(head.assign("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close, x\r\n\r\n"));
  EXPECT_TRUE(head.chunked() && head.closes() && head.is_for_this_hop("X"));
  ASSERT_TRUE(head.assign("junk\n\n"));
  ASSERT_FALSE(head.assign("HTTP/1.0 404\n\n"));
  EXPECT_FALSE(head.chunked() || head.closes() || head.is_for_this_hop("X") || head.content_length());
  EXPECT_EQ(head.minor_version(), 0);
  EXPECT_EQ(head.reason(), "");
  EXPECT_TRUE(head.fields().empty());
}

TEST(ResponseHead, takes_status_lines_as_old_functions_write_them) {
  struct Row {
    std::string_view line;
    int status;
    std::string_view reason;
  };
  for (const Row& row :
       {Row{"HTTP/1.1 500", 500, ""}, Row{"HTTP/1.1 500 ", 500, ""}, Row{"HTTP/1.1  200  OK ", 200, "OK"},
        Row{"HTTP/1.0 599 a b\tc", 599, "a b\tc"}, Row{"HTTP/1.9 100 \xE9", 100, "\xE9"}}) {
    for (auto end : {"\r\n", "\n"}) {
      ResponseHead head;
      ASSERT_FALSE(head.assign(std::string(row.line) + end + end)) << row.line;
      EXPECT_EQ(head.status(), row.status);
      EXPECT_EQ(head.reason(), row.reason);
    }
  }
  for (auto line : {"HTTP/1.1"sv,         "HTTP/1.1 "sv,          "HTTP/1.1 20"sv,
                    "HTTP/1.1 2000"sv,    "HTTP/1.1 000"sv,       "HTTP/1.1 099"sv,
                    "HTTP/1.1 600"sv,     "HTTP/1.1 999"sv,       "HTTP/1.1 -20"sv,
                    "HTTP/1.1 2x0"sv,     "HTTP/1.1 200OK"sv,     "HTTP/1.1\t200"sv,
                    "HTTP/2.0 200 OK"sv,  "HTTP/1.x 200 OK"sv,    "HTTP/1.10 200"sv,
                    "http/1.1 200 OK"sv,  " HTTP/1.1 200"sv,      "HTTP/1.1 200 a\rb"sv,
                    "HTTP/1.1 200 a\0"sv, "HTTP/1.1 200 a\x1B"sv, ""sv}) {
    ResponseHead head;
    EXPECT_EQ(head.assign(std::string(line) + "\r\n\r\n"), kBad) << line;
  }
}

Error assign(std::string_view lines) {
  ResponseHead head;
  return head.assign("HTTP/1.1 200 OK\r\n" + std::string(lines) + "\r\n");
}

TEST(ResponseHead, refuses_what_splits_an_answer) {
  for (auto lines :
       {"A: b\rC: d\r\n"sv, "A: b\r\r\n"sv, "A: \0\r\n"sv, "A: \x1B[0m\r\n"sv, "A: \x7F\r\n"sv, "A\r\n"sv, ": b\r\n"sv,
        "A b: c\r\n"sv, "A\0: b\r\n"sv, "A\xE9: b\r\n"sv, "HTTP/1.1 200 OK\r\n"sv, " folded at once\r\n"sv}) {
    EXPECT_EQ(assign(lines), kBad) << lines;
  }
}

TEST(ResponseHead, is_exactly_one_head) {
  for (auto bytes : {""sv, "HTTP/1.1 200 OK"sv, "HTTP/1.1 200 OK\r\n"sv, "HTTP/1.1 200 OK\r\nA: b\r\n"sv,
                     "HTTP/1.1 200 OK\r\n\r\n\r\n"sv, "HTTP/1.1 200 OK\r\n\r\nx"sv, "HTTP/1.1 200 OK\n\n\n"sv}) {
    ResponseHead head;
    EXPECT_EQ(head.assign(bytes), kBad) << bytes;
  }
}

TEST(ResponseHead, blanks_around_names_and_values_go) {
  ResponseHead head;
  ASSERT_FALSE(head.assign("HTTP/1.1 200 OK\nContent-Length : 5\nB:\t c d \t\nE:f\n\n"));
  EXPECT_EQ(head.content_length(), 5U);
  EXPECT_EQ(head.find("b"), "c d");
  EXPECT_EQ(head.find("e"), "f");
}

TEST(ResponseHead, folds_become_blanks) {
  ResponseHead head;
  ASSERT_FALSE(head.assign("HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\td\r\nE: f\n  g\n \r\n\r\n"));
  EXPECT_EQ(head.find("a"), "b   c  \td");
  EXPECT_EQ(head.find("e"), "f   g");
}

TEST(ResponseHead, two_lengths_must_agree) {
  struct Row {
    std::string_view lines;
    std::optional<std::uint64_t> length;
  };
  for (const Row& row : {Row{"Content-Length: 0\r\n", 0}, Row{"Content-Length: 5\r\nContent-Length: 5\r\n", 5},
                         Row{"Content-Length: 5, 5\r\n", 5}, Row{"Content-Length: 05\r\nContent-Length: 5\r\n", 5},
                         Row{"", std::nullopt}}) {
    ResponseHead head;
    ASSERT_FALSE(head.assign("HTTP/1.1 200 OK\r\n" + std::string(row.lines) + "\r\n")) << row.lines;
    EXPECT_EQ(head.content_length(), row.length);
  }
  for (auto lines : {"Content-Length: 5\r\nContent-Length: 6\r\n", "Content-Length: 5, 6\r\n", "Content-Length:\r\n",
                     "Content-Length: 5,\r\n", "Content-Length: -1\r\n", "Content-Length: +5\r\n",
                     "Content-Length: 0x5\r\n", "Content-Length: 5 5\r\n", "Content-Length: 10000000000000000000\r\n",
                     "Content-Length: 5\r\nContent-Length: x\r\n"}) {
    EXPECT_EQ(assign(lines), kBad) << lines;
  }
}

TEST(ResponseHead, a_coding_is_chunked_alone) {
  for (auto lines : {"Transfer-Encoding: chunked\r\n", "transfer-encoding: CHUNKED\r\n",
                     "Transfer-Encoding: identity\r\nContent-Length: 5\r\n",
                     "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n"}) {
    EXPECT_FALSE(assign(lines)) << lines;
  }
  for (auto lines :
       {"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: gzip\r\n", "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding:\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"}) {
    EXPECT_EQ(assign(lines), kBad) << lines;
  }
  ResponseHead head;
  EXPECT_EQ(head.assign("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), kBad);
}

TEST(ResponseHead, connection_is_read_on_every_line) {
  ResponseHead head;
  ASSERT_FALSE(head.assign("HTTP/1.1 200 OK\r\nConnection: X-A\r\nConnection: Close\r\nX-A: 1\r\n\r\n"));
  EXPECT_TRUE(head.closes());
  EXPECT_TRUE(head.is_for_this_hop("x-a"));
  EXPECT_TRUE(head.is_for_this_hop("Keep-Alive"));
  EXPECT_FALSE(head.is_for_this_hop("X-B"));
}

TEST(ReasonFor, knows_the_phrases_of_go) {
  struct Row {
    int status;
    std::string_view reason;
  };
  for (const Row& row :
       {Row{100, "Continue"}, Row{200, "OK"}, Row{203, "Non-Authoritative Information"}, Row{204, "No Content"},
        Row{304, "Not Modified"}, Row{413, "Request Entity Too Large"}, Row{415, "Unsupported Media Type"},
        Row{418, "I'm a teapot"}, Row{429, "Too Many Requests"}, Row{431, "Request Header Fields Too Large"},
        Row{504, "Gateway Timeout"}, Row{505, "HTTP Version Not Supported"},
        Row{511, "Network Authentication Required"}, Row{306, ""}, Row{299, ""}, Row{0, ""}, Row{-1, ""}}) {
    EXPECT_EQ(reason_for(row.status), row.reason) << row.status;
  }
}

}  // namespace
}  // namespace fwd
