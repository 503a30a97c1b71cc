#include "modes/marshalled_request.hpp"

#include <gtest/gtest.h>
#include <string>

namespace fwd {
namespace {

using namespace std::string_view_literals;

/// The whole of a spool.
std::string contents(Spool& spool) {
  std::string all;
  while (all.size() < spool.size()) {
    const auto piece = spool.read(all.size(), 1 << 20);
    EXPECT_TRUE(piece && !piece->empty());
    if (!piece || piece->empty()) break;
    all += *piece;
  }
  return all;
}

std::string marshalled(std::string_view request, std::string_view body = {}, std::size_t memory_bytes = 1 << 20) {
  RequestHead head;
  EXPECT_FALSE(head.assign(request, {})) << request;
  const SpoolOptions options{.memory_bytes = memory_bytes, .directory = "/tmp"};
  Spool in(options);
  Spool out(options);
  EXPECT_FALSE(in.append(body));
  EXPECT_FALSE(append_marshalled_request(head, in, out));
  return contents(out);
}

/// The header object of a request with these lines.
std::string header_of(std::string_view lines) {
  auto text = marshalled(std::string("GET / HTTP/1.0\r\n").append(lines).append("\r\n"));
  constexpr auto kStart = "{\"header\":"sv;
  constexpr auto kEnd = ",\"body\":{\"raw\":\"\"}}"sv;
  EXPECT_TRUE(text.starts_with(kStart) && text.ends_with(kEnd)) << text;
  return text.substr(kStart.size(), text.size() - kStart.size() - kEnd.size());
}

// Every expected text here was printed by a Go 1.19 program: net/http's server, encoding/json.

TEST(MarshalledRequest, is_one_object_of_header_and_body) {
  EXPECT_EQ(marshalled("POST /p?q HTTP/1.1\r\nHost: a\r\ncontent-length: 5\r\nX-B: 1\r\nx-a: z\r\nx-b: 2\r\n"
                       "X_under-foo: q\r\nX-Empty:\r\nConnection: close\r\n\r\n",
                       "hello"),
            R"({"header":{"Connection":["close"],"Content-Length":["5"],"X-A":["z"],"X-B":["1","2"],"X-Empty":[""],)"
            R"("X_under-Foo":["q"]},"body":{"raw":"aGVsbG8="}})");
}

TEST(MarshalledRequest, without_fields_and_body_the_parts_are_empty) {
  EXPECT_EQ(marshalled("GET / HTTP/1.0\r\n\r\n"), R"({"header":{},"body":{"raw":""}})");
}

TEST(MarshalledRequest, what_go_keeps_elsewhere_is_not_among_the_fields) {
  EXPECT_EQ(
      marshalled("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\nX!a&b: 1\r\n\r\n", "a"),
      R"({"header":{"X!a\u0026b":["1"]},"body":{"raw":"YQ=="}})");
  EXPECT_EQ(header_of("Host: a\r\nTrailer: a\r\n"), R"({"Trailer":["a"]})");
}

TEST(MarshalledRequest, names_are_sorted_by_their_bytes) {
  EXPECT_EQ(header_of("A-b: 1\r\nA: 2\r\nAb: 3\r\nA_b: 4\r\n"), R"({"A":["2"],"A-B":["1"],"A_b":["4"],"Ab":["3"]})");
}

TEST(MarshalledRequest, equal_names_keep_the_order_of_their_values) {
  EXPECT_EQ(header_of("X: b\r\nY: 1\r\nx: a\r\nX: b\r\n"), R"({"X":["b","a","b"],"Y":["1"]})");
}

TEST(MarshalledRequest, escapes_what_go_escapes) {
  EXPECT_EQ(header_of("X: <&>\"\\/\ttab'\r\n"), R"({"X":["\u003c\u0026\u003e\"\\/\ttab'"]})");
  EXPECT_EQ(header_of("X: \u2028\u2029\u202a\r\n"), "{\"X\":[\"\\u2028\\u2029\u202a\"]}");
  EXPECT_EQ(header_of("X: \u0080\u009f\u00a0\u20ac\U0001F600\r\n"), "{\"X\":[\"\u0080\u009f\u00a0\u20ac\U0001F600\"]}");
}

TEST(MarshalledRequest, every_byte_that_is_not_utf_8_is_one_replacement) {
  EXPECT_EQ(header_of("X: \xff\xc3(\xe2\x82\xe2\x82\xac\xed\xa0\x80\xf4\x90\x80\x80\xc0\xaf\xf0\x9f\x98\x80\r\n"),
            "{\"X\":[\"\\ufffd\\ufffd(\\ufffd\\ufffd\u20ac\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd"
            "\\ufffd\U0001F600\"]}");
  EXPECT_EQ(header_of("X: a\xe2\x82\r\n"), R"({"X":["a\ufffd\ufffd"]})");
  EXPECT_EQ(header_of("X: \x80\r\n"), R"({"X":["\ufffd"]})");
}

TEST(MarshalledRequest, bodies_are_base64) {
  struct Row {
    std::string_view body;
    std::string_view text;
  };
  for (const Row& row :
       {Row{"f", "Zg=="}, Row{"fo", "Zm8="}, Row{"foo", "Zm9v"}, Row{"foob", "Zm9vYg=="}, Row{"fooba", "Zm9vYmE="},
        Row{"foobar", "Zm9vYmFy"}, Row{"\0\xff>"sv, "AP8+"}, Row{"\xfb\xff\xbf"sv, "+/+/"}}) {
    EXPECT_EQ(marshalled("POST / HTTP/1.0\r\n\r\n", row.body),
              std::string(R"({"header":{},"body":{"raw":")").append(row.text).append("\"}}"));
  }
}

TEST(MarshalledRequest, large_bodies_have_padding_only_at_the_end) {
  for (const std::size_t size : {49151U, 49152U, 49153U, 98304U, 98305U, 200000U}) {
    for (const std::size_t memory : {std::size_t{1} << 20U, std::size_t{10}}) {  // in memory, in files
      auto expected = std::string(size / 3 * 4, 'A');                            // three zero bytes are AAAA
      if (size % 3 == 1) expected += "AA==";
      if (size % 3 == 2) expected += "AAA=";
      const auto text = marshalled("POST / HTTP/1.0\r\n\r\n", std::string(size, '\0'), memory);
      EXPECT_TRUE(text == R"({"header":{},"body":{"raw":")" + expected + "\"}}") << size;
    }
  }
}

TEST(MarshalledRequest, a_file_that_cannot_be_made_is_an_error) {
  RequestHead head;
  ASSERT_FALSE(head.assign("GET / HTTP/1.0\r\n\r\n", {}));
  const SpoolOptions in_options;
  const SpoolOptions out_options{.memory_bytes = 1, .directory = "/nowhere"};
  Spool in(in_options);
  Spool out(out_options);
  EXPECT_EQ(append_marshalled_request(head, in, out), system_error(ENOENT));
}

}  // namespace
}  // namespace fwd
