// Reads the options, builds every object from the leaves up, runs, and turns the outcome into an exit code.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <csignal>
#include <cstdio>
#include <optional>

#include "watchdog/base/log.hpp"
#include "watchdog/config/option_values.hpp"
#include "watchdog/config/options.hpp"
#include "watchdog/make_mode.hpp"
#include "watchdog/process/command.hpp"
#include "watchdog/server/dispatcher.hpp"
#include "watchdog/server/function_metrics.hpp"
#include "watchdog/server/metrics_server.hpp"
#include "watchdog/server/shutdown.hpp"
#include "watchdog/server_options.hpp"

namespace fwd {
namespace {

/// How long the lock file waits for a function that starts slowly: less than what Kubernetes' probes of OpenFaaS allow.
constexpr nanoseconds kStartPatience = seconds(5);

using Words = std::vector<std::string>;

enum ExitCode { kDrained = 0, kCut = 1, kUsage = 64, kNoFunction = 69, kOwnBug = 70, kNoListener = 71 };

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

std::string joined(const std::vector<std::string>& words, std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < words.size(); ++i) {
    if (i != from) text += ' ';
    append_escaped(text, words[i]);
  }
  return text;
}

/// `address already in use`: Go's texts begin with a small letter.
std::string reason_as_go(const Error& error) {
  std::string text = error.message();
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

/// Every object of a running watchdog, from the leaves up: what is declared later may use what is declared before.
class Instance {
 public:
  Instance(const Config& config, const Environment& environment, std::vector<std::string> argv, Log& log)
      : config_(config),
        log_(log),
        command_(joined(argv, 0)),
        mode_(make_mode({.config = config,
                         .environment = environment,
                         .argv = std::move(argv),
                         .watch = watch_,
                         .reaper = reaper_,
                         .log = log,
                         .on_exit = [this](int code) { function_ended(code); }})) {}

  /// Opens the ports, starts the function, writes the lock.
  /// Returns the exit code if one of these fails, after a line that says which.
  std::optional<ExitCode> open();

  /// Serves until it is told to end. Returns our exit code, or the function's where that ended us.
  int run();

 private:
  DispatcherOptions dispatcher_options();
  void append_metrics(std::string& out) const;
  std::optional<ExitCode> start_function();
  std::optional<ExitCode> open_metrics();
  std::optional<ExitCode> write_lock();
  Task<void> open_health();
  void function_ended(int code);
  void say_start();

  const Config& config_;
  Log& log_;
  std::string command_;  // of the function, for the log
  asio::io_context context_{1};
  OverdueWatch watch_{context_.get_executor()};
  Reaper reaper_{context_.get_executor()};
  std::unique_ptr<Mode> mode_;
  LockFile lock_{lock_path(config_.lock_directory)};
  Health health_{*mode_, lock_, log_};
  Gate gate_{config_.max_inflight};
  RequestMetrics metrics_;
  AccessLog access_log_{log_, access_log_options(config_)};
  Dispatcher dispatcher_{*mode_, health_, gate_, metrics_, access_log_, log_, dispatcher_options()};
  MetricsPage page_{metrics_, log_, [this](std::string& out) { append_metrics(out); }, config_.metrics_path};
  Sessions sessions_{watch_, dispatcher_, session_options(config_)};
  Listener listener_{watch_, log_, sessions_, config_.max_connections};
  MetricsServer metrics_server_{watch_, log_, page_};
  Shutdown shutdown_{watch_,    log_,      health_, lock_, listener_, sessions_, gate_, *mode_,
                     {.interval = config_.healthcheck_interval, .timeout = config_.shutdown_timeout}};
  int exit_code_ = kDrained;
  std::optional<int> function_code_;  // of the function, if its end was ours
};

DispatcherOptions Instance::dispatcher_options() {
  DispatcherOptions options{.ready_path = config_.ready_path};
  options.duration_header = config_.duration_header && config_.mode != ModeName::classic;  // there after success alone
  if (config_.one_shot) options.after_one = [this] { shutdown_.begin("one_shot: no new connections"); };
  return options;
}

void Instance::append_metrics(std::string& out) const {
  append_function_metrics(mode_->stats(), log_, out);
  append_instance_metrics({.version = FWD_VERSION, .commit = FWD_COMMIT, .connections = sessions_.count()}, out);
}

std::optional<ExitCode> Instance::open() {
  if (const Error error = listener_.open(config_.bind_address, config_.port)) {
    log_.say("Error ListenAndServe: listen tcp " + config_.bind_address + ":" + std::to_string(config_.port) +
             ": bind: " + reason_as_go(error));
    return kNoListener;
  }
  if (const auto failed = start_function()) return failed;
  say_start();
  if (const auto failed = open_metrics()) return failed;
  log_.say("Timeouts: read: " + to_go_string(config_.read_timeout) + " write: " + to_go_string(config_.write_timeout) +
           " hard: " + to_go_string(config_.exec_timeout) + " health: " + to_go_string(config_.healthcheck_interval) +
           (config_.mode == ModeName::classic ? "." : ""));  // as classic-watchdog's line ends
  listener_.start();
  log_.say("Listening on port: " + std::to_string(listener_.port()));
  start(context_.get_executor(), open_health());
  return std::nullopt;
}

std::optional<ExitCode> Instance::start_function() {
  const Error error = mode_->start();
  if (!error) return std::nullopt;
  const std::string reason = mode_->start_error();
  log_.say("Error: " + (reason.empty() ? "cannot start \"" + command_ + "\": " + error.message() : reason));
  return error == Errc::invalid_value ? kUsage : kNoFunction;
}

/// Old health checks take the lock file, and health, for the word that requests can be sent: so both wait until the
/// function takes them. Not for ever: whoever restarts what is not healthy must not end a function that starts slowly.
Task<void> Instance::open_health() {
  co_await mode_->callable(Clock::now() + kStartPatience);
  if (shutdown_.begun()) co_return;
  if (const auto failed = write_lock()) {
    exit_code_ = *failed;
    context_.stop();
    co_return;
  }
  health_.open();
  co_await mode_->callable(kNever);
  health_.function_is_up();
}

void Instance::function_ended(int code) {
  function_code_ = code;
  shutdown_.begin("Exiting with the function: exit code " + std::to_string(code));
}

void Instance::say_start() {
  const bool long_lived = config_.mode == ModeName::afterburn || config_.mode == ModeName::http;
  if (long_lived) log_.say("Started logging: stderr from function.");
  if (config_.mode == ModeName::http || config_.response_fd != 0)
    log_.say("Started logging: stdout from function.");
  const std::string& files = config_.static_archive.empty() ? config_.static_path : config_.static_archive;
  if (config_.mode == ModeName::static_files) log_.say("Serving files at: " + joined({files}, 0));
  if (config_.mode == ModeName::classic) return;  // classic-watchdog has no other modes to tell of
  log_.say("Watchdog mode: " + std::string(to_string(config_.mode)) + "\tfprocess: \"" + command_ + "\"");
}

std::optional<ExitCode> Instance::open_metrics() {
  if (config_.metrics_port && *config_.metrics_port == listener_.port()) {
    dispatcher_.share(page_);
    return std::nullopt;
  }
  const Error error = metrics_server_.open(config_.metrics_port, listener_.port(), config_.bind_address);
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
             reason_as_go(error));
    return kNoListener;
  }
  if (!lock_.owned()) log_.say("Another watchdog on this machine owns " + lock_.path() + ": left to it");
  return std::nullopt;
}

int Instance::run() {
  auto until_the_end = [this]() -> Task<void> {
    const bool drained = co_await shutdown_.run();
    exit_code_ = function_code_.value_or(drained ? kDrained : kCut);
    context_.stop();
  };
  start(context_.get_executor(), until_the_end());
  context_.run();
  hold_signals();
  metrics_server_.end();
  context_.restart();
  context_.poll();  // sessions that were cut end here, before what they use
  return exit_code_;
}

int serve(const Config& config, const Environment& environment, std::vector<std::string> argv, Log& log) {
  if (config.mode == ModeName::afterburn || config.mode == ModeName::http)
    log.say("Forking: " + argv.front() + ", arguments: [" + joined(argv, 1) + "]");
  Instance instance(config, environment, std::move(argv), log);
  if (const auto failed = instance.open()) return *failed;
  return instance.run();
}

void write_text(FILE* stream, const std::string& text) { std::fwrite(text.data(), 1, text.size(), stream); }

int run_healthcheck(const Config& config, Log& log) {
  struct stat found;
  if (::stat(lock_path(config.lock_directory).c_str(), &found) == 0) return kDrained;
  log.relay_bare(FunctionStream::standard_error, "unable to find lock file.");
  return 1;
}

int usage_error(const std::string& text) {
  write_text(stderr, "fwatchdog: " + text + "\n");
  return kUsage;
}

/// The function's command in words; none where there is no function or nothing is to be served.
std::variant<Words, OptionError> function_words(const Invocation& invocation) {
  if (invocation.action != Invocation::Action::serve) return Words{};
  const Config& config = invocation.config;
  Words words = invocation.function_argv;
  if (words.empty() && config.mode != ModeName::static_files) {
    auto split = split_command(config.fprocess);
    if (!split) return OptionError{"fprocess=" + in_quotes(config.fprocess) + ": cannot be split into words"};
    words = std::move(*split);
  }
  if (const auto problem = find_mode_problem(config, words)) return OptionError{*problem};
  return words;
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
  auto words = function_words(invocation);
  if (const auto* error = std::get_if<OptionError>(&words)) return usage_error(error->text);
  Log log(STDERR_FILENO, STDOUT_FILENO, invocation.config.log_format);
  log.say("Version: " FWD_VERSION "\tSHA: " FWD_COMMIT);
  if (invocation.action == Action::version) return kDrained;
  if (invocation.action == Action::healthcheck) return run_healthcheck(invocation.config, log);

  for (const std::string& warning : invocation.warnings) log.say("Warning: " + warning);
  return serve(invocation.config, environment, std::move(std::get<Words>(words)), log);
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
