#include "tests/unit/modes/static_files_fixture.hpp"

namespace fwd {
namespace {

TEST_P(StaticFilesTest, a_file_is_answered_with_all_that_is_known_of_it) {
  add("a/page.html", "<p>hello");
  add("logo.png", "\x89PNG");
  make({.cache_control = "max-age=60"});
  const FakeExchange& page = ask("/a/page.html?x=y");
  EXPECT_EQ(page.status(), 200);
  EXPECT_EQ(page.text(), "<p>hello");
  EXPECT_EQ(page.announced(), 8U);
  EXPECT_TRUE(page.finished());
  EXPECT_EQ(page.field("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(page.field("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(page.field("Accept-Ranges"), "bytes");
  EXPECT_EQ(page.field("Last-Modified"), kModifiedText);
  EXPECT_EQ(page.field("Cache-Control"), "max-age=60");
  EXPECT_EQ(page.field("Vary"), "Accept-Encoding");
  EXPECT_EQ(page.field("Content-Encoding"), "");
  const std::string tag = page.field("ETag");
  EXPECT_TRUE(tag.size() > 4 && tag.front() == '"' && tag.back() == '"') << tag;
  EXPECT_EQ(ask("/a/page.html").field("ETag"), tag) << "a tag is the same each time";
  const FakeExchange& logo = ask("/logo.png");
  EXPECT_EQ(logo.field("Vary"), "") << "no coded form of it is ever sent";
  EXPECT_NE(logo.field("ETag"), tag);
}

TEST_P(StaticFilesTest, head_is_answered_like_get_without_the_body) {
  add("small.txt", "text");
  add("large.bin", pattern(300'000));
  add("unknown", "\x89PNG\x0D\x0A\x1A\x0A");
  make();
  for (const char* target : {"/small.txt", "/large.bin", "/unknown"}) {
    const FakeExchange& get = ask(target);
    const FakeExchange& head = ask(target, "Range: bytes=0-0\r\n", "HEAD");  // a range is for GET alone
    EXPECT_EQ(head.status(), 200);
    EXPECT_EQ(head.fields(), get.fields());
    EXPECT_EQ(head.announced(), get.announced());
    EXPECT_EQ(head.text(), "");
    EXPECT_TRUE(head.finished());
  }
}

TEST_P(StaticFilesTest, sizes_around_the_limits_arrive_whole) {
  const std::size_t sizes[] = {
      0, 1, FileAnswer::kReadBytes - 1, FileAnswer::kReadBytes, FileAnswer::kReadBytes + 1, 1'000'000};
  for (const std::size_t size : sizes) add(std::to_string(size) + ".bin", pattern(size));
  make();
  for (const std::size_t size : sizes) {
    const FakeExchange& answer = ask("/" + std::to_string(size) + ".bin");
    EXPECT_EQ(answer.status(), 200);
    EXPECT_TRUE(answer.text() == pattern(size)) << size;
    EXPECT_EQ(answer.announced(), size);
    EXPECT_EQ(answer.bytes_by_file(), size > FileAnswer::kReadBytes ? size : 0);
    EXPECT_TRUE(answer.finished());
  }
}

TEST_P(StaticFilesTest, the_type_of_a_file_without_extension_is_told_from_its_beginning) {
  add("picture", "\x89PNG\x0D\x0A\x1A\x0Ahello");
  add("text", "plain");
  add("empty", "");
  make();
  EXPECT_EQ(ask("/picture").field("Content-Type"), "image/png");
  EXPECT_EQ(ask("/picture").field("X-Content-Type-Options"), "");
  EXPECT_EQ(ask("/picture", "Range: bytes=8-\r\n").field("Content-Type"), "image/png") << "not by the range's bytes";
  EXPECT_EQ(ask("/text").field("Content-Type"), "text/plain; charset=utf-8");
  EXPECT_EQ(ask("/empty").status(), 200);
}

TEST_P(StaticFilesTest, ranges_are_answered_exactly) {
  const std::string bytes = pattern(1000);
  add("before.bin", std::string(1000, 'B'));
  add("f.bin", bytes);
  add("z-after.bin", std::string(1000, 'A'));
  make();
  struct Case {
    const char* range;
    int status;
    const char* content_range;
    std::string body;
  };
  const Case cases[] = {
      {"bytes=0-0", 206, "bytes 0-0/1000", bytes.substr(0, 1)},
      {"bytes=999-999", 206, "bytes 999-999/1000", bytes.substr(999)},
      {"bytes=999-2000", 206, "bytes 999-999/1000", bytes.substr(999)},
      {"bytes=-500", 206, "bytes 500-999/1000", bytes.substr(500)},
      {"bytes=-5000", 206, "bytes 0-999/1000", bytes},
      {"bytes=500-", 206, "bytes 500-999/1000", bytes.substr(500)},
      {"bytes=0-", 206, "bytes 0-999/1000", bytes},
      {"bytes=5000-,10-19", 206, "bytes 10-19/1000", bytes.substr(10, 10)},
      {"bytes=a-b", 200, "", bytes},
      {"bytes=2-1", 200, "", bytes},
      {"lines=0-1", 200, "", bytes},
      {"bytes=0-999,0-0", 200, "", bytes},
  };
  for (const Case& each : cases) {
    const FakeExchange& answer = ask("/f.bin", "Range: " + std::string(each.range) + "\r\n");
    EXPECT_EQ(answer.status(), each.status) << each.range;
    EXPECT_EQ(answer.field("Content-Range"), each.content_range) << each.range;
    EXPECT_TRUE(answer.text() == each.body) << each.range;
    EXPECT_EQ(answer.announced(), each.body.size()) << each.range;
    EXPECT_EQ(answer.field("Accept-Ranges"), "bytes") << each.range;
    EXPECT_NE(answer.field("ETag"), "") << each.range;
    EXPECT_TRUE(answer.finished()) << each.range;
  }
  for (const char* range : {"bytes=1000-", "bytes=-0", "bytes=1000-1001,2000-"}) {
    const FakeExchange& answer = ask("/f.bin", "Range: " + std::string(range) + "\r\n");
    expect_failure(answer, 416, range);
    EXPECT_EQ(answer.field("Content-Range"), "bytes */1000");
  }
}

/// What `--boundary` separates: the heads and the bytes.
std::vector<std::pair<std::string, std::string>> parts_of(const FakeExchange& answer) {
  const std::string type = answer.field("Content-Type");
  const std::string prefix = "multipart/byteranges; boundary=";
  EXPECT_TRUE(type.starts_with(prefix)) << type;
  const std::string mark = "--" + type.substr(std::min(prefix.size(), type.size()));
  const std::string& body = answer.text();
  EXPECT_TRUE(body.starts_with(mark + "\r\n") && body.ends_with("\r\n" + mark + "--\r\n")) << body.substr(0, 200);
  std::vector<std::pair<std::string, std::string>> parts;
  for (auto at = mark.size() + 2; at < body.size();) {
    const auto head_end = body.find("\r\n\r\n", at), end = body.find("\r\n" + mark, at);
    if (head_end == std::string::npos || end == std::string::npos) break;
    parts.emplace_back(body.substr(at, head_end - at), body.substr(head_end + 4, end - head_end - 4));
    at = end + mark.size() + 4;
  }
  return parts;
}

TEST_P(StaticFilesTest, several_ranges_are_one_multipart_body) {
  const std::string bytes = pattern(300'000);
  add("f.mp4", bytes);
  make();
  const FakeExchange& answer = ask("/f.mp4", "Range: bytes=0-0, -1,100000-249999, 5-70000\r\n");
  EXPECT_EQ(answer.status(), 206);
  EXPECT_EQ(answer.announced(), answer.text().size());
  EXPECT_EQ(answer.field("Content-Range"), "");
  EXPECT_GT(answer.bytes_by_file(), 0U);
  EXPECT_TRUE(answer.finished());
  const auto parts = parts_of(answer);
  ASSERT_EQ(parts.size(), 4U);
  const std::pair<const char*, std::string> expected[] = {{"0-0", bytes.substr(0, 1)},
                                                          {"299999-299999", bytes.substr(299'999)},
                                                          {"100000-249999", bytes.substr(100'000, 150'000)},
                                                          {"5-70000", bytes.substr(5, 69'996)}};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].first,
              "Content-Type: video/mp4\r\nContent-Range: bytes " + std::string(expected[i].first) + "/300000");
    EXPECT_TRUE(parts[i].second == expected[i].second) << i;
  }
  EXPECT_NE(ask("/f.mp4", "Range: bytes=0-0,2-2\r\n").field("Content-Type"), answer.field("Content-Type"))
      << "nobody can guess the boundary";
}

TEST_P(StaticFilesTest, folders_are_redirected_to_and_answered_by_their_index) {
  add("index.html", "root index");
  add("sub/index.html", "sub index");
  add("sub/file", "x");
  add("odd: name&/index.html", "odd");
  add("empty/file", "x");
  make();
  EXPECT_EQ(ask("/").text(), "root index");
  EXPECT_EQ(ask("/?q").text(), "root index");
  EXPECT_EQ(ask("/sub/").text(), "sub index");
  EXPECT_EQ(ask("/sub/").field("Content-Type"), "text/html; charset=utf-8");
  const std::pair<const char*, const char*> places[] = {
      {"/sub", "sub/"},
      {"/sub?a=b&c=%20", "sub/?a=b&c=%20"},
      {"//sub", "sub/"},
      {"/odd:%20name&", "odd%3A%20name%26/"},  // no scheme, no entity
      {"/index.html", "./"},
      {"/sub/index.html", "./"},
      {"/sub/index.html?q=1", "./?q=1"},
      {"/empty", "empty/"},
  };
  for (const auto& [target, place] : places) {
    const FakeExchange& answer = ask(target);
    EXPECT_EQ(answer.status(), 301) << target;
    EXPECT_EQ(answer.field("Location"), place) << target;
    EXPECT_EQ(answer.announced(), 0U);
    EXPECT_TRUE(answer.finished());
  }
  for (const char* target : {"/empty/", "/sub/file/", "/absent/", "/sub/index.html/"})
    expect_failure(ask(target), 404, target);
  EXPECT_EQ(ask("/empty/").text(), "404 page not found\n");
}

TEST_P(StaticFilesTest, a_listing_is_escaped_and_hides_what_is_hidden) {
  add("a <b>&\"'.txt", "x");
  add("b/c", "x");
  add(".hidden", "x");
  add("with/index.html", "index");
  make({.listing = true});
  const FakeExchange& answer = ask("/");
  EXPECT_EQ(answer.status(), 200);
  EXPECT_EQ(answer.field("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(answer.text(),
            "<!doctype html>\n<meta charset=\"utf-8\">\n<pre>\n"
            "<a href=\"a%20%3Cb%3E%26%22%27.txt\">a &lt;b&gt;&amp;&#34;&#39;.txt</a>\n"
            "<a href=\"b/\">b/</a>\n<a href=\"with/\">with/</a>\n</pre>\n");
  EXPECT_EQ(ask("/with/").text(), "index");
  EXPECT_EQ(status("/b"), 301);
  EXPECT_NE(ask("/b/").text().find("<a href=\"c\">c</a>"), std::string::npos);
  EXPECT_EQ(status("/b/c/"), 404);
  EXPECT_EQ(status("/absent/"), 404);
  EXPECT_EQ(status("/.hidden"), 404);
  EXPECT_EQ(ask("/a%20%3Cb%3E%26%22%27.txt").text(), "x") << "the link leads there";
}

TEST_P(StaticFilesTest, paths_that_are_never_served) {
  add("a/file", "x");
  add(".git/config", "secret");
  add("a/.env", "secret");
  add("a%2e", "percent");
  add(".well-known/security.txt", "contact");
  make();
  for (const char* target : {"/.git/config", "/.git/", "/a/.env", "/%2egit/config", "/..", "/../etc/passwd",
                             "/a/../a/file", "/%2e%2e/etc/passwd", "/a/%2e%2e/a/file", "/a%2ffile", "/a%5cfile",
                             "/a\\file", "/a/file%00", "/%00", "/absent", "/a/absent", "/a/file/x", "/%252e%252e/x"})
    expect_failure(ask(target), 404, target);
  for (const char* target : {"/%", "/a/%zz", "/%4"}) {
    (void)ask(target);
    expect_failure(*asked_.back(), 400, target);
  }
  EXPECT_EQ(ask("//a//file").text(), "x");
  EXPECT_EQ(ask("http://other/a/file").text(), "x");
  EXPECT_EQ(ask("/a%252e").text(), "percent") << "decoded once";
  EXPECT_EQ(ask("/.well-known/security.txt").text(), "contact");
}

TEST_P(StaticFilesTest, other_methods_are_told_which_ones_there_are) {
  add("f", "x");
  make();
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "get", "PROPFIND"}) {
    const FakeExchange& answer = ask("/f", "", method);
    expect_failure(answer, 405, method);
    EXPECT_EQ(answer.field("Allow"), "GET, HEAD");
  }
  EXPECT_EQ(ask("*", "", "OPTIONS").status(), 405);
}

TEST_P(StaticFilesTest, a_client_that_leaves_ends_its_answer_alone) {
  add("f.bin", pattern(300'000));
  make();
  FakeExchange gone("GET", "/f.bin");
  gone.leave();
  EXPECT_EQ(serve(gone), Errc::client_gone);
  EXPECT_FALSE(gone.finished());
  EXPECT_TRUE(ask("/f.bin").finished());
}

TEST_P(StaticFilesTest, has_nothing_to_stop_and_nothing_to_count) {
  add("f", "x");
  StaticFiles& mode = make();
  EXPECT_FALSE(mode.down_since());
  EXPECT_EQ(mode.retry_after(), seconds(1));
  EXPECT_EQ(mode.stats().started, 0U);
  run_task(context_, mode.stop(kNever));
}

INSTANTIATE_TEST_SUITE_P(from, StaticFilesTest, testing::Values(From::folder, From::archive),
                         [](const auto& from) { return from.param == From::folder ? "folder" : "archive"; });

TEST(static_files, what_cannot_be_served_is_said_in_one_line) {
  TemporaryFolder files;
  files.write("file", "x");
  files.write("bad.tar", std::string(2000, 'x'));
  files.write("cut.tar", TarWriter().file("a", "x").unfinished());
  struct Case {
    StaticOptions options;
    std::string text;
  };
  const Case cases[] = {
      {{.root = files / "absent"}, "static_path=" + (files / "absent") + ": No such file or directory"},
      {{.root = files / "file"}, "static_path=" + (files / "file") + ": Not a directory"},
      {{.root = ""}, "static_path=: No such file or directory"},
      {{.archive = files / "absent"}, "static_archive=" + (files / "absent") + ": No such file or directory"},
      {{.archive = files.path().string()}, "static_archive=" + files.path().string() + ": it is no file"},
      {{.archive = files / "bad.tar"},
       "static_archive=" + (files / "bad.tar") +
           ": at byte 0: this is no header of an uncompressed tar: its checksum is wrong"},
      {{.archive = files / "cut.tar"},
       "static_archive=" + (files / "cut.tar") + ": at byte 1024: the archive has no end mark: it is cut off"},
      {{.root = files.path().string(), .cache_control = "a\nb"},
       "cache_control: a control character cannot stand in a field"},
  };
  for (const Case& each : cases) {
    StaticFiles mode(each.options);
    EXPECT_TRUE(mode.start());
    EXPECT_EQ(mode.start_error(), each.text);
  }
}

}  // namespace
}  // namespace fwd
