#include "watchdog/http/cgi_response.hpp"

#include <gtest/gtest.h>
#include <string>

namespace fwd {
namespace {

using namespace std::string_view_literals;

/// What came of some output, as one text: `block 404 Not Found|A=b|body`, `no block|body`, `error`.
std::string describe(const CgiResponse& response) {
  if (response.verdict() == CgiResponse::Verdict::no_block) return std::string("no block|").append(response.body());
  std::string text = "block " + std::to_string(response.status());
  if (!response.reason().empty()) text.append(" ").append(response.reason());
  text += '|';
  for (const auto& field : response.fields()) text.append(field.name).append("=").append(field.value).append("|");
  return text.append(response.body());
}

/// Feeds `output` in pieces of `first` bytes, then `rest` at a time, as a mode does: once there is a verdict, what
/// follows is body.
std::string read(std::string_view output, std::size_t first, std::size_t rest) {
  CgiResponse response;
  auto piece = output.substr(0, first);
  auto left = output.substr(piece.size());
  while (response.verdict() == CgiResponse::Verdict::undecided) {
    const auto verdict = response.feed(piece);
    if (!verdict) return verdict.error() == Errc::worker_protocol ? "error" : "another error";
    EXPECT_EQ(*verdict, response.verdict());
    if (left.empty()) break;
    piece = left.substr(0, rest);
    if (response.verdict() == CgiResponse::Verdict::undecided) left.remove_prefix(piece.size());
  }
  (void)response.end();
  return describe(response).append(left);
}

/// The outcome, which must be the same whole, byte by byte, and cut at every place.
std::string outcome(std::string_view output) {
  const auto whole = read(output, output.size(), 1);
  EXPECT_EQ(read(output, 1, 1), whole) << output;
  for (std::size_t cut = 0; cut < output.size(); ++cut) {
    EXPECT_EQ(read(output, cut, output.size()), whole) << output << " cut at " << cut;
  }
  return whole;
}

TEST(CgiResponse, a_block_has_fields_and_then_the_body) {
  EXPECT_EQ(outcome("Content-Type: text/html\n\n<p>\n\nA: b"), "block 200|Content-Type=text/html|<p>\n\nA: b");
  EXPECT_EQ(outcome("content-TYPE:text/html\r\nX-Twice: 1\r\nX-Twice:  2 \t\r\nX-Empty:\r\n\r\n\r\nbody"),
            "block 200|content-TYPE=text/html|X-Twice=1|X-Twice=2|X-Empty=|\r\nbody");
  EXPECT_EQ(outcome("A: b\r\nC: d\n\r\n"), "block 200|A=b|C=d|");
}

TEST(CgiResponse, status_stands_anywhere_and_has_a_reason_or_none) {
  EXPECT_EQ(outcome("Status: 404 Not Found\nA: b\n\nx"), "block 404 Not Found|A=b|x");
  EXPECT_EQ(outcome("A: b\nstatus:201\n\n"), "block 201|A=b|");
  EXPECT_EQ(outcome("Status: 599\t a  b \r\n\r\n"), "block 599 a  b|");
  EXPECT_EQ(outcome("Status: 200 \xC3\xA9\n\n"), "block 200 \xC3\xA9|");
}

TEST(CgiResponse, a_status_that_is_none_is_an_error) {
  for (auto status : {""sv, "20"sv, "2000"sv, "20x"sv, "x"sv, "199"sv, "100"sv, "600"sv, "999"sv, "000"sv, "-20"sv,
                      "200OK"sv, "404, 200"sv}) {
    EXPECT_EQ(outcome(std::string("Status: ").append(status).append("\n\nx")), "error") << status;
    EXPECT_EQ(outcome(std::string("A: b\nStatus: ").append(status).append("\n\nx")), "error") << status;
  }
  EXPECT_EQ(outcome("Status: 200\nStatus: 200\n\n"), "error");
}

TEST(CgiResponse, a_location_redirects_unless_there_is_a_status) {
  EXPECT_EQ(outcome("Location: http://a/\n\n"), "block 302|Location=http://a/|");
  EXPECT_EQ(outcome("A: b\nlocation: /x?y\n\nbody"), "block 302|A=b|location=/x?y|body");
  EXPECT_EQ(outcome("Location: /x\nStatus: 201 Made\n\n"), "block 201 Made|Location=/x|");
  EXPECT_EQ(outcome("Status: 303\nLocation: /x\n\n"), "block 303|Location=/x|");
  EXPECT_EQ(outcome("Location:\n\n"), "block 200|Location=|");
}

TEST(CgiResponse, output_without_a_block_is_all_body) {
  for (auto output : {""sv,
                      "\n"sv,
                      "\n\nA: b\n\n"sv,
                      "\r\nA: b\r\n\r\n"sv,
                      "hello"sv,
                      "hello\n"sv,
                      "hello world: x\n\n"sv,
                      ": x\n\n"sv,
                      " A: b\n\n"sv,
                      "A : b\n\n"sv,
                      "{\"a\": 1}\n\n"sv,
                      "<html>\n"sv,
                      "HTTP/1.1 200 OK\r\nA: b\r\n\r\n"sv,
                      "A"sv,
                      "A:"sv,
                      "A: b"sv,
                      "A: b\n"sv,
                      "A: b\nC: d"sv,
                      "A: b\r\n\r"sv,
                      "A: b\0c\n\n"sv,
                      "A: b\rc\n\n"sv,
                      "A: b\r\r\n\n"sv,
                      "\x7F"
                      "ELF\0"sv,
                      "\xEF\xBB\xBF"
                      "A: b\n\n"sv}) {
    EXPECT_EQ(outcome(output), std::string("no block|").append(output)) << output;
  }
}

TEST(CgiResponse, a_later_line_that_is_no_field_is_an_error) {
  for (auto line : {"hello"sv, " folded"sv, "\tfolded"sv, ": x"sv, "B : c"sv, "B: c\0d"sv, "B: c\rd"sv, "B: c\x7F"sv,
                    "B\xE9: c"sv, "HTTP/1.1 200 OK"sv, "\r\r"sv}) {
    EXPECT_EQ(outcome(std::string("A: b\n").append(line).append("\n\nbody")), "error") << line;
  }
}

TEST(CgiResponse, no_block_is_known_at_the_first_byte_that_no_name_holds) {
  struct Row {
    std::string_view output;
    std::size_t known_after;
  };
  for (const Row& row : {Row{"\n", 1}, Row{"<html>", 1}, Row{":", 1}, Row{"hello world", 6}, Row{"hello\n", 6},
                         Row{"HTTP/1.1", 5}, Row{"\xEF", 1}}) {
    CgiResponse response;
    std::size_t fed = 0;
    while (response.verdict() == CgiResponse::Verdict::undecided && fed < row.output.size()) {
      ASSERT_TRUE(response.feed(row.output.substr(fed++, 1)));
    }
    EXPECT_EQ(response.verdict(), CgiResponse::Verdict::no_block) << row.output;
    EXPECT_EQ(fed, row.known_after) << row.output;
  }
}

TEST(CgiResponse, the_size_of_a_block_is_limited) {
  constexpr auto kMax = CgiResponse::kMaxBytes;
  const auto block = [](std::size_t size) { return "A: b\nC:" + std::string(size - 9, 'x') + "\n\n"; };
  for (const std::size_t piece : {std::size_t{1}, std::size_t{4096}, 2 * kMax}) {
    EXPECT_TRUE(read(block(kMax) + "body", piece, piece).ends_with("x|body"));
    EXPECT_EQ(read(block(kMax + 1) + "body", piece, piece), "error");
    const auto endless = "A: " + std::string(2 * kMax, 'x') + "\n\n";
    EXPECT_EQ(read(endless, piece, piece), "no block|" + endless);
    const auto name = std::string(2 * kMax, 'x');
    EXPECT_EQ(read(name, piece, piece), "no block|" + name);
  }
}

TEST(CgiResponse, many_short_lines_are_one_block) {
  std::string block;
  while (block.size() < CgiResponse::kMaxBytes - 3) block += "A:\n";
  CgiResponse response;
  ASSERT_TRUE(response.feed(block));
  ASSERT_TRUE(response.feed("\n"));
  EXPECT_EQ(response.fields().size(), block.size() / 3);
}

}  // namespace
}  // namespace fwd
