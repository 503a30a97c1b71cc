#include "watchdog/base/log.hpp"

#include <csignal>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "watchdog/base/fd.hpp"

namespace fwd {
namespace {

constexpr auto kTime = "\"[0-9-]{10}T[0-9:]{8}[.][0-9]{3}Z\"";

std::string read_to_end(int fd) {
  std::string all;
  char bytes[4096];
  for (ssize_t count; (count = ::read(fd, bytes, sizeof bytes)) > 0;)
    all.append(bytes, static_cast<std::size_t>(count));
  return all;
}

struct Written {
  std::string error;
  std::string output;
};

/// What a log of this format writes to its two streams.
Written written(LogFormat format, const std::function<void(Log&)>& use) {
  auto error = *make_pipe();
  auto output = *make_pipe();
  {
    Log log(error.write_end.get(), output.write_end.get(), format);
    use(log);
  }
  error.write_end.reset();
  output.write_end.reset();
  return {read_to_end(error.read_end.get()), read_to_end(output.read_end.get())};
}

TEST(log, text_lines_are_those_of_old_and_know_no_call) {
  const Written got = written(LogFormat::text, [](Log& log) {
    log.say("Listening");
    log.relay(FunctionStream::standard_error, "oops", "call-1");
    log.relay(FunctionStream::standard_output, "hi");
    log.relay_bare(FunctionStream::standard_output, "bare");
  });
  EXPECT_THAT(got.error, testing::MatchesRegex("..../../.. ..:..:.. Listening\n..../../.. ..:..:.. stderr: oops\n"));
  EXPECT_THAT(got.output, testing::MatchesRegex("..../../.. ..:..:.. stdout: hi\nbare\n"));
}

TEST(log, json_lines_name_time_level_stream_and_call) {
  const Written got = written(LogFormat::json, [](Log& log) {
    log.say("Listening on \"8080\"");
    log.relay(FunctionStream::standard_error, "oops\x1b", "call-1");
    log.relay(FunctionStream::standard_output, "hi");
  });
  const std::string time = "[{]\"time\":" + std::string(kTime);
  EXPECT_THAT(got.error,
              testing::MatchesRegex(time + ",\"level\":\"info\",\"msg\":\"Listening on \\\\\"8080\\\\\"\"[}]\n" + time +
                                    ",\"stream\":\"stderr\",\"msg\":\"oops\\\\u001b\",\"call_id\":\"call-1\"[}]\n"));
  EXPECT_THAT(got.output, testing::MatchesRegex(time + ",\"stream\":\"stdout\",\"msg\":\"hi\"[}]\n"));
}

TEST(log, logfmt_has_the_same_names) {
  const Written got = written(LogFormat::logfmt, [](Log& log) {
    log.say("Listening");
    log.relay(FunctionStream::standard_error, "two words", "call-1");
  });
  EXPECT_THAT(got.error, testing::MatchesRegex("time=[^ ]+ level=info msg=Listening\n"
                                               "time=[^ ]+ stream=stderr msg=\"two words\" call_id=call-1\n"));
}

TEST(log, how_a_line_begins_tells_its_level) {
  struct Row {
    const char* text;
    const char* level;
  };
  constexpr Row kRows[] = {{"Warning: no metrics", "warn"},    {"Error ListenAndServe: x", "error"},
                           {"Internal error: x", "error"},     {"Cannot accept connections: x", "error"},
                           {"Listening; Error later", "info"}, {"", "info"}};
  for (const Row& row : kRows) {
    const Written got = written(LogFormat::logfmt, [&row](Log& log) { log.say(row.text); });
    EXPECT_NE(got.error.find(" level=" + std::string(row.level) + " msg="), std::string::npos) << got.error;
  }
}

TEST(log, bare_lines_are_the_functions_own_in_every_format) {
  for (const LogFormat format : {LogFormat::text, LogFormat::json, LogFormat::logfmt}) {
    const Written got = written(format, [](Log& log) { log.relay_bare(FunctionStream::standard_error, "{\"a\":1}"); });
    EXPECT_EQ(got.error, "{\"a\":1}\n");
  }
}

TEST(log, lost_lines_are_told_in_the_format_of_the_others) {
  auto error = *make_pipe();
  auto output = *make_pipe();
  std::string got;
  {
    Log log(error.write_end.get(), output.write_end.get(), LogFormat::json);
    const std::string text(1000, 'x');
    while (log.dropped() == 0) log.say(text);  // nobody reads: the pipe and then the queue are full
    std::string all;
    char bytes[65536];
    while (all.find("were dropped") == std::string::npos || all.back() != '\n') {
      const ssize_t count = ::read(error.read_end.get(), bytes, sizeof bytes);
      ASSERT_GT(count, 0);
      all.append(bytes, static_cast<std::size_t>(count));
    }
    const auto at = all.rfind('\n', all.find("were dropped")) + 1;
    got = all.substr(at, all.find('\n', at) - at);
  }
  EXPECT_THAT(got, testing::MatchesRegex("[{]\"time\":" + std::string(kTime) +
                                         ",\"level\":\"warn\",\"msg\":\"[0-9]+ log lines were dropped: .*\"[}]"));
}

}  // namespace
}  // namespace fwd
