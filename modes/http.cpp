#include "modes/http.hpp"

#include <cstdlib>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "modes/http_call.hpp"
#include "modes/upstream_queue.hpp"

namespace fwd {
namespace {

constexpr std::size_t kMostSpare = 256;              // buffers that are kept; more requests at once allocate theirs
constexpr std::size_t kLargestSpareBody = 64 * 1024;
constexpr nanoseconds kProof = seconds(1);           // a function that ends sooner than this was never up

/// Nobody listens there, and not a byte was sent.
bool is_refusal(const Error& error) {
  return error == asio::error::connection_refused || error == system_error(ENOENT);
}

/// What it means that no connection could be made.
Error why_not_connected(const Error& error) {
  if (error.category() == fwd_category()) return error;
  const bool lacks_resources = error == system_error(EMFILE) || error == system_error(ENFILE) ||
                               error == system_error(ENOBUFS) || error == system_error(EADDRNOTAVAIL);
  return lacks_resources ? Errc::no_worker : Errc::worker_died;
}

}  // namespace

std::string check_http_options(const HttpOptions& options) {
  std::string problem = problem_of_upstream_template(options.upstream_url);
  if (problem.empty() && options.workers > 1 && !has_placeholder(options.upstream_url))
    problem = "with more than one worker it needs {port} or {socket}";
  return problem;
}

struct Http::State {
  State(OverdueWatch& watch, Reaper& reaper, Log& log, FunctionLogOptions log_options, HttpOptions http_options);
  ~State();

  Error start();
  Task<Result<std::uint64_t>> read_body(Exchange& exchange, Spool& body);
  Task<Error> ask(Exchange& exchange, HttpCallBuffers& buffers, bool spooled);
  Task<Error> wait_in_queue(Exchange& exchange, Deadline queue_end, bool body_is_read);
  Upstream* pick();
  void changed();
  bool ended(ExitStatus status);
  Error make_socket_folder();
  bool spools(const RequestHead& request) const { return options.call.buffer_body && request.chunked(); }
  std::unique_ptr<HttpCallBuffers> take_buffers();
  void give_back(std::unique_ptr<HttpCallBuffers> buffers);

  OverdueWatch& watch;
  Reaper& reaper;
  Log& log;
  HttpOptions options;
  FunctionLog function_log;
  UpstreamQueue queue;
  UpstreamQueue callers;      // of callable(): no requests
  std::string socket_folder;  // ours; empty if there is none
  std::vector<std::unique_ptr<Upstream>> upstreams;
  std::vector<std::unique_ptr<HttpCallBuffers>> spare;
  std::size_t next = 0;  // where to look for the least busy one first
  TunnelCounts tunnels;
  SecondsHistogram wait;
  std::optional<Clock::time_point> down_since;
  std::optional<Clock::time_point> down_before;  // down_since until the upstream accepted that does now
  Clock::time_point up_since{};
  bool over = false;  // every process has ended, and none is started again
  bool stopping = false;
};

Http::State::State(OverdueWatch& the_watch, Reaper& the_reaper, Log& the_log, FunctionLogOptions log_options,
                   HttpOptions http_options)
    : watch(the_watch),
      reaper(the_reaper),
      log(the_log),
      options(std::move(http_options)),
      function_log(the_log, log_options),
      queue(the_watch),
      callers(the_watch),
      down_since(Clock::now()) {}

Http::State::~State() {
  upstreams.clear();  // what still listens there is killed first
  std::error_code ignored;  // a folder that cannot be removed is not worth an error at the end
  if (!socket_folder.empty()) std::filesystem::remove_all(socket_folder, ignored);
}

Error Http::State::make_socket_folder() {
  std::string path = options.socket_directory + "/fwatchdog-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) return system_error(errno);
  socket_folder = path;
  return {};
}

Error Http::State::start() {
  const bool uses_sockets = options.upstream_url.find(kSocketPlaceholder) != std::string::npos;
  if (uses_sockets) {
    if (const Error error = make_socket_folder()) return error;
  }
  for (std::size_t i = 0; i < std::max<std::size_t>(options.workers, 1); ++i) {
    UpstreamSettings settings{.command = options.command, .url = options.upstream_url, .socket_path = {}};
    if (uses_sockets) settings.socket_path = socket_folder + "/" + std::to_string(i) + ".sock";
    Upstream::Calls calls{.changed = [this] { changed(); }, .ended = [this](ExitStatus status) { return ended(status); }};
    upstreams.push_back(
        std::make_unique<Upstream>(watch, reaper, log, function_log, std::move(settings), std::move(calls)));
    if (const Error error = upstreams.back()->start()) return error;
  }
  return {};
}

bool Http::State::ended(ExitStatus status) {
  if (stopping || !options.on_exit) return true;
  options.on_exit(status.code());
  over = std::ranges::none_of(upstreams, [](const auto& each) { return each->running(); });
  if (over) queue.end_all(Errc::draining);
  return false;
}

void Http::State::changed() {
  const bool up = std::ranges::any_of(upstreams, [](const auto& each) { return each->accepting(); });
  if (up) queue.call_all();
  if (up) callers.call_all();
  if (up != down_since.has_value()) return;
  const auto now = Clock::now();
  if (up) {
    up_since = now;
    down_before = std::exchange(down_since, std::nullopt);
  } else {
    down_since = down_before && now - up_since < kProof ? *down_before : now;
  }
}

/// The least busy one that accepts; among equals, each in turn.
Upstream* Http::State::pick() {
  Upstream* best = nullptr;
  for (std::size_t i = 0; i < upstreams.size(); ++i) {
    Upstream& each = *upstreams[(next + i) % upstreams.size()];
    if (each.accepting() && (best == nullptr || each.in_flight() < best->in_flight())) best = &each;
  }
  if (++next >= upstreams.size()) next = 0;
  return best;
}

Task<Error> Http::State::wait_in_queue(Exchange& exchange, Deadline queue_end, bool body_is_read) {
  if (queue.size() >= options.max_queue) co_return Errc::queue_full;
  const Deadline due = std::min(queue_end, exchange.deadline());
  if (due > Clock::now()) {
    UpstreamQueue::Place place(queue);
    std::function<void()> gone = [&place] { place.end(Errc::client_gone); };
    if (body_is_read && options.call.cancel_on_disconnect) exchange.watch_client(std::move(gone));
    const bool called = co_await place.called(due);
    exchange.watch_client(nullptr);
    if (called) co_return Error{};
    if (place.error()) co_return place.error();
  }
  co_return queue_end <= exchange.deadline() ? Errc::no_worker : Errc::deadline_passed;
}

Task<Error> Http::State::ask(Exchange& exchange, HttpCallBuffers& buffers, bool spooled) {
  HttpCall call(exchange, watch, options.call, buffers, tunnels, spooled);
  const auto since = Clock::now();
  const Deadline queue_end = deadline_after(since, options.max_queue_wait);
  const bool body_is_read = spooled || !exchange.request().has_body();
  for (bool refused = false, waited = false;;) {
    if (stopping || over) co_return Errc::draining;
    Upstream* upstream = pick();
    if (upstream == nullptr) {
      const Error error = co_await wait_in_queue(exchange, queue_end, body_is_read);
      if (error == Errc::no_worker && refused) co_return Errc::worker_died;
      if (error) co_return error;
      waited = true;
      continue;
    }
    if (!refused) wait.add(waited ? Clock::now() - since : nanoseconds::zero());
    const Error error = co_await call.relay(*upstream);
    if (is_refusal(error)) {
      refused = true;
      upstream->refused();
      continue;
    }
    if (error == Errc::worker_died) co_await upstream->seen_to_live();
    if (error == Errc::worker_died && stopping) co_return Errc::draining;  // it ended because we told it to
    co_return error ? why_not_connected(error) : error;
  }
}

Task<Result<std::uint64_t>> Http::State::read_body(Exchange& exchange, Spool& body) {
  for (;;) {
    const auto piece = co_await exchange.body().next();
    if (!piece) co_return piece.error();
    if (piece->empty()) break;
    if (const Error error = body.append(*piece)) co_return error;
  }
  exchange.timing().body_read = Clock::now();
  co_return body.size();
}

std::unique_ptr<HttpCallBuffers> Http::State::take_buffers() {
  if (spare.empty()) return std::make_unique<HttpCallBuffers>(options.spool);
  auto buffers = std::move(spare.back());
  spare.pop_back();
  return buffers;
}

void Http::State::give_back(std::unique_ptr<HttpCallBuffers> buffers) {
  if (spare.size() >= kMostSpare || buffers->body.size() > kLargestSpareBody) return;
  buffers->body.clear();
  spare.push_back(std::move(buffers));
}

Http::Http(OverdueWatch& watch, Reaper& reaper, Log& log, FunctionLogOptions log_options, HttpOptions options)
    : state_(std::make_unique<State>(watch, reaper, log, log_options, std::move(options))) {}

Http::~Http() = default;

Error Http::start() { return state_->start(); }

Task<void> Http::callable(Deadline by) {
  UpstreamQueue::Place place(state_->callers);
  if (!down_since() || state_->stopping) co_return;
  (void)co_await place.called(by);  // late or not, requests wait for themselves
}

Task<Error> Http::serve(Exchange& exchange) {
  auto buffers = state_->take_buffers();
  const bool spooled = state_->spools(exchange.request());
  Error error;
  if (spooled) {
    const auto length = co_await state_->read_body(exchange, buffers->body);
    if (!length) error = length.error();
  }
  if (!error) error = co_await state_->ask(exchange, *buffers, spooled);
  state_->give_back(std::move(buffers));
  co_return error;
}

Task<void> Http::stop(Deadline by) {
  state_->stopping = true;
  state_->queue.end_all(Errc::draining);
  state_->callers.end_all(Errc::draining);
  for (auto& each : state_->upstreams) each->ask_to_end();
  OverdueCall kill_the_rest([this] { kill(); });
  state_->watch.watch(kill_the_rest, by);
  for (auto& each : state_->upstreams) co_await each->gone();
}

void Http::kill() {
  for (auto& each : state_->upstreams) each->kill();
}

std::optional<Clock::time_point> Http::down_since() const { return state_->down_since; }

seconds Http::retry_after() const { return seconds(1); }

FunctionStats Http::stats() const {
  FunctionStats stats;
  stats.queued = state_->queue.size();
  stats.tunnels = state_->tunnels.open;
  stats.tunnels_opened = state_->tunnels.opened;
  stats.wait = state_->wait;
  for (const auto& each : state_->upstreams) {
    std::uint64_t& now = each->in_flight() > 0 ? stats.busy
                         : each->accepting()   ? stats.idle
                         : each->running()     ? stats.starting
                                               : stats.down;
    ++now;
    const ServerProcess::Counts& counts = each->counts();
    stats.started += counts.started;
    stats.start_failures += counts.start_failures;
    stats.losses.died += counts.died;
    stats.spawn.add(counts.spawn);
  }
  return stats;
}

}  // namespace fwd
