// Blocking pipe ping-pong with a child program: one request written, one answer read, again. It is the price of the
// pipe, the wake-ups and the function itself; an afterburn watchdog cannot be faster than this.
//
//   pingpong --cores one|two|free [--seconds S] -- PROGRAM [ARGUMENT...]
//
// one: parent and child share a core; two: each has its own; free: the scheduler decides. Prints one line of name=value
// pairs. The request is a POST with 5 header lines and a body of 146 bytes, 283 bytes in all.
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <string>
#include <string_view>
#include <strings.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace {

using Clock = std::chrono::steady_clock;

constexpr long kWarmUpTrips = 200;       // interpreters compile and fill their caches
constexpr long kTripsPerClockLook = 64;  // so that the clock costs nothing
constexpr std::size_t kAnswerBytes = 64 * 1024;

struct Options {
  std::string cores = "free";
  double seconds = 1;
  char** program = nullptr;
};

struct Child {
  pid_t pid = -1;
  int input = -1;   // its stdin, our writing end
  int output = -1;  // its stdout, our reading end
};

[[noreturn]] void fail(const char* what, int error = errno) {
  std::fprintf(stderr, "pingpong: %s: %s\n", what, std::strerror(error));
  std::exit(71);
}

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--") {
      options.program = argv + i + 1;
      break;
    }
    if (name == "--cores") options.cores = argv[i + 1];
    if (name == "--seconds") options.seconds = std::atof(argv[i + 1]);
  }
  const bool cores_known = options.cores == "one" || options.cores == "two" || options.cores == "free";
  if (options.program == nullptr || !cores_known || options.seconds <= 0 || options.seconds > 60) {
    std::fputs("usage: pingpong --cores one|two|free [--seconds S] -- PROGRAM [ARGUMENT...]\n", stderr);
    std::exit(64);
  }
  return options;
}

std::vector<std::size_t> allowed_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) fail("sched_getaffinity");
  std::vector<std::size_t> cores;
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

void pin_self(std::size_t core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) fail("sched_setaffinity");
}

Child spawn(char** program) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0) fail("pipe2");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  Child child{.pid = -1, .input = in[1], .output = out[0]};
  const int error = posix_spawnp(&child.pid, program[0], &actions, nullptr, program, environ);
  if (error != 0) fail(program[0], error);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  return child;
}

/// Starts the child where the option puts it, and then goes to its own place.
Child spawn_placed(const Options& options) {
  const std::vector<std::size_t> cores = allowed_cores();
  if (options.cores == "free") return spawn(options.program);
  if (options.cores == "two" && cores.size() < 2) fail("two cores wanted, one allowed", 0);
  pin_self(cores.back());
  const Child child = spawn(options.program);
  pin_self(options.cores == "one" ? cores.back() : cores.front());
  return child;
}

std::string make_request() {
  std::string request =
      "POST /function HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: pingpong\r\nContent-Length: 146\r\n"
      "Accept: */*\r\nContent-Type: text/plain\r\n\r\n";
  return request + std::string(146, 'x');
}

void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0) fail("the function reads no more");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Length of the whole answer that starts `bytes`; 0 while its head is not complete.
std::size_t answer_length(std::string_view bytes) {
  constexpr std::string_view kName = "\ncontent-length:";
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) return 0;
  for (std::size_t at = bytes.find('\n'); at < end; at = bytes.find('\n', at + 1)) {
    if (strncasecmp(bytes.data() + at, kName.data(), kName.size()) == 0)
      return end + 4 + std::strtoul(bytes.data() + at + kName.size(), nullptr, 10);
  }
  fail("an answer without Content-Length", 0);
}

void read_answer(int fd, std::array<char, kAnswerBytes>& buffer) {
  std::size_t used = 0;
  std::size_t length = 0;
  while (length == 0 || used < length) {
    const ssize_t got = read(fd, buffer.data() + used, buffer.size() - used);
    if (got <= 0) fail("the function has ended, or its answer is longer than 64 KiB", 0);
    used += static_cast<std::size_t>(got);
    if (length == 0) length = answer_length({buffer.data(), used});
  }
  if (used != length) fail("bytes after the answer", 0);
}

double own_cpu_us() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto us = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
  };
  return us(usage.ru_utime) + us(usage.ru_stime);
}

/// CPU of all threads of `pid`; the first figure of schedstat is nanoseconds on a core.
double cpu_us_of(pid_t pid) {
  double total_ns = 0;
  for (const auto& thread : std::filesystem::directory_iterator{"/proc/" + std::to_string(pid) + "/task"}) {
    double ns = 0;
    std::ifstream{thread.path() / "schedstat"} >> ns;
    total_ns += ns;
  }
  return total_ns / 1000;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  signal(SIGPIPE, SIG_IGN);
  const Child child = spawn_placed(options);
  const std::string request = make_request();
  static std::array<char, kAnswerBytes> buffer;
  const auto trip = [&child, &request] {
    write_all(child.input, request);
    read_answer(child.output, buffer);
  };
  for (long i = 0; i < kWarmUpTrips; ++i) trip();

  const double parent_before = own_cpu_us();
  const double child_before = cpu_us_of(child.pid);
  const auto start = Clock::now();
  double seconds = 0;
  long trips = 0;
  while (seconds < options.seconds) {
    for (long i = 0; i < kTripsPerClockLook; ++i) trip();
    trips += kTripsPerClockLook;
    seconds = std::chrono::duration<double>(Clock::now() - start).count();
  }
  const auto count = static_cast<double>(trips);
  std::printf("rps=%.1f parent_us=%.3f child_us=%.3f trips=%ld\n", count / seconds,
              (own_cpu_us() - parent_before) / count, (cpu_us_of(child.pid) - child_before) / count, trips);
  kill(child.pid, SIGKILL);  // many functions spin at the end of stdin
  waitpid(child.pid, nullptr, 0);
}
