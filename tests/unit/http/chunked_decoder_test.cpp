#include "watchdog/http/chunked_decoder.hpp"

#include <gtest/gtest.h>
#include <string>

namespace fwd {
namespace {

using namespace std::string_view_literals;
using Leniency = ChunkedDecoder::Leniency;

struct Outcome {
  std::string data;
  std::string rest;
  bool done = false;
  Error error;
  bool operator==(const Outcome&) const = default;
};

/// Decodes `bytes`, handed over in pieces of `piece` bytes.
Outcome decode(std::string_view bytes, Leniency leniency, std::size_t piece, ChunkedLimits limits = {}) {
  ChunkedDecoder decoder(leniency, limits);
  Outcome out;
  while (!bytes.empty() && !decoder.done()) {
    auto input = bytes.substr(0, piece);
    const auto size = input.size();
    while (!input.empty() && !decoder.done()) {
      const auto data = decoder.next(input);
      if (!data) {
        out.error = data.error();
        auto again = "5"sv;
        EXPECT_EQ(decoder.next(again).error(), out.error);
        return out;
      }
      out.data += *data;
    }
    bytes.remove_prefix(size - input.size());
  }
  out.done = decoder.done();
  out.rest = bytes;
  return out;
}

/// The same, however the bytes are cut.
Outcome decode(std::string_view bytes, Leniency leniency = Leniency::strict, ChunkedLimits limits = {}) {
  const auto whole = decode(bytes, leniency, bytes.size() + 1, limits);
  for (std::size_t piece = 1; piece <= std::min<std::size_t>(bytes.size(), 40); ++piece) {
    const auto cut = decode(bytes, leniency, piece, limits);
    EXPECT_EQ(cut.data, whole.data) << piece;
    EXPECT_EQ(cut.rest, whole.rest) << piece;
    EXPECT_EQ(cut.error, whole.error) << piece;
  }
  return whole;
}

TEST(ChunkedDecoder, takes_the_coding_off) {
  struct Row {
    std::string_view bytes, data, rest;
  };
  for (const Row& row :
       {Row{"0\r\n\r\n", "", ""}, Row{"5\r\nhello\r\n0\r\n\r\n", "hello", ""},
        Row{"5\r\nhello\r\nA\r\n, world!\r\n\r\n0\r\n\r\nGET /", "hello, world!\r\n", "GET /"},
        Row{"00000a\r\n0123456789\r\n000\r\n\r\n", "0123456789", ""},
        Row{"1;a=b;c=\"d;e\"\r\nx\r\n0;z\r\n\r\n", "x", ""}, Row{"1 ;a\r\nx\r\n0\t;b\r\n\r\n", "x", ""},
        Row{"0\r\nExpires: never\r\nContent-Length: 5\r\nX:\r\n\r\n0", "", "0"}}) {
    const auto out = decode(row.bytes);
    EXPECT_TRUE(out.done) << row.bytes;
    EXPECT_EQ(out.data, row.data);
    EXPECT_EQ(out.rest, row.rest);
  }
}

TEST(ChunkedDecoder, waits_for_the_whole_end) {
  const auto bytes = "3\r\nabc\r\n0\r\nA: b\r\n\r\n"sv;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto out = decode(bytes.substr(0, size));
    EXPECT_FALSE(out.done) << size;
    EXPECT_FALSE(out.error) << size;
  }
}

TEST(ChunkedDecoder, data_are_views_into_the_input) {
  ChunkedDecoder decoder;
  const auto bytes = "3\r\nabc\r\n"sv;
  auto input = bytes;
  const auto data = decoder.next(input);
  ASSERT_TRUE(data.has_value());
  EXPECT_EQ(data->data(), bytes.data() + 3);
}

TEST(ChunkedDecoder, strict_framing_refuses_what_others_were_attacked_with) {
  for (auto bytes : {"\r\n"sv,
                     "\n"sv,
                     "g\r\n"sv,
                     "-1\r\n"sv,
                     "-2\r\n"sv,
                     "+5\r\nhello\r\n"sv,
                     "0x5\r\nhello\r\n"sv,
                     " 5\r\nhello\r\n"sv,
                     "5 \r\nhello\r\n"sv,
                     "5\nhello\r\n"sv,
                     "5\r\nhello\n0\r\n\r\n"sv,
                     "5\rXhello\r\n"sv,
                     "5\r\nhelloX\r\n"sv,
                     "5\r\nhello\rX"sv,
                     "5\r\nhello0\r\n\r\n"sv,
                     "5;a\nhello\r\n"sv,
                     "5;a=\"\n\"\r\nhello\r\n"sv,
                     "5;a\0\r\nhello"sv,
                     "5;a\rb\r\n"sv,
                     "5 a\r\nhello"sv,
                     "5,\r\n"sv,
                     "5\0\r\n"sv,
                     "8000000000000000\r\n"sv,
                     "fffffffffffffffe\r\n"sv,
                     "00000000000000005\r\n"sv,
                     "0\r\n\n"sv,
                     "0\n\r\n"sv,
                     "0\r\n\rX"sv,
                     "0\r\nA: b\n\r\n"sv,
                     "0\r\nA: b\rC\r\n"sv,
                     "0\r\n A: b\r\n"sv,
                     "0\r\nA : b\r\n"sv,
                     "0\r\n: b\r\n"sv,
                     "0\r\nA\r\n"sv,
                     "0\r\nA: b\r\n c\r\n"sv,
                     "0\r\nA: \0\r\n"sv}) {
    EXPECT_EQ(decode(bytes).error, Errc::malformed_request) << bytes;
  }
}

TEST(ChunkedDecoder, functions_may_end_lines_in_lf_alone) {
  for (auto bytes : {"5\nhello\n0\n\n"sv, "5 \r\nhello\r\n0\r\n\n"sv, "5;a\nhello\n0\nA: b\n\r\n"sv,
                     "5\r\nhello\n0\nA: b\r\n\n"sv}) {
    const auto out = decode(bytes, Leniency::bare_lf);
    EXPECT_TRUE(out.done) << bytes;
    EXPECT_EQ(out.data, "hello");
  }
  for (auto bytes : {"\n"sv, " 5\n"sv, "5\rhello"sv, "5\nhelloX"sv, "0\n\rX"sv, "0x5\n"sv}) {
    EXPECT_TRUE(decode(bytes, Leniency::bare_lf).error) << bytes;
  }
}

TEST(ChunkedDecoder, limits_hold_to_the_byte) {
  const ChunkedLimits limits{.line_bytes = 10, .trailer_bytes = 12, .excess_bytes = 1000};
  EXPECT_TRUE(decode("0;234567\r\n\r\n", Leniency::strict, limits).done);
  EXPECT_TRUE(decode("0;2345678\r\n\r\n", Leniency::strict, limits).error);
  EXPECT_TRUE(decode("0\r\nA: 56\r\nB:\r\n", Leniency::strict, limits).error == Error());
  EXPECT_TRUE(decode("0\r\nA: 56789\r\n\r\n", Leniency::strict, limits).done);
  EXPECT_TRUE(decode("0\r\nA: 56789a\r\n\r\n", Leniency::strict, limits).error);
}

TEST(ChunkedDecoder, framing_may_not_outweigh_data) {
  std::string honest, hostile;
  for (int i = 0; i < 20000; ++i) honest += "1\r\nX\r\n";  // a byte at a time is legitimate
  for (int i = 0; i < 500; ++i) hostile += "1;" + std::string(100, 'a') + "\r\nX\r\n";
  EXPECT_TRUE(decode(honest + "0\r\n\r\n", Leniency::strict, 1000).done);
  EXPECT_TRUE(decode(hostile, Leniency::strict, 1000).error);
  EXPECT_FALSE(decode(hostile.substr(0, 100 * 107), Leniency::strict, 1000).error);
}

TEST(ChunkedDecoder, one_object_serves_many_bodies) {
  ChunkedDecoder decoder;
  for (int i = 0; i < 3; ++i) {
    auto input = "1\r\nx\r\n0\r\n\r\n"sv;
    EXPECT_EQ(decoder.next(input).value(), "x");
    EXPECT_EQ(decoder.next(input).value(), "");
    EXPECT_TRUE(decoder.done());
    decoder.reset();
    EXPECT_FALSE(decoder.done());
  }
}

TEST(AppendChunkHead, writes_hexadecimal_sizes) {
  std::string out = "x";
  append_chunk_head(out, 1);
  append_chunk_head(out, 65535);
  append_chunk_head(out, 65536);
  EXPECT_EQ(out, "x1\r\nffff\r\n10000\r\n");
}

TEST(AppendChunkHead, what_is_encoded_decodes_to_itself) {
  std::string out;
  append_chunk_head(out, 11);
  out.append("hello\r\n0\r\n\r").append(kChunkTail).append(kLastChunk);
  EXPECT_EQ(decode(out).data, "hello\r\n0\r\n\r");
}

}  // namespace
}  // namespace fwd
