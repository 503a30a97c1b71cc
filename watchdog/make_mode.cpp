#include "watchdog/make_mode.hpp"

#include "modes/afterburn.hpp"
#include "modes/function_runtime.hpp"
#include "watchdog/process/usable_cores.hpp"

namespace fwd {
namespace {

constexpr std::string_view kResponseFd = "FWATCHDOG_RESPONSE_FD";
constexpr std::string_view kPythonEncoding = "PYTHONIOENCODING";

std::vector<std::string> afterburn_environment(const Environment& environment, const Config& config, LengthUnit unit) {
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

FunctionLogOptions function_log_options(const Config& config) {
  return {.prefix = config.prefix_logs, .line_bytes = config.log_buffer_bytes};
}

SpoolOptions spool_options(const Config& config) {
  return {.memory_bytes = config.body_memory_bytes, .directory = config.lock_directory};
}

std::unique_ptr<Mode> make_afterburn(ModeRequest& request) {
  const Config& config = request.config;
  AfterburnOptions options;
  options.unit = choose_unit(config, request.argv);
  options.duration_header = config.duration_header;
  options.methods = config.afterburn_methods;
  options.spool = spool_options(config);
  options.pool.command.environment = afterburn_environment(request.environment, config, options.unit);
  options.pool.command.argv = std::move(request.argv);
  options.pool.command.response_channel = config.response_fd != 0;
  options.pool.workers = config.afterburn_workers.value_or(usable_cores());
  options.pool.max_queue = config.max_queue;
  options.pool.max_queue_wait = config.max_queue_wait;
  options.pool.exec_timeout = config.exec_timeout;
  options.pool.replace_on_stray = config.afterburn_stray == StrayOutput::replace;
  options.pool.max_requests = config.max_requests;
  options.pool.max_lifetime = config.max_lifetime;
  options.pool.max_rss_bytes = config.max_rss_bytes;
  return std::make_unique<Afterburn>(request.watch, request.reaper, request.log, function_log_options(config),
                                     std::move(options));
}

}  // namespace

std::optional<std::string> find_mode_problem(const Config& config, const std::vector<std::string>& argv) {
  (void)argv;
  if (config.mode != ModeName::afterburn) return "mode=" + std::string(to_string(config.mode)) + ": not built yet";
  return std::nullopt;
}

std::unique_ptr<Mode> make_mode(ModeRequest request) { return make_afterburn(request); }

}  // namespace fwd
