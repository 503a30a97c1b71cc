#include "watchdog/http/response_reader.hpp"

#include <gtest/gtest.h>
#include <string>

#include "tests/unit/http/response_script.hpp"

namespace fwd {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
using Options = ResponseReader::Options;
using Part = ResponseReader::Part;

/// The report, which is the same however the stream is cut.
std::string report(std::string_view stream, const Options& options) {
  auto whole = report(stream, stream.size() + 1, options);
  for (std::size_t piece = 1; piece <= std::min<std::size_t>(stream.size(), 70); ++piece) {
    EXPECT_EQ(report(stream, piece, options), whole) << piece;
  }
  return whole;
}

std::string of_function(std::string_view stream, LengthUnit unit = LengthUnit::bytes) {
  return report(stream, ResponseReader::for_function(unit));
}

std::string of_server(std::string_view stream) {
  Options options;
  options.until_eof_allowed = true;
  return report(stream, options);
}

TEST(ResponseReader, reads_what_the_old_templates_write) {
  EXPECT_EQ(
      of_function("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: text/plain\r\nConnection: Close\r\n\r\nhi"),
      "head(200)body(hi)end|");
  EXPECT_EQ(of_function("HTTP/1.1 200 OK\nContent-Length: 2\nConnection: Close\nContent-Type: text/plain\n\nhi"),
            "head(200)body(hi)end|");
  EXPECT_EQ(of_function("HTTP/1.1 500\r\nContent-Length: 3\r\n\r\nbad"), "head(500)body(bad)end|");
  EXPECT_EQ(of_function("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), "head(200)end|");
}

TEST(ResponseReader, leaves_what_follows_the_answer) {
  EXPECT_EQ(of_function("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi\nHTTP/1.1 200 OK\r\n"),
            "head(200)body(hi)end|\nHTTP/1.1 200 OK\r\n");
  EXPECT_EQ(of_function("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nx"), "head(200)end|x");
  EXPECT_EQ(of_function("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n0\r\n"),
            "head(200)body(hi)end|0\r\n");
}

TEST(ResponseReader, text_before_the_status_line_is_stray) {
  const auto answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"s;
  for (auto text :
       {"debug\n", "\n", "\r\n", "a\nb\r\nc\n", "HTTP\n", "HTTP/1\n", "HTTP/2.0 200 OK\n", "{'a': 1}\n\n"}) {
    EXPECT_EQ(of_function(text + answer), "stray(" + std::string(text) + ")head(200)body(hi)end|");
  }
}

TEST(ResponseReader, a_status_line_behind_a_print_without_line_end_is_found) {
  const auto answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"s;
  for (auto text : {"debug", "a\nb", "HTTP/", "HHTTP/1", "see HTTP/1.1 ", "HTTP", " "}) {
    EXPECT_EQ(of_function(text + answer), "stray(" + std::string(text) + ")head(200)body(hi)end|");
  }
  EXPECT_EQ(of_function("textHTTP/1.1 500\n\n"), "stray(text)error");
  EXPECT_EQ(of_function("textHTTP/1.1 204\n\n"), "stray(text)head(204)end|");
}

TEST(ResponseReader, log_lines_that_speak_of_http_stay_stray) {
  const auto answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"s;
  for (auto text : {"127.0.0.1 - - \"GET / HTTP/1.1\" 200 -\n", "they said HTTP/1.1 200 OK\n",
                    "HTTP /HTTP/1.0 404 x\nmore text\n", "got HTTP/1.1 200\n"}) {
    EXPECT_EQ(of_function(text + answer), "stray(" + std::string(text) + ")head(200)body(hi)end|");
  }
}

TEST(ResponseReader, a_stray_line_without_end_comes_in_pieces) {
  auto options = ResponseReader::for_function(LengthUnit::bytes);
  options.stray_limit = 64;
  const std::string text(1000, 'x');
  EXPECT_EQ(report(text + "\nHTTP/1.1 204\r\n\r\n", options), "stray(" + text + "\n)head(204)end|");
  EXPECT_EQ(report(text + "HTTP/1.1 204\r\n\r\n", options), "stray(" + text + ")head(204)end|");
  ResponseReader reader;
  reader.start(options);
  std::string_view input(text.data(), 63);
  EXPECT_EQ(reader.next(input)->part, Part::need_more);
  EXPECT_EQ(input.size(), 63U);
  input = {text.data(), 64};
  const auto step = reader.next(input);
  EXPECT_EQ(step->part, Part::stray);
  EXPECT_EQ(step->bytes.size(), 64U);
  EXPECT_TRUE(input.empty());
}

TEST(ResponseReader, a_client_takes_no_stray_text) {
  for (auto stream : {"debug\nHTTP/1.1 204 x\r\n\r\n", "\r\nHTTP/1.1 204 x\r\n\r\n", "HTTX", "HTTP/2.0 200\r\n\r\n"}) {
    EXPECT_EQ(of_server(stream), "error") << stream;
  }
}

TEST(ResponseReader, interim_answers_are_skipped) {
  const auto answer = "HTTP/1.1 204\r\n\r\n"s;
  EXPECT_EQ(of_function("HTTP/1.1 100 Continue\r\n\r\n" + answer), "interim(100)head(204)end|");
  EXPECT_EQ(of_function("HTTP/1.1 103\nLink: x\n\nprint\nHTTP/1.1 102\n\n" + answer),
            "interim(103)stray(print\n)interim(102)head(204)end|");
  EXPECT_EQ(of_function("HTTP/1.1 101 Switching\r\n\r\n" + answer), "error");
  Options options;
  options.switching_allowed = true;
  EXPECT_EQ(report("HTTP/1.1 101 Switching\r\n\r\nws", options), "head(101)end|ws");
}

TEST(ResponseReader, bodies_of_204_and_304_are_read_from_functions_only) {
  for (auto status : {"204", "304"}) {
    const auto head = "HTTP/1.1 " + std::string(status) + "\r\n";
    const auto said = "head(" + std::string(status) + ")";
    EXPECT_EQ(of_function(head + "\r\nx"), said + "end|x");
    EXPECT_EQ(of_function(head + "Content-Length: 2\r\n\r\nhix"), said + "body(hi)end|x");
    EXPECT_EQ(of_function(head + "Transfer-Encoding: chunked\r\n\r\n1\r\nh\r\n0\r\n\r\nx"), said + "body(h)end|x");
    EXPECT_EQ(of_server(head + "Content-Length: 2\r\n\r\nHTTP/"), said + "end|HTTP/");
  }
}

TEST(ResponseReader, a_real_head_request_has_no_body) {
  Options options;
  options.bodiless_request = true;
  EXPECT_EQ(report("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP", options), "head(200)end|HTTP");
  EXPECT_EQ(report("HTTP/1.1 200 OK\r\n\r\nHTTP", options), "head(200)end|HTTP");
}

TEST(ResponseReader, without_a_length_the_body_ends_with_the_stream_or_not_at_all) {
  EXPECT_EQ(of_function("HTTP/1.1 200 OK\r\n\r\nabc"), "error");
  EXPECT_EQ(of_server("HTTP/1.0 200 OK\r\n\r\nabc"), "head(200)body(abc)eof|");
  EXPECT_EQ(of_server("HTTP/1.0 200 OK\r\n\r\n"), "head(200)eof|");
}

TEST(ResponseReader, a_cut_answer_is_told_from_a_complete_one) {
  const auto sized = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"sv;
  for (std::size_t size = 0; size < sized.size(); ++size) {
    EXPECT_NE(of_server(sized.substr(0, size)).find("cut|"), std::string::npos) << size;
  }
  EXPECT_EQ(of_server(sized), "head(200)body(abc)end|");
  const auto chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"sv;
  for (std::size_t size = 0; size < chunked.size(); ++size) {
    EXPECT_NE(of_server(chunked.substr(0, size)).find("cut|"), std::string::npos) << size;
  }
  EXPECT_EQ(of_server(chunked), "head(200)body(abc)end|");
}

TEST(ResponseReader, ended_is_known_with_the_last_byte) {
  ResponseReader reader;
  auto input = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"sv;
  EXPECT_EQ(reader.body_remaining(), std::nullopt);
  EXPECT_EQ(reader.next(input)->part, Part::head);
  EXPECT_FALSE(reader.ended());
  EXPECT_EQ(reader.body_remaining(), 3U);
  auto piece = input.substr(0, 1);
  EXPECT_EQ(reader.next(piece)->part, Part::body);
  EXPECT_EQ(reader.body_remaining(), 2U);
  input.remove_prefix(1);
  EXPECT_EQ(reader.next(input)->bytes, "bc");
  EXPECT_TRUE(reader.ended());
  EXPECT_EQ(reader.body_remaining(), 0U);
  EXPECT_EQ(reader.next(input)->part, Part::end);
  EXPECT_EQ(reader.next(input)->part, Part::end);
  EXPECT_FALSE(reader.at_eof());
  reader.start({});
  EXPECT_EQ(reader.at_eof(), Errc::worker_died);
}

TEST(ResponseReader, what_cannot_be_understood_is_an_error_for_good) {
  for (auto stream : {"HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 200 OK\r\nA\r\n\r\n", "HTTP/1.1 000 x\r\n\r\n",
                      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"}) {
    EXPECT_EQ(of_function(stream), "error") << stream;
  }
  EXPECT_EQ(of_function("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx"), "head(200)error");
  ResponseReader reader;
  auto bad = "HTTP/1.1 abc\r\n\r\n"sv;
  EXPECT_EQ(reader.next(bad).error(), Errc::worker_protocol);
  auto good = "HTTP/1.1 204\r\n\r\n"sv;
  EXPECT_EQ(reader.next(good).error(), Errc::worker_protocol);
  EXPECT_EQ(reader.at_eof(), Errc::worker_protocol);
}

TEST(ResponseReader, a_head_has_a_limit) {
  auto options = ResponseReader::for_function(LengthUnit::bytes);
  options.head_limit = 64;
  const auto head = [](std::size_t size) { return "HTTP/1.1 204\r\nA: " + std::string(size - 21, 'a') + "\r\n\r\n"; };
  EXPECT_EQ(report(head(64), options), "head(204)end|");
  EXPECT_EQ(report(head(65), options), "error");
  EXPECT_EQ(report(head(65).substr(0, 64), options), "error");
}

TEST(ResponseReader, chunk_lines_of_functions_may_end_in_lf_alone) {
  const auto stream = "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\nhi\n0\n\nx"sv;
  EXPECT_EQ(of_function(stream), "head(200)body(hi)end|x");
  EXPECT_EQ(of_server(stream), "head(200)error");
}

std::string counted(std::uint64_t units, std::string_view body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(units) + "\r\n\r\n" + std::string(body);
}

TEST(ResponseReader, lengths_in_other_units_end_the_body_at_the_right_byte) {
  EXPECT_EQ(of_function(counted(6, "h\xC3\xA9llo\xE2\x82\xACx"), LengthUnit::codepoints),
            "head(200)body(h\xC3\xA9llo\xE2\x82\xAC)end|x");
  EXPECT_EQ(of_function(counted(3, "\xF0\x9F\x98\x80zHTTP"), LengthUnit::utf16),
            "head(200)body(\xF0\x9F\x98\x80z)end|HTTP");
  EXPECT_EQ(of_function(counted(1, "\xF0\x9F\x98\x80z"), LengthUnit::codepoints),
            "head(200)body(\xF0\x9F\x98\x80)end|z");
  EXPECT_EQ(of_function(counted(1, "\xE2\x82z"), LengthUnit::codepoints), "head(200)body(\xE2)end|\x82z");
  EXPECT_EQ(of_function(counted(1, "\xE2\x82\xD7x"), LengthUnit::codepoints), "head(200)body(\xE2)end|\x82\xD7x");
  EXPECT_EQ(of_function(counted(0, "z"), LengthUnit::codepoints), "head(200)end|z");
}

TEST(ResponseReader, a_last_sequence_that_never_ends_is_settled_by_the_caller) {
  ResponseReader reader;
  reader.start(ResponseReader::for_function(LengthUnit::codepoints));
  const auto stream = counted(3, "a\xE2\x82");
  std::string_view input = stream;
  EXPECT_EQ(reader.next(input)->part, Part::head);
  EXPECT_EQ(reader.next(input)->bytes, "a");
  EXPECT_EQ(reader.next(input)->part, Part::need_more);
  EXPECT_TRUE(reader.may_end_here());
  EXPECT_EQ(input, "\xE2\x82");
  reader.settle_body();
  EXPECT_EQ(reader.next(input)->bytes, "\xE2\x82");
  EXPECT_TRUE(reader.ended());
}

TEST(ResponseReader, an_unfinished_sequence_alone_does_not_end_a_longer_body) {
  ResponseReader reader;
  reader.start(ResponseReader::for_function(LengthUnit::codepoints));
  const auto stream = counted(3, "\xE2\x82");
  std::string_view input = stream;
  EXPECT_EQ(reader.next(input)->part, Part::head);
  EXPECT_EQ(reader.next(input)->part, Part::need_more);
  EXPECT_FALSE(reader.may_end_here());
}

}  // namespace
}  // namespace fwd
