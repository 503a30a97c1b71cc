#include "watchdog/config/config_file.hpp"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fwd {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::vector<FileEntry> good(const std::string& text) {
  const auto parsed = parse_config_file("a.yaml", text);
  const auto* error = std::get_if<OptionError>(&parsed);
  EXPECT_EQ(error, nullptr) << error->text;
  return error == nullptr ? std::get<0>(parsed) : std::vector<FileEntry>{};
}

std::string error_of(const std::string& text) {
  const auto parsed = parse_config_file("a.yaml", text);
  const auto* error = std::get_if<OptionError>(&parsed);
  return error == nullptr ? "none" : error->text;
}

TEST(ConfigFile, gives_texts_as_written_and_lines) {
  const auto entries =
      good("# settings\nport: 8081\n\nfprocess: 'python3 index.py'\nexec_timeout: 010\nmode:\nlog: ~\n");
  ASSERT_EQ(entries.size(), 5u);
  EXPECT_EQ(entries[0].key, "port");
  EXPECT_EQ(entries[0].value, "8081");
  EXPECT_EQ(entries[0].line, 2u);
  EXPECT_EQ(entries[1].value, "python3 index.py");
  EXPECT_EQ(entries[1].line, 4u);
  EXPECT_EQ(entries[2].value, "010");
  EXPECT_EQ(entries[3].value, "");
  EXPECT_EQ(entries[4].value, "");
}

TEST(ConfigFile, may_be_empty) {
  for (const auto* text : {"", "\n", "# nothing\n", "---\n", "{}"}) EXPECT_TRUE(good(text).empty()) << text;
}

TEST(ConfigFile, errors_name_file_and_line) {
  EXPECT_THAT(error_of("- port\n"), StartsWith("a.yaml:1: "));
  EXPECT_THAT(error_of("port"), StartsWith("a.yaml:1: "));
  EXPECT_THAT(error_of("mode: http\nport: [1, 2]\n"), StartsWith("a.yaml:2: \"port\" must have a single value"));
  EXPECT_THAT(error_of("port:\n  a: 1\n"), StartsWith("a.yaml:1: "));
  EXPECT_THAT(error_of("port: 1\nmode: http\nport: 2\n"), StartsWith("a.yaml:3: \"port\" is given twice"));
  EXPECT_THAT(error_of("port: 1\n---\nport: 2\n"), StartsWith("a.yaml:3: "));
  EXPECT_THAT(error_of("port: 1\n\tmode: http\n"), StartsWith("a.yaml:2: "));
  EXPECT_THAT(error_of("[a, b]: 1\n"), StartsWith("a.yaml:1: "));
  EXPECT_THAT(error_of("port: *nothing\n"), StartsWith("a.yaml:1: "));
  EXPECT_THAT(error_of(std::string(20'000, '[')), StartsWith("a.yaml:1: "));
}

TEST(ConfigFile, that_cannot_be_read_is_named) {
  const auto missing = read_config_file("/nowhere/settings.yaml");
  EXPECT_EQ(std::get<OptionError>(missing).text,
            "config=\"/nowhere/settings.yaml\": cannot be read: No such file or directory");
  const auto folder = read_config_file("/");
  EXPECT_THAT(std::get<OptionError>(folder).text, HasSubstr("cannot be read: Is a directory"));
  const auto endless = read_config_file("/dev/zero");
  EXPECT_EQ(std::get<OptionError>(endless).text, "config=\"/dev/zero\": longer than 1 MiB");
}

TEST(ConfigFile, is_read_from_the_path) {
  const std::string path = testing::TempDir() + "fwd_config_file_test.yaml";
  std::ofstream(path) << "port: 1\n";
  const auto read = read_config_file(path);
  std::remove(path.c_str());
  ASSERT_TRUE(std::holds_alternative<std::vector<FileEntry>>(read));
  EXPECT_EQ(std::get<0>(read).at(0).value, "1");
}

}  // namespace
}  // namespace fwd
