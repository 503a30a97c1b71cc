#include "tests/unit/modes/static_files_fixture.hpp"

namespace fwd {
namespace {

class StaticNegotiationTest : public StaticFilesTest {};

TEST_P(StaticNegotiationTest, preconditions_are_kept) {
  add("f.txt", "0123456789");
  make({.cache_control = "no-cache"});
  const std::string tag = ask("/f.txt").field("ETag");
  const std::string date = kModifiedText;
  struct Case {
    std::string fields;
    int status;
  };
  const Case cases[] = {
      {"If-None-Match: " + tag, 304},
      {"If-None-Match: W/" + tag, 304},
      {"If-None-Match: *", 304},
      {"If-None-Match: \"x\"", 200},
      {"If-Modified-Since: " + date, 304},
      {"If-Modified-Since: Sun, 06 Nov 1994 08:49:36 GMT", 200},
      {"If-Match: " + tag, 200},
      {"If-Match: \"x\"", 412},
      {"If-Match: W/" + tag, 412},
      {"If-Unmodified-Since: " + date, 200},
      {"If-Unmodified-Since: Sun, 06 Nov 1994 08:49:36 GMT", 412},
      {"If-None-Match: " + tag + "\r\nRange: bytes=0-0", 304},
      {"If-Match: \"x\"\r\nRange: bytes=0-0", 412},
      {"Range: bytes=0-0\r\nIf-Range: " + tag, 206},
      {"Range: bytes=0-0\r\nIf-Range: " + date, 206},
      {"Range: bytes=0-0\r\nIf-Range: \"x\"", 200},
      {"Range: bytes=0-0\r\nIf-Range: W/" + tag, 200},
      {"Range: bytes=50-\r\nIf-Range: \"x\"", 200},
      {"Range: bytes=50-\r\nIf-Range: " + tag, 416},
  };
  for (const auto& [fields, status] : cases) {
    const FakeExchange& answer = ask("/f.txt", fields + "\r\n");
    EXPECT_EQ(answer.status(), status) << fields;
    EXPECT_TRUE(answer.finished());
    if (status == 412) expect_failure(answer, 412, fields);
    if (status != 304) continue;
    EXPECT_EQ(answer.text(), "");
    using Names = std::vector<std::pair<std::string, std::string>>;
    const Names expected{
        {"ETag", tag}, {"Last-Modified", date}, {"Cache-Control", "no-cache"}, {"Vary", "Accept-Encoding"}};
    EXPECT_EQ(answer.fields(), expected);
  }
}

TEST_P(StaticNegotiationTest, a_compressed_copy_is_sent_to_those_who_want_it) {
  add("app.js", "plain javascript");
  add("app.js.gz", "gzip bytes");
  add("app.js.br", "brotli bytes");
  add("only-gz.css", "plain css");
  add("only-gz.css.gz", "gzip css");
  add("p.png", "png");
  add("p.png.gz", "never sent by itself");
  add("lost.html.gz", "without the file");
  add("sub/index.html", "index");
  add("sub/index.html.gz", "gzip index");
  make();
  struct Case {
    const char* target;
    const char* accept;
    const char* body;
    const char* coding;
  };
  const Case cases[] = {
      {"/app.js", "gzip, br", "brotli bytes", "br"},
      {"/app.js", "gzip", "gzip bytes", "gzip"},
      {"/app.js", "gzip, br;q=0.1", "gzip bytes", "gzip"},
      {"/app.js", "br;q=0, *", "gzip bytes", "gzip"},
      {"/app.js", "identity", "plain javascript", ""},
      {"/app.js", "gzip;q=0", "plain javascript", ""},
      {"/only-gz.css", "gzip, br", "gzip css", "gzip"},
      {"/only-gz.css", "br", "plain css", ""},
      {"/sub/", "gzip", "gzip index", "gzip"},
      {"/p.png", "gzip", "png", ""},
  };
  for (const Case& each : cases) {
    const FakeExchange& answer = ask(each.target, "Accept-Encoding: " + std::string(each.accept) + "\r\n");
    EXPECT_EQ(answer.status(), 200);
    EXPECT_EQ(answer.text(), each.body) << each.target << " " << each.accept;
    EXPECT_EQ(answer.field("Content-Encoding"), each.coding) << each.target << " " << each.accept;
    EXPECT_EQ(answer.announced(), answer.text().size());
  }
  EXPECT_EQ(status("/lost.html", "Accept-Encoding: gzip\r\n"), 404);
  EXPECT_EQ(ask("/app.js.gz").text(), "gzip bytes");
  EXPECT_EQ(ask("/app.js.gz").field("Content-Type"), "application/gzip");

  const FakeExchange& plain = ask("/app.js");
  const FakeExchange& coded = ask("/app.js", "Accept-Encoding: gzip\r\n");
  EXPECT_EQ(plain.field("Vary"), "Accept-Encoding");
  EXPECT_EQ(coded.field("Vary"), "Accept-Encoding");
  EXPECT_EQ(coded.field("Content-Type"), "text/javascript; charset=utf-8");
  EXPECT_NE(coded.field("ETag"), plain.field("ETag"));
  EXPECT_NE(coded.field("ETag"), ask("/app.js.gz").field("ETag"));
  const FakeExchange& range = ask("/app.js", "Accept-Encoding: gzip\r\nRange: bytes=-5\r\n");
  EXPECT_EQ(range.text(), "bytes");
  EXPECT_EQ(range.field("Content-Range"), "bytes 5-9/10") << "of the coded form";
  EXPECT_EQ(status("/app.js", "Accept-Encoding: gzip\r\nIf-None-Match: " + coded.field("ETag") + "\r\n"), 304);
  EXPECT_EQ(status("/app.js", "Accept-Encoding: gzip\r\nIf-None-Match: " + plain.field("ETag") + "\r\n"), 200);
}

INSTANTIATE_TEST_SUITE_P(from, StaticNegotiationTest, testing::Values(From::folder, From::archive),
                         [](const auto& from) { return from.param == From::folder ? "folder" : "archive"; });

}  // namespace
}  // namespace fwd
