#include "watchdog/http/length_units.hpp"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace fwd {
namespace {

using namespace std::string_view_literals;

struct Row {
  std::string_view bytes;
  std::uint64_t codepoints;  // len(bytes.decode("utf-8", "surrogateescape")), by CPython 3.11
  std::uint64_t utf16;
  bool inside;  // the decoder would wait for more
};

// Each count is CPython's; the inputs are every row of Unicode table 3-7 at its bounds, and what lies just outside.
constexpr Row kRows[] = {
    {"", 0, 0, false},
    {"abc", 3, 3, false},
    {"\0\x7F"sv, 2, 2, false},
    {"h\xC3\xA9llo\xE2\x82\xAC", 6, 6, false},
    {"\xF0\x9F\x98\x80", 1, 2, false},
    {"\xC2\x80\xDF\xBF", 2, 2, false},
    {"\xC1\xBF", 2, 2, false},                  // overlong
    {"\xE0\xA0\x80\xE0\x9F\xBF", 4, 4, false},  // shortest, overlong
    {"\xED\x9F\xBF\xED\xA0\x80", 4, 4, false},  // U+D7FF, a surrogate
    {"\xF0\x90\x80\x80\xF0\x8F\xBF\xBF", 5, 6, false},
    {"\xF4\x8F\xBF\xBF\xF4\x90\x80\x80", 5, 6, false},  // U+10FFFF, U+110000
    {"\xF5\x80\x80\x80\xFF", 5, 5, false},
    {"\x80\xBF", 2, 2, false},
    {"a\xE2\x82", 3, 3, true},
    {"\xE2\x82z", 3, 3, false},
    {"\xE2\x82\xE2\x82\xAC", 3, 3, false},
    {"\xF0\x9F\x98", 3, 3, true},
    {"\xF0\x9F\x98\xF0\x9F\x98\x80", 4, 5, false},
    {"\xC3", 1, 1, true},
    {"\xE0\x80", 2, 2, false},
    {"\xF4\x90", 2, 2, false},
    {"\xED\xA0", 2, 2, false},
};

/// All of `kRows`, in pairs too, so that sequences meet what breaks them. A pair that is cut inside its first half is
/// left out: its count is not the sum.
std::vector<Row> rows(std::vector<std::string>& texts) {
  std::vector<Row> all(std::begin(kRows), std::end(kRows));
  texts.reserve(std::size(kRows) * std::size(kRows));
  for (const auto& a : kRows) {
    for (const auto& b : kRows) {
      if (a.inside) continue;
      texts.push_back(std::string(a.bytes).append(b.bytes));
      all.push_back({texts.back(), a.codepoints + b.codepoints, a.utf16 + b.utf16, b.inside});
    }
  }
  return all;
}

TEST(UnitSum, counts_as_cpython_and_node_do) {
  std::vector<std::string> texts;
  for (const auto& row : rows(texts)) {
    UnitSum codepoints(LengthUnit::codepoints), utf16(LengthUnit::utf16), bytes(LengthUnit::bytes);
    for (auto* sum : {&codepoints, &utf16, &bytes}) sum->feed(row.bytes);
    EXPECT_EQ(codepoints.units(), row.codepoints) << testing::PrintToString(row.bytes);
    EXPECT_EQ(utf16.units(), row.utf16) << testing::PrintToString(row.bytes);
    EXPECT_EQ(bytes.units(), row.bytes.size());
    EXPECT_EQ(codepoints.ends_inside_sequence(), row.inside) << testing::PrintToString(row.bytes);
    EXPECT_FALSE(bytes.ends_inside_sequence());
  }
}

TEST(UnitSum, counts_the_same_wherever_the_bytes_are_cut) {
  std::vector<std::string> texts;
  for (const auto& row : rows(texts)) {
    UnitSum single(LengthUnit::utf16);
    for (std::size_t i = 0; i < row.bytes.size(); ++i) single.feed(row.bytes.substr(i, 1));
    EXPECT_EQ(single.units(), row.utf16);
    for (std::size_t cut = 0; cut <= row.bytes.size(); ++cut) {
      UnitSum sum(LengthUnit::codepoints);
      sum.feed(row.bytes.substr(0, cut));
      sum.feed(row.bytes.substr(cut));
      EXPECT_EQ(sum.units(), row.codepoints) << testing::PrintToString(row.bytes) << cut;
      EXPECT_EQ(sum.ends_inside_sequence(), row.inside);
    }
  }
}

TEST(UnitSum, long_ascii_is_counted_around_every_alignment) {
  for (std::size_t before = 0; before < 20; ++before) {
    UnitSum sum(LengthUnit::codepoints);
    sum.feed(std::string(before, 'a') + "\xC3\xA9" + std::string(37, 'b'));
    EXPECT_EQ(sum.units(), before + 38);
    sum.reset();
    EXPECT_EQ(sum.units(), 0U);
  }
}

TEST(UnitCounter, takes_the_bytes_of_so_many_units) {
  struct Case {
    LengthUnit unit;
    std::string_view bytes;
    std::uint64_t units;
    std::size_t taken;
    std::uint64_t left;
  };
  for (const Case& row :
       {Case{LengthUnit::bytes, "h\xC3\xA9", 2, 2, 0}, Case{LengthUnit::codepoints, "", 2, 0, 2},
        Case{LengthUnit::codepoints, "abc", 0, 0, 0}, Case{LengthUnit::codepoints, "abc", 2, 2, 0},
        Case{LengthUnit::codepoints, "h\xC3\xA9llo", 2, 3, 0},
        Case{LengthUnit::codepoints, "\xF0\x9F\x98\x80z", 1, 4, 0},
        Case{LengthUnit::utf16, "\xF0\x9F\x98\x80z", 2, 4, 0},
        Case{LengthUnit::utf16, "\xF0\x9F\x98\x80z", 1, 4, 0},  // never splits
        Case{LengthUnit::codepoints, "\xE2\x82z", 1, 1, 0},     // two lone bytes
        Case{LengthUnit::codepoints, "\xE2\x82z", 2, 2, 0}, Case{LengthUnit::codepoints, "\xFF\xFE", 1, 1, 0},
        Case{LengthUnit::codepoints, "ab\xC3", 9, 3, 7}, Case{LengthUnit::codepoints, "abcdefghijk", 9, 9, 0}}) {
    UnitCounter counter(row.unit);
    auto remaining = row.units;
    EXPECT_EQ(counter.take(row.bytes, remaining), row.taken) << testing::PrintToString(row.bytes);
    EXPECT_EQ(remaining, row.left) << testing::PrintToString(row.bytes);
  }
}

TEST(UnitCounter, a_cut_sequence_is_settled_by_the_next_call) {
  UnitCounter counter(LengthUnit::codepoints);
  std::uint64_t remaining = 2;
  EXPECT_EQ(counter.take("\xE2", remaining), 1U);
  EXPECT_EQ(remaining, 2U);
  EXPECT_TRUE(counter.inside_sequence());
  EXPECT_EQ(counter.take("\x82", remaining), 1U);
  EXPECT_EQ(counter.take("\xAC!?", remaining), 2U);  // the end of the euro, and one more
  EXPECT_EQ(remaining, 0U);
  EXPECT_FALSE(counter.inside_sequence());
}

TEST(UnitCounter, a_cut_sequence_that_breaks_counts_byte_by_byte) {
  UnitCounter counter(LengthUnit::codepoints);
  std::uint64_t remaining = 3;
  EXPECT_EQ(counter.take("\xE2\x82", remaining), 2U);
  EXPECT_EQ(counter.take("ab", remaining), 1U);
  EXPECT_EQ(remaining, 0U);
  remaining = 1;
  EXPECT_EQ(counter.take("\xF0\x9F", remaining), 2U);
  EXPECT_EQ(counter.take("ab", remaining), 0U);  // longer than what was left
  EXPECT_EQ(remaining, 0U);
}

TEST(UnitCounter, takes_the_same_bytes_wherever_they_are_cut_between_sequences) {
  const auto text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z"sv;
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    for (std::uint64_t units = 0; units <= 6; ++units) {
      UnitCounter whole(LengthUnit::utf16), halves(LengthUnit::utf16);
      auto left = units, left_of_halves = units;
      const auto taken = whole.take(text, left);
      auto taken_of_halves = halves.take(text.substr(0, cut), left_of_halves);
      if (taken_of_halves == cut) taken_of_halves += halves.take(text.substr(cut), left_of_halves);
      EXPECT_EQ(taken_of_halves, taken) << cut << ' ' << units;
      EXPECT_EQ(left_of_halves, left);
    }
  }
}

TEST(UnitCounter, whole_sequences_are_exact_wherever_the_bytes_are_cut) {
  const auto text = "a\xC3\xA9\xE2\x82\xD7\xE2\x82\xAC\xF0\x9F\x98\xF0\x9F\x98\x80z"sv;
  for (std::uint64_t units = 0; units <= 13; ++units) {
    const UnitCounter counter(LengthUnit::codepoints);
    auto left = units;
    const auto taken = counter.take_whole(text, left);
    EXPECT_EQ(left, units <= 11 ? 0 : units - 11);
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      auto left_of_parts = units;
      auto taken_of_parts = counter.take_whole(text.substr(0, cut), left_of_parts);
      taken_of_parts += counter.take_whole(text.substr(taken_of_parts), left_of_parts);
      EXPECT_EQ(taken_of_parts, taken) << units << ' ' << cut;
    }
  }
}

}  // namespace
}  // namespace fwd
