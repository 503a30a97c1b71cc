#include "watchdog/make_mode.hpp"

#include "modes/afterburn.hpp"
#include "modes/classic.hpp"
#include "modes/function_runtime.hpp"
#include "modes/http.hpp"
#include "modes/serializing.hpp"
#include "modes/static_files.hpp"
#include "modes/streaming.hpp"
#include "watchdog/config/option_values.hpp"
#include "watchdog/process/usable_cores.hpp"

namespace fwd {
namespace {

constexpr std::string_view kResponseFd = "FWATCHDOG_RESPONSE_FD";
constexpr std::string_view kPythonEncoding = "PYTHONIOENCODING";

std::vector<std::string> inherited(const Environment& environment) {
  std::vector<std::string> entries;
  for (const auto& [name, value] : environment)
    if (!name.empty()) entries.push_back(name + "=" + value);
  return entries;
}

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
  options.pool.pipeline = config.afterburn_pipeline;
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

CgiFlavour cgi_flavour(const Config& config) {
  if (config.cgi_vars == CgiVars::rfc3875) return CgiFlavour::rfc3875;
  return config.mode == ModeName::classic ? CgiFlavour::classic : CgiFlavour::of_watchdog;
}

OneShotOptions one_shot_options(ModeRequest& request) {
  const Config& config = request.config;
  OneShotOptions options;
  options.children.argv = std::move(request.argv);
  options.children.environment = inherited(request.environment);
  options.children.exec_timeout = config.exec_timeout;
  options.children.max_children = config.max_children;
  options.children.max_queue = config.max_queue;
  options.children.max_queue_wait = config.max_queue_wait;
  options.children.prefork = config.prefork;
  options.content_type = config.content_type;
  options.duration_header = config.duration_header;
  options.cgi_headers = config.cgi_headers;
  options.cgi_flavour = cgi_flavour(config);
  options.cgi_response = config.cgi_response;
  options.cancel_on_disconnect = config.cancel_on_disconnect;
  options.spool = spool_options(config);
  return options;
}

std::unique_ptr<Mode> make_classic(ModeRequest& request) {
  const Config& config = request.config;
  ClassicOptions options;
  options.marshal_request = config.marshal_request;
  options.combine_output = config.combine_output;
  options.write_debug = config.write_debug;
  options.debug_headers = config.debug_headers;
  options.one_shot = one_shot_options(request);
  return std::make_unique<Classic>(request.watch, request.reaper, request.log, function_log_options(config),
                                   std::move(options));
}

template <class ModeOfOneShot>
std::unique_ptr<Mode> make_one_shot(ModeRequest& request) {
  return std::make_unique<ModeOfOneShot>(request.watch, request.reaper, request.log,
                                         function_log_options(request.config), one_shot_options(request));
}

HttpCallOptions http_call_options(const Config& config) {
  const UpstreamPhases& limits = config.upstream_timeout;
  constexpr nanoseconds kNone = nanoseconds::zero();
  HttpCallOptions options;
  options.timeouts = {.connect = limits.connect.value_or(kNone),
                      .first_byte = limits.first_byte.value_or(kNone),
                      .idle = limits.idle.value_or(kNone),
                      .total = limits.total.value_or(config.exec_timeout)};
  options.tunnel_idle = config.tunnel_idle_timeout;
  options.tunnel_total = config.tunnel_timeout;
  options.buffer_body = config.http_buffer_req_body;
  options.duration_header = config.duration_header;
  options.cancel_on_disconnect = config.cancel_on_disconnect;
  return options;
}

HttpOptions http_options(const Config& config, std::vector<std::string> argv) {
  HttpOptions options;
  options.command.argv = std::move(argv);
  options.upstream_url = config.upstream_url;
  options.workers = config.http_workers;
  options.max_queue = config.max_queue;
  options.max_queue_wait = config.max_queue_wait;
  options.call = http_call_options(config);
  options.spool = spool_options(config);
  options.socket_directory = config.lock_directory;
  return options;
}

std::unique_ptr<Mode> make_http(ModeRequest& request) {
  const Config& config = request.config;
  HttpOptions options = http_options(config, std::move(request.argv));
  options.command.environment = inherited(request.environment);
  if (config.on_function_exit == FunctionExit::exit) options.on_exit = std::move(request.on_exit);
  return std::make_unique<Http>(request.watch, request.reaper, request.log, function_log_options(config),
                                std::move(options));
}

std::unique_ptr<Mode> make_static(const Config& config) {
  return std::make_unique<StaticFiles>(StaticOptions{.root = config.static_path,
                                                     .archive = config.static_archive,
                                                     .listing = config.static_listing,
                                                     .cache_control = config.cache_control});
}

}  // namespace

std::optional<std::string> find_mode_problem(const Config& config, const std::vector<std::string>& argv) {
  if (config.mode != ModeName::http) return std::nullopt;
  const std::string problem = check_http_options(http_options(config, argv));
  if (problem.empty()) return std::nullopt;
  return "upstream_url=" + in_quotes(config.upstream_url) + ": " + problem;
}

std::unique_ptr<Mode> make_mode(ModeRequest request) {
  switch (request.config.mode) {
    case ModeName::afterburn: return make_afterburn(request);
    case ModeName::streaming: return make_one_shot<Streaming>(request);
    case ModeName::serializing: return make_one_shot<Serializing>(request);
    case ModeName::classic: return make_classic(request);
    case ModeName::http: return make_http(request);
    case ModeName::static_files: return make_static(request.config);
  }
  return nullptr;
}

}  // namespace fwd
