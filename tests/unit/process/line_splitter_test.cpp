#include "watchdog/process/line_splitter.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fwd {
namespace {

using Lines = std::vector<std::string>;

Lines split(std::string_view text, std::size_t limit, std::size_t piece) {
  Lines lines;
  LineSplitter splitter(limit, [&](std::string_view line) { lines.emplace_back(line); });
  for (std::size_t at = 0; at < text.size(); at += piece) splitter.feed(text.substr(at, piece));
  splitter.end();
  return lines;
}

TEST(LineSplitter, lines_are_the_same_however_the_stream_is_cut) {
  struct Row {
    const char* text;
    Lines lines;
  };
  const Row rows[] = {{"", {}},
                      {"a\n", {"a"}},
                      {"a", {"a"}},
                      {"\n\n", {"", ""}},
                      {"one\r\ntwo\nlast", {"one", "two", "last"}},
                      {"123456789", {"12345", "6789"}},
                      {"12345\n6", {"12345", "6"}}, {"12345\n\n6", {"12345", "", "6"}}};
  for (const Row& row : rows)
    for (std::size_t piece = 1; piece <= 10; ++piece) EXPECT_EQ(split(row.text, 5, piece), row.lines) << row.text << piece;
}

}  // namespace
}  // namespace fwd
