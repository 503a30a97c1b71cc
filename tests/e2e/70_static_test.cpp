// Static mode as clients see it: files, folders, conditions, ranges, compressed copies.

#include <gtest/gtest.h>
#include <string>

#include "tests/e2e/static_site.hpp"

namespace fwd::test {
namespace {

TEST(static_mode, answers_files_and_folders) {
  TemporaryFolder files;
  files.write("root/index.html", "<p>root");
  files.write("root/sub/index.html", "<p>sub");
  files.write("root/sub/data.json", "{}");
  files.write("root/no-index/file", "plain text");
  files.write("root/with space.txt", "space");
  files.write("root/style.css", "p{}");
  files.write("root/empty.txt", "");
  WatchdogProcess watchdog(static_site(files));
  struct Case {
    const char* method;
    const char* target;
    int status;
    const char* body;
    const char* type;
    const char* location = "";
  };
  const char* const kText = "text/plain; charset=utf-8";
  const char* const kHtml = "text/html; charset=utf-8";
  const Case cases[] = {
      {"GET", "/", 200, "<p>root", kHtml},
      {"GET", "/?q=1", 200, "<p>root", kHtml},
      {"GET", "/sub/", 200, "<p>sub", kHtml},
      {"GET", "/sub/data.json", 200, "{}", "application/json"},
      {"GET", "//sub///data.json", 200, "{}", "application/json"},
      {"GET", "/no-index/file", 200, "plain text", kText},
      {"GET", "/with%20space.txt", 200, "space", kText},
      {"GET", "/style.css", 200, "p{}", "text/css; charset=utf-8"},
      {"GET", "/empty.txt", 200, "", kText},
      {"HEAD", "/style.css", 200, "", "text/css; charset=utf-8"},
      {"GET", "/sub", 301, "", "", "sub/"},
      {"GET", "/sub?a=b", 301, "", "", "sub/?a=b"},
      {"GET", "/sub/index.html", 301, "", "", "./"},
      {"HEAD", "/sub", 301, "", "", "sub/"},
      {"GET", "/absent", 404, "404 page not found\n", kText},
      {"HEAD", "/absent", 404, "", kText},
      {"GET", "/no-index/", 404, "404 page not found\n", kText},
      {"GET", "/sub/data.json/", 404, "404 page not found\n", kText},
      {"GET", "/bad%zz", 400, "the path has a malformed escape\n", kText},
      {"POST", "/style.css", 405, "files take GET and HEAD only\n", kText},
      {"DELETE", "/style.css", 405, "files take GET and HEAD only\n", kText},
      {"OPTIONS", "*", 405, "files take GET and HEAD only\n", kText},
  };
  HttpClient client(watchdog.port());  // all on one connection
  for (const Case& each : cases) {
    SCOPED_TRACE(std::string(each.method) + " " + each.target);
    const auto answer = client.ask(each.method, each.target);
    ASSERT_TRUE(answer) << client.last_error();
    EXPECT_EQ(answer->status, each.status);
    EXPECT_EQ(answer->body, each.body);
    EXPECT_EQ(answer->header("Content-Type").value_or(""), each.type);
    EXPECT_EQ(answer->header("Location").value_or(""), each.location);
    EXPECT_EQ(answer->header("X-OpenFaaS-Internal").has_value(), each.status >= 400);
    EXPECT_EQ(answer->header("Accept-Ranges").has_value(), each.status == 200);
    EXPECT_EQ(answer->header("ETag").has_value(), each.status == 200);
    EXPECT_EQ(answer->header("Allow").value_or(""), each.status == 405 ? "GET, HEAD" : "");
  }
  EXPECT_EQ(watchdog.children().size(), 0U) << "there is no function";
}

TEST(static_mode, conditions_and_ranges_are_answered_by_the_standard) {
  const std::string bytes = pattern(10'000);
  TemporaryFolder files;
  files.write("root/f.mp4", bytes);
  WatchdogProcess watchdog(static_site(files, {{"cache_control", "public, max-age=60"}}));
  const HttpAnswer first = get(watchdog, "/f.mp4");
  const std::string tag = first.header("ETag").value_or(""), date = first.header("Last-Modified").value_or("");
  ASSERT_TRUE(first.body == bytes);
  ASSERT_FALSE(tag.empty() || date.empty()) << first.raw_head;
  const std::string old = "Sun, 06 Nov 1994 08:49:37 GMT";
  struct Case {
    Fields fields;
    int status;
    std::string range;  // Content-Range
    std::string body;
  };
  const std::string no_range = "the file has no such range\n";
  const std::string other = "the file is not in the state that was asked for\n";
  const Case cases[] = {
      {{}, 200, "", bytes},
      {{{"Range", "bytes=0-0"}}, 206, "bytes 0-0/10000", bytes.substr(0, 1)},
      {{{"Range", "bytes=-500"}}, 206, "bytes 9500-9999/10000", bytes.substr(9500)},
      {{{"Range", "bytes=9999-"}}, 206, "bytes 9999-9999/10000", bytes.substr(9999)},
      {{{"Range", "bytes=100-199"}}, 206, "bytes 100-199/10000", bytes.substr(100, 100)},
      {{{"Range", "bytes=9000-20000"}}, 206, "bytes 9000-9999/10000", bytes.substr(9000)},
      {{{"Range", "bytes=5-6,20000-"}}, 206, "bytes 5-6/10000", bytes.substr(5, 2)},
      {{{"Range", "bytes=10000-"}}, 416, "bytes */10000", no_range},
      {{{"Range", "bytes=-0"}}, 416, "bytes */10000", no_range},
      {{{"Range", "bytes=9-8"}}, 200, "", bytes},
      {{{"Range", "pages=1-2"}}, 200, "", bytes},
      {{{"If-None-Match", tag}}, 304, "", ""},
      {{{"If-None-Match", "W/" + tag + ", \"x\""}}, 304, "", ""},
      {{{"If-None-Match", "\"x\""}, {"If-Modified-Since", date}}, 200, "", bytes},
      {{{"If-Modified-Since", date}}, 304, "", ""},
      {{{"If-Modified-Since", old}}, 200, "", bytes},
      {{{"If-Match", "\"x\""}}, 412, "", other},
      {{{"If-Unmodified-Since", old}}, 412, "", other},
      {{{"If-Match", tag}, {"Range", "bytes=0-1"}}, 206, "bytes 0-1/10000", bytes.substr(0, 2)},
      {{{"If-None-Match", tag}, {"Range", "bytes=0-1"}}, 304, "", ""},
      {{{"If-Range", tag}, {"Range", "bytes=0-1"}}, 206, "bytes 0-1/10000", bytes.substr(0, 2)},
      {{{"If-Range", date}, {"Range", "bytes=0-1"}}, 206, "bytes 0-1/10000", bytes.substr(0, 2)},
      {{{"If-Range", "\"x\""}, {"Range", "bytes=0-1"}}, 200, "", bytes},
      {{{"If-Range", old}, {"Range", "bytes=20000-"}}, 200, "", bytes},
  };
  HttpClient client(watchdog.port());
  for (const Case& each : cases) {
    std::string name = std::to_string(each.status);
    for (const auto& [field, value] : each.fields) name += " " + field + ": " + value;
    SCOPED_TRACE(name);
    const auto answer = client.ask("GET", "/f.mp4", {}, each.fields);
    ASSERT_TRUE(answer) << client.last_error();
    EXPECT_EQ(answer->status, each.status);
    EXPECT_EQ(answer->header("Content-Range").value_or(""), each.range);
    EXPECT_TRUE(answer->body == each.body) << answer->body.size();
    const bool is_file = each.status < 400;
    EXPECT_EQ(answer->header("ETag").value_or(""), is_file ? tag : "");
    EXPECT_EQ(answer->header("Cache-Control").value_or(""), is_file ? "public, max-age=60" : "");
    EXPECT_EQ(answer->header("Content-Length").has_value(), each.status != 304);
  }
}

TEST(static_mode, several_ranges_come_as_one_body_of_the_announced_length) {
  const std::string bytes = pattern(500'000);
  TemporaryFolder files;
  files.write("root/f.png", bytes);
  WatchdogProcess watchdog(static_site(files));
  HttpClient client(watchdog.port());
  const auto answer = client.ask("GET", "/f.png", {}, {{"Range", "bytes=0-9,100000-399999,-10"}});
  ASSERT_TRUE(answer) << client.last_error();
  EXPECT_EQ(answer->status, 206);
  const std::string type = answer->header("Content-Type").value_or("");
  ASSERT_TRUE(type.starts_with("multipart/byteranges; boundary=")) << type;
  const std::string mark = "--" + type.substr(type.find('=') + 1);
  const auto head = [](const std::string& range) {
    return "\r\nContent-Type: image/png\r\nContent-Range: bytes " + range + "/500000\r\n\r\n";
  };
  const std::string expected = mark + head("0-9") + bytes.substr(0, 10) + "\r\n" + mark + head("100000-399999") +
                               bytes.substr(100'000, 300'000) + "\r\n" + mark + head("499990-499999") +
                               bytes.substr(499'990) + "\r\n" + mark + "--\r\n";
  EXPECT_TRUE(answer->body == expected);
  EXPECT_EQ(answer->header("Content-Length"), std::to_string(expected.size()));
  const auto next = client.ask("GET", "/f.png", {}, {{"Range", "bytes=1-3"}});
  ASSERT_TRUE(next) << "the length was right, so the connection goes on: " << client.last_error();
  EXPECT_EQ(next->body, bytes.substr(1, 3));
}

TEST(static_mode, head_says_what_get_would) {
  TemporaryFolder files;
  files.write("root/small.html", "<p>");
  files.write("root/large.mp4", pattern(1'000'000));
  files.write("root/unknown", "\x89PNG\x0D\x0A\x1A\x0A");
  WatchdogProcess watchdog(static_site(files));
  for (const char* target : {"/small.html", "/large.mp4", "/unknown", "/absent"}) {
    const HttpAnswer head = request(watchdog.port(), "HEAD", target), whole = get(watchdog, target);
    EXPECT_EQ(head.status, whole.status);
    EXPECT_EQ(head.body, "");
    for (const char* name : {"Content-Type", "Content-Length", "ETag", "Last-Modified", "Accept-Ranges"})
      EXPECT_EQ(head.header(name), whole.header(name)) << target;
  }
}

TEST(static_mode, compressed_copies_go_to_those_who_accept_them) {
  TemporaryFolder files;
  files.write("root/app.js", "plain");
  files.write("root/app.js.gz", pattern(100'000, 1));
  files.write("root/app.js.br", pattern(90'000, 2));
  WatchdogProcess watchdog(static_site(files));
  const std::pair<const char*, const char*> cases[] = {
      {"gzip, deflate, br", "br"}, {"gzip", "gzip"}, {"br;q=0.5, gzip", "gzip"}, {"identity", ""}, {"*;q=0", ""}};
  for (const auto& [accept, coding] : cases) {
    const HttpAnswer answer = get(watchdog, "/app.js", {{"Accept-Encoding", accept}});
    const std::string expected = *coding == 'b' ? pattern(90'000, 2) : *coding == 'g' ? pattern(100'000, 1) : "plain";
    EXPECT_TRUE(answer.body == expected) << accept;
    EXPECT_EQ(answer.header("Content-Encoding").value_or(""), coding) << accept;
    EXPECT_EQ(answer.header("Content-Type"), "text/javascript; charset=utf-8") << accept;
    EXPECT_EQ(answer.header("Vary"), "Accept-Encoding") << accept;
  }
}

TEST(static_mode, folders_are_listed_only_if_asked_for) {
  TemporaryFolder files;
  files.write("root/b.txt", "x");
  files.write("root/a<script>.txt", "x");
  files.write("root/folder/x", "x");
  files.write("root/.hidden", "x");
  files.link("root/to-out", "../../etc");
  {
    WatchdogProcess silent(static_site(files));
    EXPECT_EQ(get(silent, "/").status, 404);
    EXPECT_EQ(get(silent, "/folder/").status, 404);
  }
  WatchdogProcess listing(static_site(files, {{"static_listing", "true"}}));
  const HttpAnswer answer = get(listing, "/");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(answer.body,
            "<!doctype html>\n<meta charset=\"utf-8\">\n<pre>\n"
            "<a href=\"a%3Cscript%3E.txt\">a&lt;script&gt;.txt</a>\n<a href=\"b.txt\">b.txt</a>\n"
            "<a href=\"folder/\">folder/</a>\n</pre>\n");
}

TEST(static_mode, a_folder_that_cannot_be_served_ends_the_start) {
  TemporaryFolder files;
  files.write("file", "x");
  for (const char* name : {"absent", "file"}) {
    WatchdogOptions options = static_site(files, {{"static_path", files / name}});
    options.expect_ready = false;
    WatchdogProcess watchdog(options);
    const auto code = watchdog.wait_exit(milliseconds(20'000));
    EXPECT_TRUE(code && *code != 0) << watchdog.log();
    EXPECT_TRUE(watchdog.wait_for_line("static_path=" + (files / name) + ": ")) << watchdog.log();
  }
}

}  // namespace
}  // namespace fwd::test
