#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/byte_server.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/watchdog_process.hpp"

/// What the tests of mode=http share.
namespace fwd::test {

using Variables = std::map<std::string, std::string>;

/// A watchdog in mode=http over tests/programs/http_function.py; `variables` override the defaults.
inline WatchdogOptions http_function(Variables variables = {}, std::vector<std::string> more = {}) {
  variables.try_emplace("mode", "http");
  variables.try_emplace("upstream_url", "http://127.0.0.1:{port}");
  const bool local = variables["upstream_url"].starts_with("unix:");
  std::vector<std::string> function{"python3", SOURCE_DIR "/tests/programs/http_function.py",
                                    local ? "{socket}" : "{port}"};
  function.insert(function.end(), more.begin(), more.end());
  return {.function = std::move(function), .environment = std::move(variables)};
}

/// A watchdog in front of `upstream`, whose own child does nothing. The upstream's first connection is the watchdog's
/// look whether it is there, so its first script is used up by that. An `upstream_url` in `variables` is a prefix.
inline WatchdogOptions in_front_of(const ByteServer& upstream, Variables variables = {}) {
  variables["mode"] = "http";
  variables["upstream_url"] = "http://127.0.0.1:" + std::to_string(upstream.port()) + variables["upstream_url"];
  return {.function = {PROBE_BINARY, "wait"}, .environment = std::move(variables)};
}

/// Scripts for in_front_of(): the first connection is closed by its client.
inline std::vector<Script> behind_the_look(std::vector<Script> scripts) {
  scripts.insert(scripts.begin(), Script{read_request()});
  return scripts;
}

/// An answer of the watchdog's own making.
inline void expect_own_answer(const HttpAnswer& answer, int status) {
  EXPECT_EQ(answer.status, status) << answer.body;
  EXPECT_EQ(answer.header("X-OpenFaaS-Internal"), "of-watchdog") << answer.raw_head;
}

/// Makes an empty file that a verb of http_function.py waits for.
inline void touch(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr) << path;
  std::fclose(file);
}

inline std::string path_in(const WatchdogProcess& watchdog, const std::string& name) {
  return (watchdog.folder() / name).string();
}

inline constexpr const char* kOkAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

}  // namespace fwd::test
