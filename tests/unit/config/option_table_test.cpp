#include "watchdog/config/option_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "watchdog/config/options.hpp"

namespace fwd {
namespace {

using testing::HasSubstr;

TEST(OptionTable, default_texts_are_the_defaults_of_the_members) {
  // Their default is a sentence, or a value of its own.
  const std::set<std::string_view> kDependent = {"keepalive_timeout", "max_connections",      "duration_header",
                                                 "metrics_port",      "healthcheck_interval", "shutdown_timeout"};
  Config config;
  for (const Option& option : option_table()) {
    if (option.fallback.empty() || kDependent.contains(option.name)) continue;
    EXPECT_EQ(option.read(config, option.fallback).problem, "") << option.name;
    EXPECT_TRUE(config == Config{}) << option.name;
  }
}

TEST(OptionTable, the_order_is_that_of_groups) {
  Group last = Group::function;
  for (const Option& option : option_table()) {
    EXPECT_GE(option.group, last) << option.name;
    last = option.group;
  }
  EXPECT_EQ(option_table().front().name, "mode");
}

TEST(OptionTable, help_and_readme_name_every_option) {
  const std::string help = help_text();
  const std::string table = readme_table();
  for (const Option& option : option_table()) {
    EXPECT_THAT(help, HasSubstr("--" + std::string(option.name) + " "));
    EXPECT_THAT(table, HasSubstr("| `" + std::string(option.name) + "`"));
    EXPECT_FALSE(option.help.empty()) << option.name;
    EXPECT_EQ(option.help.find('|'), std::string_view::npos) << option.name;  // a column's end in Markdown
    EXPECT_NE(option.help.back(), '.') << option.name;
    EXPECT_EQ(option.help.find(". "), std::string_view::npos) << option.name;  // one sentence
  }
}

TEST(OptionTable, help_and_readme_have_every_group_once) {
  const std::string help = help_text();
  const std::string table = readme_table();
  for (int number = 0; number <= static_cast<int>(Group::log); ++number) {
    const std::string title(to_string(static_cast<Group>(number)));
    const std::string line = "\n" + title + ":\n";
    const std::string row = "\n| **" + title + "** |";
    ASSERT_NE(help.find(line), std::string::npos) << title;
    ASSERT_NE(table.find(row), std::string::npos) << title;
    EXPECT_EQ(help.find(line), help.rfind(line));
    EXPECT_EQ(table.find(row), table.rfind(row));
  }
}

TEST(OptionTable, lines_of_help_fit_a_terminal) {
  const std::string help = help_text();
  for (std::size_t start = 0; start < help.size();) {
    const std::size_t end = help.find('\n', start);
    ASSERT_NE(end, std::string::npos);
    EXPECT_LE(end - start, 110u) << help.substr(start, end - start);
    start = end + 1;
  }
}

}  // namespace
}  // namespace fwd
