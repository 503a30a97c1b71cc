#include "watchdog/process/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fwd {
namespace {

using Words = std::vector<std::string>;

struct Good {
  std::string_view text;
  Words words;
};

const Good kGood[] = {
    {"cat", {"cat"}},
    {"python3 index.py", {"python3", "index.py"}},
    {"  python3 \t  index.py\n", {"python3", "index.py"}},
    {"env A=b cat", {"env", "A=b", "cat"}},
    {"sh -c 'echo \"hi\" $HOME \\n'", {"sh", "-c", "echo \"hi\" $HOME \\n"}},
    {R"(sh -c "echo \"hi\" \$HOME \\ \n 'x'")", {"sh", "-c", R"(echo "hi" $HOME \ \n 'x')"}},
    {R"(my\ program a\'b)", {"my program", "a'b"}},
    {R"(a'b c'"d e"f)", {"ab cd ef"}},
    {R"(a "" '' b)", {"a", "", "", "b"}},
    {"a \\\n b\\\nc", {"a", "bc"}},
    {"a \"b\\\nc\"", {"a", "bc"}},
    {"a | b > c; d && e", {"a", "|", "b", ">", "c;", "d", "&&", "e"}},
    {"caf\xC3\xA9 \xFF", {"caf\xC3\xA9", "\xFF"}},
    {R"(["cat"])", {"cat"}},
    {R"( [ "python3" , "my file.py","" ] )", {"python3", "my file.py", ""}},
    {R"(["a","\"\\\/\b\f\n\r\t"])", {"a", "\"\\/\b\f\n\r\t"}},
    {R"(["\u0041\u00e9\u20AC\ud83d\ude00"])", {"A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"}},
    {R"(["a]","[,"])", {"a]", "[,"}},
};

constexpr std::string_view kBad[] = {
    "",
    "   ",
    "'",
    "\"",
    "a 'b",
    "a \"b",
    "a \"b\\",
    "a\\",
    "\"\"",
    "'' a",
    "[",
    "[]",
    "[ ]",
    "[\"a\"",
    "[\"a\",]",
    "[\"a\" \"b\"]",
    "[a]",
    "[1]",
    "[[\"a\"]]",
    "[\"a\"] b",
    "[\"a]",
    "[\"\"]",
    "[\"\\q\"]",
    "[\"\\u12\"]",
    "[\"\\u12g4\"]",
    "[\"a\nb\"]",
    "[\"\\ud83d\"]",
    "[\"\\ude00\"]",
    "[\"\\ud83dx\"]",
    "[\"\\ud83d\\u0041\"]",
    "[\"a\\u0000b\"]",
    "[\"\\",
};

TEST(SplitCommand, reads_quotes_as_a_shell_and_json_arrays) {
  for (const Good& good : kGood) {
    const auto words = split_command(good.text);
    ASSERT_TRUE(words) << good.text;
    EXPECT_EQ(*words, good.words) << good.text;
  }
}

TEST(SplitCommand, refuses_what_is_not_complete) {
  for (const std::string_view text : kBad) {
    const auto words = split_command(text);
    ASSERT_FALSE(words) << text;
    EXPECT_EQ(words.error(), Errc::invalid_value) << text;
  }
}

TEST(SplitCommand, refuses_a_nul) {
  using namespace std::string_view_literals;
  EXPECT_FALSE(split_command("a b\0c"sv));
}

TEST(SplitCommand, reads_every_beginning_of_a_text_without_harm) {
  for (const Good& good : kGood)
    for (std::size_t size = 0; size < good.text.size(); ++size) (void)split_command(good.text.substr(0, size));
}

}  // namespace
}  // namespace fwd
