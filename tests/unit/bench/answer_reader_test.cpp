#include "bench/answer_reader.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace fwd::bench {
namespace {

/// What came of an answer, however it was cut.
struct Outcome {
  bool done = false;
  Failure failure = Failure::none;
  int status = 0;
  std::uint64_t body_bytes = 0;
  bool keeps = false;
  std::size_t used = 0;

  bool operator==(const Outcome&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Outcome& o) {
  return out << (o.done ? "done " : "open ") << failure_name(o.failure) << ' ' << o.status << " body " << o.body_bytes
             << (o.keeps ? " keeps" : " closes") << " used " << o.used;
}

Outcome feed(const std::vector<std::string_view>& pieces, bool then_close, bool to_head = false) {
  AnswerReader reader;
  reader.begin(to_head);
  Outcome outcome;
  for (const auto piece : pieces) {
    if (reader.done() || reader.failure() != Failure::none) break;
    const std::size_t used = reader.take(piece);
    outcome.used += used;
    if (used < piece.size()) break;
  }
  if (then_close && !reader.done()) (void)reader.end_of_stream();
  outcome.done = reader.done();
  outcome.failure = reader.failure();
  outcome.status = reader.status();
  outcome.body_bytes = reader.body_bytes();
  outcome.keeps = outcome.done && reader.keeps_connection();
  return outcome;
}

struct Row {
  std::string bytes;
  Outcome expected;  // at the end of the stream; `used` matters only where the answer ended by itself
  bool to_head = false;
};

const std::string kOk = "HTTP/1.1 200 OK\r\n";

std::vector<Row> good_rows() {
  return {
      {kOk + "Content-Length: 5\r\n\r\nhello", {true, Failure::none, 200, 5, true, 43}},
      {kOk + "content-length:5\r\n\r\nhello", {true, Failure::none, 200, 5, true, 42}},
      {kOk + "Content-Length: 0\r\n\r\n", {true, Failure::none, 200, 0, true, 38}},
      {"HTTP/1.1 404\r\nContent-Length: 0\r\n\r\n", {true, Failure::none, 404, 0, true, 35}},
      {"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", {true, Failure::none, 200, 1, false, 39}},
      {"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx",
       {true, Failure::none, 200, 1, true, 63}},
      {kOk + "Connection: Close\r\nContent-Length: 1\r\n\r\nx", {true, Failure::none, 200, 1, false, 58}},
      {kOk + "Connection: x, close\r\nContent-Length: 1\r\n\r\nx", {true, Failure::none, 200, 1, false, 61}},
      {kOk + "\r\nto the end", {true, Failure::none, 200, 10, false, 29}},
      {kOk + "\r\n", {true, Failure::none, 200, 0, false, 19}},
      {kOk + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nab", {true, Failure::none, 200, 2, true, 59}},
      {"HTTP/1.1 204 No Content\r\n\r\n", {true, Failure::none, 204, 0, true, 27}},
      {"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", {true, Failure::none, 304, 0, true, 48}},
      {kOk + "Content-Length: 9\r\n\r\n", {true, Failure::none, 200, 0, true, 38}, true},
      {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + kOk + "Content-Length: 1\r\n\r\nx",
       {true, Failure::none, 200, 1, true, 101}},
      {kOk + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n",
       {true, Failure::none, 200, 15, true, 81}},
      {kOk + "Transfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\nC: d\r\n\r\n", {true, Failure::none, 200, 0, true, 64}},
      {kOk + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n1\r\nx\r\n0\r\n\r\n",
       {true, Failure::none, 200, 1, true, 77}},
      {"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
       {true, Failure::none, 200, 1, false, 82}},
      {kOk + "Transfer-Encoding: gzip\r\n\r\nxyz", {true, Failure::none, 200, 3, false, 47}},
      {"HTTP/1.1 200 OK\nContent-Length: 2\n\nab", {true, Failure::none, 200, 2, true, 37}},
  };
}

TEST(AnswerReader, finds_the_end_of_good_answers_however_they_are_cut) {
  for (const Row& row : good_rows()) {
    const std::string_view bytes = row.bytes;
    EXPECT_EQ(feed({bytes}, true, row.to_head), row.expected) << row.bytes;
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
      ASSERT_EQ(feed({bytes.substr(0, cut), bytes.substr(cut)}, true, row.to_head), row.expected)
          << row.bytes << " at " << cut;
    }
    std::vector<std::string_view> single;
    for (std::size_t i = 0; i < bytes.size(); ++i) single.push_back(bytes.substr(i, 1));
    EXPECT_EQ(feed(single, true, row.to_head), row.expected) << row.bytes;
  }
}

TEST(AnswerReader, an_answer_that_ends_early_is_never_done) {
  for (const Row& row : good_rows()) {
    const bool ends_by_close = !row.expected.keeps && row.bytes.find("Length") == std::string::npos &&
                               row.bytes.find("chunked") == std::string::npos;
    const std::string_view bytes = row.bytes;
    for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
      const Outcome outcome = feed({bytes.substr(0, cut)}, true, row.to_head);
      if (ends_by_close && cut >= bytes.find("\r\n\r\n") + 4) continue;
      EXPECT_FALSE(outcome.done) << row.bytes << " cut at " << cut;
      EXPECT_EQ(outcome.failure, cut == 0 ? Failure::empty : Failure::truncated) << row.bytes << " cut at " << cut;
    }
  }
}

TEST(AnswerReader, names_what_is_wrong_however_it_is_cut) {
  const std::pair<std::string, Failure> rows[] = {
      {"SSH-2.0-OpenSSH_9\r\n", Failure::not_http},
      {"garbage", Failure::not_http},
      {"HTTP/2 200\r\n\r\n", Failure::not_http},
      {"HTTP/1.7 200 OK\r\n\r\n", Failure::malformed},
      {"HTTP/1.1 20 OK\r\n\r\n", Failure::malformed},
      {"HTTP/1.1 2000 OK\r\n\r\n", Failure::malformed},
      {"HTTP/1.1 099 OK\r\n\r\n", Failure::malformed},
      {"HTTP/1.1 700 OK\r\n\r\n", Failure::malformed},
      {"HTTP/1.1  200 OK\r\n\r\n", Failure::malformed},
      {"HTTP/1.1 101 Switching Protocols\r\n\r\n", Failure::malformed},
      {kOk + "Content-Length: 5x\r\n\r\n", Failure::malformed},
      {kOk + "Content-Length: -5\r\n\r\n", Failure::malformed},
      {kOk + "Content-Length:\r\n\r\n", Failure::malformed},
      {kOk + "Content-Length: 99999999999999999999\r\n\r\n", Failure::malformed},
      {kOk + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n", Failure::malformed},
      {kOk + "no colon\r\n\r\n", Failure::malformed},
      {kOk + ": no name\r\n\r\n", Failure::malformed},
      {kOk + "Name : blank\r\n\r\n", Failure::malformed},
      {kOk + "A: b\r\n folded\r\n\r\n", Failure::malformed},
      {kOk + "Transfer-Encoding: chunked\r\n\r\nx\r\n", Failure::bad_chunk},
      {kOk + "Transfer-Encoding: chunked\r\n\r\n\r\n", Failure::bad_chunk},
      {kOk + "Transfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n", Failure::bad_chunk},
      {kOk + "Transfer-Encoding: chunked\r\n\r\n1\nx\n", Failure::bad_chunk},
      {kOk + "Transfer-Encoding: chunked\r\n\r\n-1\r\n", Failure::bad_chunk},
      {kOk + "Transfer-Encoding: chunked\r\n\r\n1000000000000000\r\n", Failure::bad_chunk},
      {kOk + "Transfer-Encoding: chunked\r\n\r\n0;" + std::string(9000, 'x'), Failure::bad_chunk},
      {kOk + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + std::string(9000, 'x'), Failure::bad_chunk},
      {kOk + "X: " + std::string(70'000, 'x') + "\r\n\r\n", Failure::head_too_large},
  };
  for (const auto& [text, failure] : rows) {
    const std::string_view bytes = text;
    EXPECT_EQ(feed({bytes}, false).failure, failure) << text.substr(0, 99);
    const std::size_t step = bytes.size() < 1000 ? 1 : 997;
    for (std::size_t cut = 0; cut < bytes.size(); cut += step) {
      const Outcome outcome = feed({bytes.substr(0, cut), bytes.substr(cut)}, false);
      EXPECT_EQ(outcome.failure, failure) << text.substr(0, 99) << " at " << cut;
      EXPECT_FALSE(outcome.done);
    }
  }
}

TEST(AnswerReader, bytes_after_the_end_are_left_alone) {
  EXPECT_EQ(feed({kOk + "Content-Length: 1\r\n\r\nxHTTP/1.1 200"}, false).used, kOk.size() + 22);
  EXPECT_EQ(feed({"HTTP/1.1 204 x\r\n\r\nmore"}, false).used, 18u);
}

TEST(AnswerReader, large_bodies_need_no_look) {
  AnswerReader reader;
  reader.begin(false);
  (void)reader.take(kOk + "Content-Length: 1000000\r\n\r\nabc");
  EXPECT_EQ(reader.blind_bytes(), 999'997u);
  reader.skip(999'997);
  EXPECT_TRUE(reader.done());
  EXPECT_EQ(reader.body_bytes(), 1'000'000u);
  EXPECT_EQ(reader.blind_bytes(), 0u);
}

TEST(AnswerReader, a_large_chunk_needs_no_look_but_its_frame_does) {
  AnswerReader reader;
  reader.begin(false);
  (void)reader.take(kOk + "Transfer-Encoding: chunked\r\n\r\n100000\r\n");
  EXPECT_EQ(reader.blind_bytes(), 0x100000u);
  reader.skip(0x100000);
  EXPECT_EQ(reader.blind_bytes(), 0u);
  (void)reader.take("\r\n0\r\n\r\n");
  EXPECT_TRUE(reader.done());
  EXPECT_EQ(reader.body_bytes(), 0x100000u);
}

TEST(AnswerReader, serves_one_answer_after_the_other_and_keeps_the_first_server) {
  AnswerReader reader;
  reader.begin(false);
  (void)reader.take(kOk + "Server: one/1 (x)\r\nContent-Length: 1\r\n\r\nx");
  EXPECT_TRUE(reader.done());
  reader.begin(false);
  EXPECT_FALSE(reader.started());
  EXPECT_FALSE(reader.done());
  (void)reader.take("HTTP/1.1 500 x\r\nServer: two\r\nContent-Length: 0\r\n\r\n");
  EXPECT_TRUE(reader.done());
  EXPECT_EQ(reader.status(), 500);
  EXPECT_EQ(reader.body_bytes(), 0u);
  EXPECT_EQ(reader.server(), "one/1 (x)");
}

}  // namespace
}  // namespace fwd::bench
