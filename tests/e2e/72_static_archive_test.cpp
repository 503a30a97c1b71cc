// Static mode out of a tar archive.

#include <gtest/gtest.h>
#include <string>

#include "tests/e2e/static_site.hpp"
#include "tests/support/tar_writer.hpp"

namespace fwd::test {
namespace {

WatchdogOptions archive_site(const TemporaryFolder& files, const std::string& archive, Variables variables = {}) {
  files.write("site.tar", archive);
  variables["static_archive"] = files / "site.tar";
  return static_site(files, std::move(variables));
}

TEST(static_archive, serves_like_a_folder) {
  TarWriter tar;
  tar.add({.name = "./", .type = '5'}).file("./index.html", "<p>root").file("./sub/index.html", "<p>sub");
  tar.file("./app.js", "plain").file("./app.js.gz", "gzipped").file("./.hidden", "x").link("./link.txt", "real/f.txt");
  tar.file("./real/f.txt", "real").link("./out", "../../etc/passwd").link("./hard.txt", "./real/f.txt", '1');
  TemporaryFolder files;
  WatchdogProcess watchdog(archive_site(files, tar.finished()));
  struct Case {
    const char* target;
    int status;
    const char* body;
  };
  const char* const kNotFound = "404 page not found\n";
  const Case cases[] = {
      {"/", 200, "<p>root"},
      {"/sub/", 200, "<p>sub"},
      {"/sub", 301, ""},
      {"/index.html", 301, ""},
      {"/app.js", 200, "plain"},
      {"/link.txt", 200, "real"},
      {"/hard.txt", 200, "real"},
      {"/real/", 404, kNotFound},
      {"/.hidden", 404, kNotFound},
      {"/out", 404, kNotFound},
      {"/absent", 404, kNotFound},
      {"/app.js/", 404, kNotFound},
      {"/../site.tar", 404, kNotFound},
      {"/real/f.txt", 200, "real"},
  };
  for (const Case& each : cases) {
    const HttpAnswer answer = get(watchdog, each.target);
    EXPECT_EQ(answer.status, each.status) << each.target;
    EXPECT_EQ(answer.body, each.body) << each.target;
  }
  const HttpAnswer coded = get(watchdog, "/app.js", {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(coded.body, "gzipped");
  EXPECT_EQ(coded.header("Content-Encoding"), "gzip");
  const HttpAnswer plain = get(watchdog, "/app.js");
  EXPECT_EQ(plain.header("Last-Modified"), "Thu, 01 Jan 1970 00:00:15 GMT");
  const Fields known{{"If-None-Match", plain.header("ETag").value_or("")}};
  EXPECT_EQ(get(watchdog, "/app.js", known).status, 304);
}

TEST(static_archive, no_range_reaches_into_a_neighbour) {
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{511}, std::size_t{512}, std::size_t{513}, std::size_t{200'000}}) {
    const std::string bytes = pattern(size, 7);
    const std::string last = std::to_string(size - 1), total = std::to_string(size);
    TemporaryFolder files;
    TarWriter tar;
    tar.file("before.bin", std::string(700, 'B')).file("f.bin", bytes).file("after.bin", std::string(700, 'A'));
    WatchdogProcess watchdog(archive_site(files, tar.finished()));
    const std::string whole = "bytes 0-" + last + "/" + total, end = "bytes " + last + "-" + last + "/" + total;
    struct Case {
      std::string range;
      std::string content_range;
      std::string body;
    };
    const Case cases[] = {
        {"bytes=0-0", "bytes 0-0/" + total, bytes.substr(0, 1)},
        {"bytes=" + last + "-" + last, end, bytes.substr(size - 1)},
        {"bytes=" + last + "-999999", end, bytes.substr(size - 1)},
        {"bytes=" + last + "-", end, bytes.substr(size - 1)},
        {"bytes=-1", end, bytes.substr(size - 1)},
        {"bytes=-999999", whole, bytes},
        {"bytes=0-999999", whole, bytes},
    };
    for (const Case& each : cases) {
      const HttpAnswer answer = get(watchdog, "/f.bin", {{"Range", each.range}});
      EXPECT_EQ(answer.status, 206) << each.range << " of " << size;
      EXPECT_EQ(answer.header("Content-Range"), each.content_range);
      EXPECT_TRUE(answer.body == each.body) << each.range << " of " << size;
    }
    const HttpAnswer behind = get(watchdog, "/f.bin", {{"Range", "bytes=" + total + "-"}});
    EXPECT_EQ(behind.status, 416);
    EXPECT_EQ(behind.header("Content-Range"), "bytes */" + total);
    EXPECT_TRUE(get(watchdog, "/f.bin").body == bytes);
  }
}

TEST(static_archive, one_that_is_malformed_or_cut_off_ends_the_start) {
  TarWriter tar;
  tar.file("a", "x").file("b", std::string(5'000, 'b'));
  std::string flipped = tar.finished();
  flipped[1024 + 3] = 'x';
  const std::pair<std::string, std::string> cases[] = {
      {"", "at byte 0: the archive has no end mark: it is cut off"},
      {std::string(3'000, 'z'), "at byte 0: this is no header of an uncompressed tar: its checksum is wrong"},
      {flipped, "at byte 1024: this is no header of an uncompressed tar: its checksum is wrong"},
      {tar.unfinished().substr(0, 4'000), "at byte 1024: \"b\" is longer than the archive: it is cut off"},
      {tar.unfinished(), "the archive has no end mark: it is cut off"},
  };
  for (const auto& [archive, reason] : cases) {
    TemporaryFolder files;
    WatchdogOptions options = archive_site(files, archive);
    options.expect_ready = false;
    WatchdogProcess watchdog(options);
    EXPECT_EQ(watchdog.wait_exit(milliseconds(20'000)), 64) << watchdog.log();
    EXPECT_TRUE(watchdog.wait_for_line("static_archive=" + (files / "site.tar") + ": ")) << watchdog.log();
    EXPECT_EQ(watchdog.count_lines(reason), 1U) << watchdog.log();
  }
}

TEST(static_archive, one_that_is_replaced_meanwhile_is_served_to_the_end) {
  TemporaryFolder files;
  WatchdogProcess watchdog(archive_site(files, TarWriter().file("f.txt", "old").finished()));
  files.write("new.tar", TarWriter().file("f.txt", "the new one").finished());
  std::filesystem::rename(files / "new.tar", files / "site.tar");
  EXPECT_EQ(get(watchdog, "/f.txt").body, "old");
}

}  // namespace
}  // namespace fwd::test
