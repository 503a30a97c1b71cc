#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace fwd::test {

using std::chrono::milliseconds;

/// How to start fwatchdog for one test.
struct WatchdogOptions {
  std::vector<std::string> function = {};               ///< argv of the function, given behind "--"; empty: not given
  std::map<std::string, std::string> environment = {};  ///< all of it, but for PATH, TMPDIR and metrics_port=0
  std::vector<std::string> flags = {};                  ///< before the function's argv
  bool expect_ready = true;                             ///< false for a watchdog that is meant to end at start
  milliseconds budget{20'000};                          ///< until it is ready; a test that needs it has failed
};

/// The real fwatchdog on a free port, in a clean environment, with a TMPDIR of its own.
/// Errors: the constructor throws std::runtime_error, with the log so far, if it does not get ready in time.
/// The destructor kills it, and every child that it still has.
class WatchdogProcess {
 public:
  explicit WatchdogProcess(WatchdogOptions options);
  ~WatchdogProcess();
  WatchdogProcess(const WatchdogProcess&) = delete;
  WatchdogProcess& operator=(const WatchdogProcess&) = delete;

  std::uint16_t port() const { return port_; }
  pid_t pid() const { return pid_; }
  const std::filesystem::path& folder() const { return folder_; }

  void signal(int number);

  /// The exit code, 128 + n for signal n; nothing if it still runs after `budget`.
  std::optional<int> wait_exit(milliseconds budget);

  /// Its direct children that are no zombies, ascending.
  std::vector<pid_t> children() const;

  /// Waits until `accept` likes the children; gives them as they were last.
  template <class Accept>
  std::vector<pid_t> wait_children(Accept accept, milliseconds budget = milliseconds(10'000)) const;

  /// Every complete line of its stderr and stdout so far.
  std::vector<std::string> lines() const;
  std::string log() const;

  /// Waits for a line with `part` in it, one that was there before included. False after `budget`.
  bool wait_for_line(std::string_view part, milliseconds budget = milliseconds(10'000)) const;

  /// How many lines so far have `part` in them.
  std::size_t count_lines(std::string_view part) const;

 private:
  void spawn(const WatchdogOptions& options);
  void wait_ready(const WatchdogOptions& options);
  void collect(int descriptor);
  void add_bytes(std::string& partial, std::string_view bytes);
  void remember_children();
  void kill_all();

  std::filesystem::path folder_;
  pid_t pid_ = -1;
  std::optional<int> exit_code_;
  std::map<pid_t, unsigned long long> known_;  // children that may outlive it, with their start times
  std::uint16_t port_ = 0;
  int stop_event_ = -1;  // readable once the collectors are to end, even if somebody holds their pipes open
  std::vector<std::thread> collectors_;
  mutable std::mutex mutex_;
  mutable std::condition_variable grown_;
  std::vector<std::string> lines_;
};

/// True while the process `pid` is there and no zombie, whoever its parent is.
bool is_running(pid_t pid);

/// Calls `accept` again and again until it is true or `budget` is over; the last result.
template <class Accept>
bool wait_until(Accept accept, milliseconds budget = milliseconds(10'000)) {
  const auto end = std::chrono::steady_clock::now() + budget;
  bool accepted = accept();
  while (!accepted && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(milliseconds(2));
    accepted = accept();
  }
  return accepted;
}

template <class Accept>
std::vector<pid_t> WatchdogProcess::wait_children(Accept accept, milliseconds budget) const {
  std::vector<pid_t> found;
  wait_until(
      [&found, &accept, this] {
        found = children();
        return accept(found);
      },
      budget);
  return found;
}

}  // namespace fwd::test
