#include "watchdog/config/option_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <tuple>

#include "watchdog/config/options.hpp"

namespace fwd {
namespace {

using testing::HasSubstr;

auto members(const Config& c) {
  return std::tie(c.mode, c.fprocess, c.exec_timeout, c.content_type, c.port, c.read_timeout, c.write_timeout,
                  c.max_inflight, c.max_head_bytes, c.max_body_bytes, c.body_memory_bytes, c.afterburn, c.fast_fork,
                  c.afterburn_workers, c.afterburn_units, c.afterburn_stray, c.afterburn_methods, c.max_queue,
                  c.max_queue_wait, c.response_fd, c.suppress_lock, c.prefix_logs, c.log_buffer_bytes, c.log_callid);
}

TEST(OptionTable, default_texts_are_the_defaults_of_the_members) {
  // Their default is a sentence, or a value of its own.
  const std::set<std::string_view> kDependent = {"keepalive_timeout", "max_connections",      "duration_header",
                                                 "metrics_port",      "healthcheck_interval", "shutdown_timeout"};
  Config config;
  for (const Option& option : option_table()) {
    if (option.fallback.empty() || kDependent.contains(option.name)) continue;
    EXPECT_EQ(option.read(config, option.fallback).problem, "") << option.name;
  }
  EXPECT_EQ(members(config), members(Config{}));
}

TEST(OptionTable, every_spelling_finds_its_row_once) {
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

TEST(OptionTable, nearest_name_is_close_or_none) {
  EXPECT_EQ(nearest_option("prot"), "port");
  EXPECT_EQ(nearest_option("exec-timout"), "exec_timeout");
  EXPECT_EQ(nearest_option("fproces"), "fprocess");
  EXPECT_EQ(nearest_option("max_inflite"), "max_inflight");
  EXPECT_EQ(nearest_option("zzzzzz"), "");
  EXPECT_EQ(nearest_option(""), "");
  EXPECT_EQ(nearest_option(std::string(100'000, 'a')), "");
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
