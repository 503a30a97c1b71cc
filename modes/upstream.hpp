#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modes/upstream_connection.hpp"
#include "modes/upstream_place.hpp"
#include "watchdog/process/server_process.hpp"

namespace fwd {

/// How one upstream is started.
struct UpstreamSettings {
  SpawnRequest command;     // words and URL may hold placeholders
  std::string url;
  std::string socket_path;  // for `{socket}`
};

/// One function process, where it listens, and the idle connections to it. It takes requests once a connect succeeds;
/// until then, and again after each restart, that is tried every few milliseconds.
/// Lifetime: outlives its uses and every connection that it made. Not to be moved.
class Upstream {
 public:
  class Use;

  struct Calls {
    std::function<void()> changed;           // accepting() has
    std::function<bool(ExitStatus)> ended;   // the process has; true: start it again
  };

  Upstream(OverdueWatch& watch, Reaper& reaper, Log& log, FunctionLog& function_log, UpstreamSettings settings,
           Calls calls);
  Upstream(const Upstream&) = delete;
  Upstream& operator=(const Upstream&) = delete;

  /// Errors: as ServerProcess::start().
  Error start() { return process_.start(); }

  bool accepting() const { return accepting_; }
  bool running() const { return process_.running(); }
  std::size_t in_flight() const { return in_flight_; }
  const UpstreamUrl& url() const { return place_.url; }
  const ServerProcess::Counts& counts() const { return process_.counts(); }

  /// A new connection was refused: nobody listens any more. Looks until somebody does.
  void refused();

  /// A connection has ended without an answer: waits shortly for the process, which is perhaps about to end, so that the
  /// next request does not meet it.
  Task<void> seen_to_live();

  /// As ServerProcess; the idle connections are closed.
  void ask_to_end();
  void kill() { process_.kill(); }
  Task<void> gone();

  static constexpr nanoseconds kIdleTime = milliseconds(500);  // watchdog-contract 1.6, http
  static constexpr std::size_t kMostIdle = 100;                // the same

 private:
  Result<SpawnRequest> place();
  void started();
  bool ended(ExitStatus status);
  void set_accepting(bool accepting);
  void look();
  Task<void> look_until_accepting();
  Task<bool> try_connect();
  void drop(const UpstreamConnection* connection);

  OverdueWatch& watch_;
  UpstreamSettings settings_;
  Calls calls_;
  UpstreamPlace place_;
  std::vector<std::unique_ptr<UpstreamConnection>> idle_;  // the last is used first
  std::size_t in_flight_ = 0;
  std::uint64_t generation_ = 0;  // of the process; connections to an earlier one are not kept
  bool accepting_ = false;
  bool looking_ = false;
  bool ending_ = false;
  UpstreamConnection* probe_ = nullptr;  // while a connect is under way
  Event wake_;
  Event looked_;
  ServerProcess process_;
};

/// One request at one upstream, from the choice of it to the end of the answer.
class Upstream::Use {
 public:
  explicit Use(Upstream& upstream) : upstream_(upstream), generation_(upstream.generation_) { ++upstream_.in_flight_; }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  ~Use() { --upstream_.in_flight_; }

  const UpstreamUrl& url() const { return upstream_.url(); }

  /// An idle connection that nothing is known against; none if there is none. `surely`: the kernel is asked as well.
  std::unique_ptr<UpstreamConnection> take_idle(bool surely);

  /// One that is yet to be connected.
  std::unique_ptr<UpstreamConnection> make() { return std::make_unique<UpstreamConnection>(upstream_.watch_); }

  /// The answer ended cleanly, and the connection may be used again: it is kept if that looks wise.
  void give_back(std::unique_ptr<UpstreamConnection> connection);

  /// The process has answered.
  void answered() {
    if (generation_ == upstream_.generation_) upstream_.process_.proved();
  }

  /// The process has ended since.
  bool outlived() const { return generation_ != upstream_.generation_; }

 private:
  Upstream& upstream_;
  std::uint64_t generation_;
};

}  // namespace fwd
