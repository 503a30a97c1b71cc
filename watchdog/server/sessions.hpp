#pragma once

#include <boost/intrusive/list.hpp>

#include "watchdog/http/http_date.hpp"
#include "watchdog/server/request_handler.hpp"

namespace fwd {

struct SessionOptions {
  ExchangeLimits limits;
  nanoseconds keepalive_timeout = seconds(30);  // between requests; zero or less: no limit
};

/// The connections of a listener: runs a session for each, and knows which of them are idle.
/// Lifetime: outlives its sessions; `handler` outlives this.
class Sessions {
 public:
  Sessions(OverdueWatch& watch, RequestHandler& handler, SessionOptions options)
      : watch_(watch), handler_(handler), options_(options) {}

  /// Serves a connection until it ends. The session owns itself.
  void begin(Socket socket);

  /// Ends the connection that has been idle the longest; false if none is idle.
  bool end_oldest_idle();
  void end_all_idle();

  /// Cuts every connection, whatever it is doing.
  void cut_all();

  /// From now on every answer closes its connection.
  void drain();

  std::size_t count() const { return count_; }
  bool any_idle() const { return !idle_.empty(); }

 private:
  template <class Hook>
  using ConnectionList = boost::intrusive::list<Connection, boost::intrusive::base_hook<Hook>,
                                                boost::intrusive::constant_time_size<false>>;

  Task<void> run(Socket socket);
  Task<Error> fail(Connection& connection, ServerExchange& exchange, const std::string& what);
  Task<void> others_first();
  Task<Error> serve_one(Connection& connection, ServerExchange& exchange);
  Task<Result<std::size_t>> read_head(Connection& connection, Clock::time_point& received);

  OverdueWatch& watch_;
  RequestHandler& handler_;
  SessionOptions options_;
  HttpDate date_;
  ConnectionList<OpenHook> open_;
  ConnectionList<IdleHook> idle_;  // the one that has been idle the longest is first
  std::size_t count_ = 0;
  bool draining_ = false;
};

}  // namespace fwd
