// Reads the options, builds every object from the leaves up, runs, and turns the outcome into an exit code.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <optional>

#include "modes/afterburn.hpp"
#include "modes/function_runtime.hpp"
#include "watchdog/base/log.hpp"
#include "watchdog/config/options.hpp"
#include "watchdog/function_metrics.hpp"
#include "watchdog/process/command.hpp"
#include "watchdog/process/usable_cores.hpp"
#include "watchdog/server/dispatcher.hpp"
#include "watchdog/server/metrics_server.hpp"
#include "watchdog/server/shutdown.hpp"

namespace fwd {
namespace {

enum ExitCode { kDrained = 0, kCut = 1, kUsage = 64, kNoFunction = 69, kOwnBug = 70, kNoListener = 71 };

constexpr std::string_view kResponseFd = "FWATCHDOG_RESPONSE_FD";
constexpr std::string_view kPythonEncoding = "PYTHONIOENCODING";

/// Descriptors 0 to 2 are open, so that no pipe or socket of ours is ever taken for one of them.
void keep_standard_descriptors() {
  int fd = 0;
  while (fd >= 0 && fd <= STDERR_FILENO) fd = ::open("/dev/null", O_RDWR);
  if (fd >= 0) (void)::close(fd);
}

/// All is said and done: another signal must not end us before the log is written and our code is returned.
void hold_signals() {
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGINT);
  (void)::pthread_sigmask(SIG_BLOCK, &ending, nullptr);
}

std::vector<std::string> child_environment(const Environment& environment, const Config& config, LengthUnit unit) {
  std::vector<std::string> entries;
  const bool counts_characters = unit == LengthUnit::codepoints;
  for (const auto& [name, value] : environment) {
    const bool ours = name == kResponseFd || (counts_characters && name == kPythonEncoding);
    if (!ours) entries.push_back(name + "=" + value);
  }
  if (config.response_fd != 0) entries.push_back(std::string(kResponseFd) + "=" + std::to_string(config.response_fd));
  if (counts_characters) entries.push_back(std::string(kPythonEncoding) + "=utf-8:surrogateescape");
  return entries;
}

LengthUnit choose_unit(const Config& config, const std::vector<std::string>& argv) {
  switch (config.afterburn_units) {
    case AfterburnUnits::bytes: return LengthUnit::bytes;
    case AfterburnUnits::codepoints: return LengthUnit::codepoints;
    case AfterburnUnits::utf16: return LengthUnit::utf16;
    case AfterburnUnits::automatic: break;
  }
  return config.is_old_image() ? old_template_unit(argv) : LengthUnit::bytes;
}

AfterburnOptions afterburn_options(const Config& config, const Environment& environment,
                                   std::vector<std::string> argv) {
  AfterburnOptions options;
  options.unit = choose_unit(config, argv);
  options.duration_header = config.duration_header;
  options.methods = config.afterburn_methods;
  options.spool = {.memory_bytes = config.body_memory_bytes, .directory = config.lock_directory};
  options.pool.command.environment = child_environment(environment, config, options.unit);
  options.pool.command.argv = std::move(argv);
  options.pool.command.response_channel = config.response_fd != 0;
  options.pool.workers = config.afterburn_workers.value_or(usable_cores());
  options.pool.max_queue = config.max_queue;
  options.pool.max_queue_wait = config.max_queue_wait;
  options.pool.exec_timeout = config.exec_timeout;
  options.pool.replace_on_stray = config.afterburn_stray == StrayOutput::replace;
  return options;
}

SessionOptions session_options(const Config& config) {
  SessionOptions options;
  options.keepalive_timeout = config.keepalive_timeout;
  options.limits.read_timeout = config.read_timeout;
  options.limits.write_timeout = config.write_timeout;
  options.limits.exec_timeout = config.exec_timeout;
  options.limits.max_body_bytes = config.max_body_bytes;
  options.limits.head.head_bytes = config.max_head_bytes;
  return options;
}

std::string joined(const std::vector<std::string>& words, std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < words.size(); ++i) {
    if (i != from) text += ' ';
    append_escaped(text, words[i]);
  }
  return text;
}

/// Every object of a running watchdog, from the leaves up: what is declared later may use what is declared before.
class Instance {
 public:
  Instance(const Config& config, Log& log, AfterburnOptions options)
      : config_(config), log_(log), mode_(watch_, reaper_, log, function_log_options(config), std::move(options)) {}

  /// Opens the ports, starts the function, writes the lock.
  /// Returns the exit code if one of these fails, after a line that says which.
  std::optional<ExitCode> open(const std::string& command);

  /// Serves until it is told to end.
  ExitCode run();

 private:
  static FunctionLogOptions function_log_options(const Config& config) {
    return {.prefix = config.prefix_logs, .line_bytes = config.log_buffer_bytes};
  }
  std::optional<ExitCode> open_metrics();
  std::optional<ExitCode> write_lock();
  void say_start(const std::string& command);

  const Config& config_;
  Log& log_;
  asio::io_context context_{1};
  OverdueWatch watch_{context_.get_executor()};
  Reaper reaper_{context_.get_executor()};
  Afterburn mode_;
  LockFile lock_{lock_path(config_.lock_directory)};
  Health health_{mode_, lock_, log_};
  Gate gate_{config_.max_inflight};
  RequestMetrics metrics_;
  AccessLog access_log_{log_, config_.log_callid};
  Dispatcher dispatcher_{mode_, health_, gate_, metrics_, access_log_, log_};
  MetricsPage page_{metrics_, log_, [this](std::string& out) { append_function_metrics(mode_.pool(), log_, out); }};
  Sessions sessions_{watch_, dispatcher_, session_options(config_)};
  Listener listener_{watch_, log_, sessions_, config_.max_connections};
  MetricsServer metrics_server_{watch_, log_, page_};
  Shutdown shutdown_{watch_,    log_,      health_, lock_, listener_, sessions_, gate_, mode_,
                     {.interval = config_.healthcheck_interval, .timeout = config_.shutdown_timeout}};
};

std::optional<ExitCode> Instance::open(const std::string& command) {
  if (const Error error = listener_.open(config_.port)) {
    log_.say("Error ListenAndServe: listen tcp :" + std::to_string(config_.port) + ": bind: " + error.message());
    return kNoListener;
  }
  if (const Error error = mode_.start()) {
    log_.say("Error: cannot start \"" + command + "\": " + error.message());
    return kNoFunction;
  }
  say_start(command);
  if (const auto failed = open_metrics()) return failed;
  log_.say("Timeouts: read: " + to_go_string(config_.read_timeout) + " write: " + to_go_string(config_.write_timeout) +
           " hard: " + to_go_string(config_.exec_timeout) + " health: " + to_go_string(config_.healthcheck_interval));
  listener_.start();
  log_.say("Listening on port: " + std::to_string(listener_.port()));
  const auto failed = write_lock();
  if (!failed) health_.open();
  return failed;
}

void Instance::say_start(const std::string& command) {
  log_.say("Started logging: stderr from function.");
  if (config_.response_fd != 0) log_.say("Started logging: stdout from function.");
  log_.say("Watchdog mode: " + std::string(to_string(config_.mode)) + "\tfprocess: \"" + command + "\"");
}

std::optional<ExitCode> Instance::open_metrics() {
  if (config_.metrics_port && *config_.metrics_port == listener_.port()) {
    dispatcher_.share(page_);
    return std::nullopt;
  }
  const Error error = metrics_server_.open(config_.metrics_port, listener_.port());
  if (!error) return std::nullopt;
  log_.say("Error: metrics_port=" + std::to_string(*config_.metrics_port) + ": " + error.message());
  return kNoListener;
}

std::optional<ExitCode> Instance::write_lock() {
  if (config_.suppress_lock) {
    log_.say("Warning: \"suppress_lock\" is enabled. No automated health-checks will be in place for your function.");
    return std::nullopt;
  }
  log_.say("Writing lock-file to: " + lock_.path());
  if (const Error error = lock_.create()) {
    log_.say("Cannot write " + lock_.path() + ". To disable lock-file set env suppress_lock=true. Error: " +
             error.message());
    return kNoListener;
  }
  if (!lock_.owned()) log_.say("Another watchdog on this machine owns " + lock_.path() + ": left to it");
  return std::nullopt;
}

ExitCode Instance::run() {
  bool drained = false;
  auto until_the_end = [this, &drained]() -> Task<void> {
    drained = co_await shutdown_.run();
    context_.stop();
  };
  start(context_.get_executor(), until_the_end());
  context_.run();
  hold_signals();
  metrics_server_.end();
  context_.restart();
  context_.poll();  // sessions that were cut end here, before what they use
  return drained ? kDrained : kCut;
}

ExitCode serve(const Invocation& invocation, const Environment& environment, std::vector<std::string> argv, Log& log) {
  log.say("Forking: " + argv.front() + ", arguments: [" + joined(argv, 1) + "]");
  const std::string command = joined(argv, 0);
  const Config& config = invocation.config;
  Instance instance(config, log, afterburn_options(config, environment, std::move(argv)));
  if (const auto failed = instance.open(command)) return *failed;
  return instance.run();
}

void write_text(FILE* stream, const std::string& text) { std::fwrite(text.data(), 1, text.size(), stream); }

int run_healthcheck(const Config& config) {
  struct stat found;
  if (::stat(lock_path(config.lock_directory).c_str(), &found) == 0) return kDrained;
  write_text(stderr, "unable to find lock file.\n");
  return 1;
}

int usage_error(const std::string& text) {
  write_text(stderr, "fwatchdog: " + text + "\n");
  return kUsage;
}

int run(std::span<const char* const> arguments) {
  keep_standard_descriptors();
  (void)std::signal(SIGPIPE, SIG_IGN);  // a pipe whose reader has gone is an error of one request, not our end
  (void)std::signal(SIGHUP, SIG_IGN);
  const Environment environment = split_environment(environ);
  auto read = read_options(arguments, environment);
  if (const auto* error = std::get_if<OptionError>(&read)) return usage_error(error->text);
  const Invocation& invocation = std::get<Invocation>(read);

  using Action = Invocation::Action;
  if (invocation.action == Action::help) {
    write_text(stdout, help_text());
    return kDrained;
  }
  Log log(STDERR_FILENO, STDOUT_FILENO);
  log.say("Version: " FWD_VERSION "\tSHA: " FWD_COMMIT);
  if (invocation.action == Action::version) return kDrained;
  if (invocation.action == Action::healthcheck) return run_healthcheck(invocation.config);

  for (const std::string& warning : invocation.warnings) log.say("Warning: " + warning);
  if (invocation.config.mode != ModeName::afterburn)
    return usage_error("mode=" + std::string(to_string(invocation.config.mode)) + ": not built yet");
  std::vector<std::string> argv = invocation.function_argv;
  if (argv.empty()) {
    const auto words = split_command(invocation.config.fprocess);
    if (!words) return usage_error("fprocess=" + invocation.config.fprocess + ": cannot be split into words");
    argv = *words;
  }
  return serve(invocation, environment, std::move(argv), log);
}

}  // namespace
}  // namespace fwd

int main(int argc, char** argv) {
  try {
    return fwd::run({argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "fwatchdog: internal error: %s\n", failure.what());
    return fwd::kOwnBug;
  }
}
