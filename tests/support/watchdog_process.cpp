#include "tests/support/watchdog_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <poll.h>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/http_client.hpp"

namespace fwd::test {

namespace {

constexpr std::string_view kListening = "Listening on port: ";

std::filesystem::path make_folder() {
  std::string path = (std::filesystem::temp_directory_path() / "fwatchdog-test-XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("mkdtemp: " + std::string(std::strerror(errno)));
  return path;
}

std::vector<std::string> environment_of(const WatchdogOptions& options, const std::filesystem::path& folder) {
  std::map<std::string, std::string> variables = options.environment;
  const char* path = std::getenv("PATH");
  variables.try_emplace("PATH", path == nullptr ? "/usr/bin:/bin" : path);
  variables.try_emplace("TMPDIR", folder.string());
  variables.try_emplace("metrics_port", "0");
  variables.try_emplace("port", "0");
  std::vector<std::string> list;
  for (const auto& [name, value] : variables) list.push_back(name + "=" + value);
  return list;
}

std::vector<std::string> arguments_of(const WatchdogOptions& options) {
  std::vector<std::string> arguments{FWATCHDOG_BINARY};
  arguments.insert(arguments.end(), options.flags.begin(), options.flags.end());
  if (!options.function.empty()) arguments.push_back("--");
  arguments.insert(arguments.end(), options.function.begin(), options.function.end());
  return arguments;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// A process as /proc tells it; the start time tells a process from a later one with the same pid.
struct ProcessRow {
  pid_t pid = 0;
  char state = '?';
  pid_t parent = 0;
  unsigned long long start_time = 0;
};

std::optional<ProcessRow> read_row(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');  // the name may hold blanks and brackets
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  ProcessRow row{.pid = pid};
  fields >> row.state >> row.parent;
  std::string skipped;
  for (int field = 5; field <= 21; ++field) fields >> skipped;  // field 22 is starttime, proc(5)
  fields >> row.start_time;
  return row;
}

std::vector<ProcessRow> children_of(pid_t parent) {
  std::vector<ProcessRow> rows;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc()) continue;
    const auto row = read_row(pid);
    if (row && row->parent == parent) rows.push_back(*row);
  }
  return rows;
}

}  // namespace

bool is_running(pid_t pid) {
  const auto row = read_row(pid);
  return row && row->state != 'Z';
}

WatchdogProcess::WatchdogProcess(WatchdogOptions options)
    : folder_(make_folder()), stop_event_(eventfd(0, EFD_CLOEXEC)) {
  try {
    spawn(options);
    if (options.expect_ready) wait_ready(options);
  } catch (...) {
    kill_all();
    throw;
  }
}

WatchdogProcess::~WatchdogProcess() {
  kill_all();
}

void WatchdogProcess::kill_all() {
  if (pid_ > 0 && !exit_code_) {
    signal(SIGKILL);
    (void)wait_exit(milliseconds(10'000));
  }
  for (const auto& [pid, start_time] : known_) {
    const auto row = read_row(pid);
    if (row && row->start_time == start_time) kill(pid, SIGKILL);
  }
  const std::uint64_t one = 1;
  (void)!write(stop_event_, &one, sizeof one);
  for (std::thread& collector : collectors_) collector.join();
  close(stop_event_);
  std::error_code ignored;  // a function may still write there
  std::filesystem::remove_all(folder_, ignored);
}

void WatchdogProcess::spawn(const WatchdogOptions& options) {
  std::array<int, 2> error_pipe{};
  std::array<int, 2> output_pipe{};
  if (pipe2(error_pipe.data(), O_CLOEXEC) != 0 || pipe2(output_pipe.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error("pipe2: " + std::string(std::strerror(errno)));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output_pipe[1], 1);
  posix_spawn_file_actions_adddup2(&actions, error_pipe[1], 2);
  std::vector<std::string> arguments = arguments_of(options);
  std::vector<std::string> environment = environment_of(options, folder_);
  const int error = posix_spawn(&pid_, FWATCHDOG_BINARY, &actions, nullptr, pointers_to(arguments).data(),
                                pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  close(error_pipe[1]);
  close(output_pipe[1]);
  collectors_.emplace_back(&WatchdogProcess::collect, this, error_pipe[0]);
  collectors_.emplace_back(&WatchdogProcess::collect, this, output_pipe[0]);
  if (error == 0) return;
  pid_ = -1;
  throw std::runtime_error(std::string(FWATCHDOG_BINARY) + ": " + std::strerror(error));
}

void WatchdogProcess::wait_ready(const WatchdogOptions& options) {
  if (!wait_for_line(kListening, options.budget)) throw std::runtime_error("fwatchdog does not listen:\n" + log());
  for (const std::string& line : lines()) {
    const std::size_t at = line.find(kListening);
    if (at != std::string::npos) port_ = static_cast<std::uint16_t>(std::stoul(line.substr(at + kListening.size())));
  }
  const bool ready = wait_until(
      [this] {
        const auto answer = try_request(port_, "GET", "/_/ready");
        return answer && answer->status == 200;
      },
      options.budget);
  if (!ready) throw std::runtime_error("fwatchdog is not ready:\n" + log());
}

void WatchdogProcess::collect(int descriptor) {
  std::string partial;
  std::array<char, 16 * 1024> buffer{};
  while (true) {
    std::array<pollfd, 2> polled{{{descriptor, POLLIN, 0}, {stop_event_, POLLIN, 0}}};
    if (poll(polled.data(), polled.size(), -1) < 0 && errno == EINTR) continue;
    if (polled[0].revents == 0) break;  // asked to stop, and nothing is left to read
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count <= 0) break;
    add_bytes(partial, {buffer.data(), static_cast<std::size_t>(count)});
  }
  if (!partial.empty()) add_bytes(partial, "\n");
  close(descriptor);
}

void WatchdogProcess::add_bytes(std::string& partial, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  partial += bytes;
  for (std::size_t end = partial.find('\n'); end != std::string::npos; end = partial.find('\n')) {
    lines_.push_back(partial.substr(0, end));
    partial.erase(0, end + 1);
  }
  grown_.notify_all();
}

void WatchdogProcess::signal(int number) {
  if (pid_ <= 0 || exit_code_) return;
  remember_children();
  kill(pid_, number);
}

void WatchdogProcess::remember_children() {
  for (const ProcessRow& row : children_of(pid_)) known_[row.pid] = row.start_time;
}

std::optional<int> WatchdogProcess::wait_exit(milliseconds budget) {
  const auto reap = [this] {
    int status = 0;
    if (exit_code_ || waitpid(pid_, &status, WNOHANG) != pid_) return exit_code_.has_value();
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
  };
  wait_until(reap, budget);
  return exit_code_;
}

std::vector<pid_t> WatchdogProcess::children() const {
  std::vector<pid_t> pids;
  for (const ProcessRow& row : children_of(pid_)) {
    if (row.state != 'Z') pids.push_back(row.pid);
  }
  std::sort(pids.begin(), pids.end());
  return pids;
}

std::vector<std::string> WatchdogProcess::lines() const {
  const std::lock_guard lock(mutex_);
  return lines_;
}

std::string WatchdogProcess::log() const {
  std::string text;
  for (const std::string& line : lines()) text += line + "\n";
  return text;
}

bool WatchdogProcess::wait_for_line(std::string_view part, milliseconds budget) const {
  std::unique_lock lock(mutex_);
  const auto seen = [this, part] {
    return std::any_of(lines_.begin(), lines_.end(),
                       [part](const std::string& line) { return line.find(part) != std::string::npos; });
  };
  return grown_.wait_for(lock, budget, seen);
}

std::size_t WatchdogProcess::count_lines(std::string_view part) const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::count_if(
      lines_.begin(), lines_.end(), [part](const std::string& line) { return line.find(part) != std::string::npos; }));
}

}  // namespace fwd::test
