#include "modes/mime_types.hpp"

#include <gtest/gtest.h>

namespace fwd {
namespace {

TEST(mime_types, go_by_the_last_extension) {
  struct Case {
    std::string_view name;
    std::string_view type;
  };
  const Case cases[] = {
      {"index.html", "text/html; charset=utf-8"},
      {"a/b/INDEX.HTM", "text/html; charset=utf-8"},
      {"app.min.js", "text/javascript; charset=utf-8"},
      {"m.mjs", "text/javascript; charset=utf-8"},
      {"style.css", "text/css; charset=utf-8"},
      {"feed.xml", "text/xml; charset=utf-8"},
      {"data.json", "application/json"},
      {"logo.svg", "image/svg+xml"},
      {"p.png", "image/png"},
      {"p.jpeg", "image/jpeg"},
      {"v.mp4", "video/mp4"},
      {"m.wasm", "application/wasm"},
      {"site.webmanifest", "application/manifest+json"},  // the longest
      {"a.7z", "application/x-7z-compressed"},            // the first row but one
      {"a.zst", "application/zstd"},                      // the last row
      {"app.js.gz", "application/gzip"},

      {"", ""},
      {".", ""},
      {"a.", ""},
      {"README", ""},
      {"html", ""},
      {"a.html/", ""},
      {"a.html/b", ""},
      {"a.unknown", ""},
      {"a.htmlhtmlhtmlhtmlhtmlhtml", ""},
      {"a.\xc3\xa4", ""},
  };
  for (const Case& each : cases) EXPECT_EQ(mime_type_of(each.name).type, each.type) << each.name;
}

TEST(mime_types, what_is_compressed_already_needs_no_compressed_copy) {
  for (const char* name : {"a.html", "a.js", "a.css", "a.json", "a.svg", "a.wasm", "a.txt", "a.xml", "a.ico", "a.ttf"})
    EXPECT_TRUE(mime_type_of(name).compressible) << name;
  for (const char* name : {"a.png", "a.jpg", "a.mp4", "a.zip", "a.gz", "a.br", "a.woff2", "a.pdf", "a", "a.unknown"})
    EXPECT_FALSE(mime_type_of(name).compressible) << name;
}

}  // namespace
}  // namespace fwd
