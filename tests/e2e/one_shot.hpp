#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "tests/support/fifo.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/watchdog_process.hpp"

/// What the tests of the modes share that start one process for each request.
namespace fwd::test {

using Variables = std::map<std::string, std::string>;

inline WatchdogOptions one_shot(const std::string& mode, std::vector<std::string> function, Variables variables = {}) {
  variables["mode"] = mode;
  return {.function = std::move(function), .environment = std::move(variables)};
}

inline WatchdogOptions shell(const std::string& mode, const std::string& script, Variables variables = {}) {
  return one_shot(mode, {"sh", "-c", script}, std::move(variables));
}

inline bool full_length() {
  const char* full = std::getenv("FWD_FULL");
  return full != nullptr && *full != '\0';
}

/// Bytes that differ from seed to seed and hold every value.
inline std::string random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(engine());
  return bytes;
}

/// A request in chunks of random sizes, some of them tiny.
inline std::string render_chunked(std::string_view target, std::string_view body, unsigned seed) {
  std::mt19937 engine(seed);
  std::string text = "POST " + std::string(target) + " HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  while (!body.empty()) {
    const std::size_t most = engine() % 4 == 0 ? 100 : 70'000;
    const std::size_t size = std::min<std::size_t>(body.size(), 1 + engine() % most);
    char head[24];
    std::snprintf(head, sizeof head, "%zx\r\n", size);
    text.append(head).append(body.substr(0, size)).append("\r\n");
    body.remove_prefix(size);
  }
  return text + "0\r\n\r\n";
}

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The process number that a function has written into `path`, once it is there.
inline pid_t wait_for_pid(const std::string& path) {
  std::string text;
  EXPECT_TRUE(wait_until([&] {
    text = read_file(path);
    return text.ends_with('\n');
  })) << path;
  return std::atoi(text.c_str());
}

/// Neither a process nor a zombie is left of all that `watchdog` has started.
inline void expect_no_process_left(const WatchdogProcess& watchdog) {
  std::string left;
  EXPECT_TRUE(wait_until([&] {
    const std::string pid = std::to_string(watchdog.pid());
    left = read_file("/proc/" + pid + "/task/" + pid + "/children");
    return left.empty();
  })) << left;
}

/// An answer of our own making, with exactly this text.
inline void expect_own_text(const HttpAnswer& answer, int status, std::string_view text) {
  EXPECT_EQ(answer.status, status) << answer.body;
  EXPECT_EQ(answer.body, text);
  EXPECT_EQ(answer.header("X-OpenFaaS-Internal"), "of-watchdog") << answer.raw_head;
}

}  // namespace fwd::test
