#include "watchdog/config/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fwd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Action = Invocation::Action;
using Arguments = std::vector<const char*>;

CommandLine good(const Arguments& arguments) {
  auto parsed = parse_command_line(arguments);
  const auto* error = std::get_if<OptionError>(&parsed);
  EXPECT_EQ(error, nullptr) << error->text;
  return error == nullptr ? std::get<CommandLine>(parsed) : CommandLine{};
}

std::string error_of(const Arguments& arguments) {
  const auto parsed = parse_command_line(arguments);
  const auto* error = std::get_if<OptionError>(&parsed);
  return error == nullptr ? "none" : error->text;
}

/// `name=value` of every flag.
std::vector<std::string> flags_of(const CommandLine& line) {
  std::vector<std::string> texts;
  for (const Assignment& one : line.flags) texts.push_back(std::string(one.option->name) + "=" + one.text);
  return texts;
}

TEST(CommandLine, reads_every_form_of_a_flag) {
  for (const Arguments& arguments :
       {Arguments{"--exec_timeout", "5s"}, Arguments{"--exec_timeout=5s"}, Arguments{"-exec_timeout", "5s"},
        Arguments{"-exec_timeout=5s"}, Arguments{"--exec-timeout", "5s"}, Arguments{"-exec-timeout=5s"}})
    EXPECT_THAT(flags_of(good(arguments)), ElementsAre("exec_timeout=5s"));
  EXPECT_EQ(good({"--exec-timeout=5s"}).flags[0].spelling, "--exec-timeout");
  EXPECT_THAT(flags_of(good({"--fprocess", "env A=b cat"})), ElementsAre("function_process=env A=b cat"));
  EXPECT_THAT(flags_of(good({"--fprocess=env A=b cat"})), ElementsAre("function_process=env A=b cat"));
  EXPECT_THAT(flags_of(good({"--max-inflight", "-1"})), ElementsAre("max_inflight=-1"));
}

TEST(CommandLine, a_boolean_may_stand_alone) {
  EXPECT_THAT(flags_of(good({"--suppress-lock"})), ElementsAre("suppress_lock=true"));
  EXPECT_THAT(flags_of(good({"--suppress-lock=no"})), ElementsAre("suppress_lock=no"));
  EXPECT_THAT(flags_of(good({"--suppress-lock", "off", "--port=0"})), ElementsAre("suppress_lock=off", "port=0"));
  EXPECT_THAT(flags_of(good({"--suppress-lock", "--port", "0"})), ElementsAre("suppress_lock=true", "port=0"));
  const CommandLine last = good({"--suppress-lock", "--", "true"});
  EXPECT_THAT(flags_of(last), ElementsAre("suppress_lock=true"));
  EXPECT_THAT(last.function_argv, ElementsAre("true"));
}

TEST(CommandLine, empty_values_are_unset) {
  EXPECT_THAT(good({"--port=", "--mode", ""}).flags, IsEmpty());
}

TEST(CommandLine, what_follows_two_dashes_is_the_function) {
  const CommandLine line = good({"--port", "0", "--", "python3", "index.py", "--port", "-version", "--", ""});
  EXPECT_THAT(flags_of(line), ElementsAre("port=0"));
  EXPECT_THAT(line.function_argv, ElementsAre("python3", "index.py", "--port", "-version", "--", ""));
  EXPECT_EQ(line.action, Action::serve);
  EXPECT_THAT(good({"--"}).function_argv, IsEmpty());
}

TEST(CommandLine, actions_are_read_with_one_dash_or_two) {
  for (const auto* text : {"-version", "--version", "--version=true"}) EXPECT_EQ(good({text}).action, Action::version);
  for (const auto* text : {"-run-healthcheck", "--run-healthcheck", "--run_healthcheck"})
    EXPECT_EQ(good({text}).action, Action::healthcheck);
  for (const auto* text : {"-h", "--help", "-help", "--h"}) EXPECT_EQ(good({text}).action, Action::help);
  EXPECT_EQ(good({"-version=false"}).action, Action::serve);
  EXPECT_EQ(good({"-version", "-run-healthcheck"}).action, Action::version);
  EXPECT_EQ(good({"-h", "-version"}).action, Action::help);
  EXPECT_EQ(error_of({"-version=maybe"}), "--version=\"maybe\": not a boolean");
}

TEST(CommandLine, lone_words_are_ignored_with_a_warning) {
  const CommandLine line = good({"healthcheck", "-", "--port", "0"});
  EXPECT_THAT(flags_of(line), ElementsAre("port=0"));
  EXPECT_THAT(line.warnings,
              ElementsAre("\"healthcheck\" is ignored: it is no option; the function's command goes after --",
                          "\"-\" is ignored: it is no option; the function's command goes after --"));
}

TEST(CommandLine, unknown_flags_are_named_with_the_nearest) {
  EXPECT_EQ(error_of({"--prot", "80"}), "unknown flag \"--prot\"; did you mean --port?");
  EXPECT_EQ(error_of({"-exec-timout=3"}), "unknown flag \"--exec-timout\"; did you mean --exec_timeout?");
  EXPECT_EQ(error_of({"--zzzzzzzz"}), "unknown flag \"--zzzzzzzz\"; --help lists them");
  EXPECT_EQ(error_of({"--kafka=true"}), "unknown flag \"--kafka\"; --help lists them");
  EXPECT_EQ(error_of({"---port"}), "unknown flag \"---port\"; did you mean --port?");
  EXPECT_EQ(error_of({"--=1"}), "unknown flag \"--\"; --help lists them");
}

TEST(CommandLine, a_flag_without_its_value_is_named) {
  EXPECT_EQ(error_of({"--port"}), "--port needs a value");
  EXPECT_EQ(error_of({"-fprocess", "--", "cat"}), "--fprocess needs a value");
}

}  // namespace
}  // namespace fwd
