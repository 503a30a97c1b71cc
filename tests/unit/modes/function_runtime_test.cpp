#include "modes/function_runtime.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace fwd {
namespace {

TEST(function_runtime, most_programs_are_known_by_their_name) {
  struct Row {
    std::vector<std::string> argv;
    LengthUnit unit;
  };
  const Row rows[] = {
      {{}, LengthUnit::bytes},
      {{""}, LengthUnit::bytes},
      {{"python3", "index.py"}, LengthUnit::codepoints},
      {{"python3.11", "index.py"}, LengthUnit::codepoints},
      {{"/usr/local/bin/python3"}, LengthUnit::codepoints},
      {{"pypy3"}, LengthUnit::codepoints},
      {{"python2", "index.py"}, LengthUnit::bytes},
      {{"python2.7"}, LengthUnit::bytes},
      {{"node", "index.js"}, LengthUnit::utf16},
      {{"/usr/bin/nodejs"}, LengthUnit::utf16},
      {{"java", "-jar", "x.jar"}, LengthUnit::utf16},
      {{"javac"}, LengthUnit::bytes},
      {{"nodemon"}, LengthUnit::bytes},
      {{"./handler"}, LengthUnit::bytes},
      {{"/opt/python3/handler"}, LengthUnit::bytes},
      {{"env", "python3"}, LengthUnit::bytes},
  };
  for (const Row& row : rows)
    EXPECT_EQ(old_template_unit(row.argv), row.unit) << (row.argv.empty() ? "(nothing)" : row.argv.front());
}

/// A program called `python` that says `script`.
LengthUnit unit_of_python(const std::string& script) {
  std::string folder = (std::filesystem::temp_directory_path() / "fwatchdog-python-XXXXXX").string();
  EXPECT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string program = folder + "/python";
  std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const LengthUnit unit = old_template_unit({program, "index.py"});
  std::filesystem::remove_all(folder);
  return unit;
}

TEST(function_runtime, a_plain_python_is_asked) {
  EXPECT_EQ(unit_of_python("echo 3"), LengthUnit::codepoints);
  EXPECT_EQ(unit_of_python("echo 2"), LengthUnit::bytes);
  EXPECT_EQ(unit_of_python("test \"$1\" = -c && echo 3"), LengthUnit::codepoints);
}

TEST(function_runtime, a_python_that_says_nothing_counts_bytes) {
  EXPECT_EQ(unit_of_python("exit 1"), LengthUnit::bytes);
  EXPECT_EQ(unit_of_python("echo 3 >&2"), LengthUnit::bytes);
  EXPECT_EQ(old_template_unit({"/nonexistent/python"}), LengthUnit::bytes);
}

}  // namespace
}  // namespace fwd
