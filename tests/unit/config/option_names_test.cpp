#include <gtest/gtest.h>
#include <set>
#include <string>

#include "watchdog/config/option_table.hpp"

namespace fwd {
namespace {

TEST(OptionNames, every_spelling_finds_its_row_once) {
  std::set<std::string_view> spellings;
  for (const Option& option : option_table()) {
    EXPECT_TRUE(spellings.insert(option.name).second) << option.name;
    EXPECT_EQ(find_option(option.name), &option);
    if (option.also.empty()) continue;
    EXPECT_TRUE(spellings.insert(option.also).second) << option.also;
    EXPECT_EQ(find_option(option.also), &option);
  }
  EXPECT_EQ(find_option("exec-timeout"), find_option("exec_timeout"));
  EXPECT_EQ(find_option(""), nullptr);
  EXPECT_EQ(find_option("Port"), nullptr);
}

TEST(OptionNames, nearest_name_is_close_or_none) {
  EXPECT_EQ(nearest_option("prot"), "port");
  EXPECT_EQ(nearest_option("exec-timout"), "exec_timeout");
  EXPECT_EQ(nearest_option("fproces"), "fprocess");
  EXPECT_EQ(nearest_option("max_inflite"), "max_inflight");
  EXPECT_EQ(nearest_option("zzzzzz"), "");
  EXPECT_EQ(nearest_option(""), "");
  EXPECT_EQ(nearest_option(std::string(100'000, 'a')), "");
}

TEST(OptionNames, groups_of_modes_have_effect_in_these_alone) {
  struct Row {
    Group group;
    std::set<ModeName> modes;
  };
  const Row kRows[] = {
      {Group::per_request, {ModeName::streaming, ModeName::serializing, ModeName::classic}},
      {Group::classic, {ModeName::classic}},
      {Group::http, {ModeName::http}},
      {Group::afterburn, {ModeName::afterburn}},
      {Group::static_files, {ModeName::static_files}},
  };
  constexpr ModeName kModes[] = {ModeName::streaming,    ModeName::serializing, ModeName::http,
                                 ModeName::static_files, ModeName::afterburn,   ModeName::classic};
  for (const ModeName mode : kModes) {
    for (const Row& row : kRows)
      EXPECT_EQ(has_effect(row.group, mode), row.modes.contains(mode)) << to_string(row.group) << to_string(mode);
    for (const Group group : {Group::function, Group::workers, Group::listener, Group::end, Group::metrics, Group::log})
      EXPECT_TRUE(has_effect(group, mode)) << to_string(group) << to_string(mode);
  }
}

}  // namespace
}  // namespace fwd
