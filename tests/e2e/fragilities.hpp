#pragma once

#include <algorithm>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "tests/support/fifo.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/watchdog_process.hpp"

/// What the tests of the fragilities of the old runner share.
namespace fwd::test {

using Variables = std::map<std::string, std::string>;

inline std::string compat_program(const std::string& name) {
  return BINARY_DIR "/bin/compat/" + name;
}
inline std::string compat_script(const std::string& name) {
  return SOURCE_DIR "/tests/compat/" + name;
}

/// One worker of the misbehaving function; `variables` override the defaults.
inline WatchdogOptions misbehave(Variables variables = {}, const std::string& flag = "") {
  variables.try_emplace("mode", "afterburn");
  variables.try_emplace("afterburn_workers", "1");
  std::vector<std::string> function{compat_program("misbehave")};
  if (!flag.empty()) function.push_back(flag);
  return {.function = std::move(function), .environment = std::move(variables)};
}

/// One worker of an old program, started as an old image does.
inline WatchdogOptions old_function(const std::string& fprocess, Variables variables = {}) {
  variables["fast_fork"] = "1";
  variables["fprocess"] = fprocess;
  return {.environment = std::move(variables)};
}

inline HttpAnswer post(const WatchdogProcess& watchdog, std::string_view target, std::string_view body = "hello",
                       const Fields& fields = {}) {
  return request(watchdog.port(), "POST", target, body, fields);
}

/// An answer of the watchdog's own making: status, marker, and one line of text.
inline void expect_own_error(const HttpAnswer& answer, int status) {
  EXPECT_EQ(answer.status, status) << answer.body;
  EXPECT_EQ(answer.header("X-OpenFaaS-Internal"), "of-watchdog") << answer.raw_head;
  EXPECT_EQ(answer.body.find('\n') + 1, answer.body.size()) << answer.body;
}

/// The next client gets the right answer, whatever happened before.
inline void expect_echo(const WatchdogProcess& watchdog, std::string_view body = "the next client's body") {
  const HttpAnswer answer = post(watchdog, "/echo", body);
  EXPECT_EQ(answer.status, 200) << answer.body << "\n" << watchdog.log();
  EXPECT_EQ(answer.body, body);
}

/// Waits until one worker stands in for each of `before`, and none of those is left.
inline void expect_replaced(const WatchdogProcess& watchdog, const std::vector<pid_t>& before) {
  const auto fresh = [&before](const std::vector<pid_t>& now) {
    for (const pid_t pid : now) {
      if (std::find(before.begin(), before.end(), pid) != before.end()) return false;
    }
    return now.size() == before.size();
  };
  const std::vector<pid_t> now = watchdog.wait_children(fresh);
  EXPECT_TRUE(fresh(now)) << watchdog.log();
}

inline void expect_kept(const WatchdogProcess& watchdog, const std::vector<pid_t>& before) {
  EXPECT_EQ(watchdog.children(), before) << watchdog.log();
}

/// A fifo that a verb of misbehave waits for.
class Gate : public Fifo {
 public:
  explicit Gate(const WatchdogProcess& watchdog) : Fifo((watchdog.folder() / "gate").string()) {}
};

}  // namespace fwd::test
