#pragma once

#include <cstdint>

#include "modes/children.hpp"
#include "watchdog/base/spool.hpp"
#include "watchdog/exchange.hpp"

namespace fwd {

/// One request in the hands of one process: feeds its stdin while others read its output, and kills it when the time is
/// over or nobody waits for the answer any more.
/// Lifetime: end() must have returned before this is destroyed; the arguments outlive it.
class ChildCall : private Overdue {
 public:
  /// With `cancel_on_disconnect` the process is killed when the client leaves. It always is when the request's body
  /// breaks off or is wrong: a part of a body must not look like one.
  ChildCall(Exchange& exchange, Children::Lease lease, OverdueWatch& watch, bool cancel_on_disconnect);

  Child& child() { return lease_.child(); }

  /// Begins to feed the body as it comes from the client.
  void stream_body();

  /// Begins to feed `body`, which outlives this.
  void send(Spool& body);

  /// The client takes no more: kills the process, or lets it run on.
  void client_lost(const Error& error);

  /// Feeds and watches no more. A process that is still there, and was not killed, first takes the rest of the body, and
  /// then ends by itself.
  Task<void> end();

 private:
  void overdue() override;
  void watch_client();
  void stop_feeding();
  void done();
  Task<void> feed_stream();
  Task<void> feed_spool(Spool& body, std::uint64_t offset);
  Task<Error> write(std::string_view piece);

  Exchange& exchange_;
  Children::Lease lease_;
  OverdueWatch& watch_;
  bool cancel_on_disconnect_;
  bool feeding_ = false;
  bool stopped_ = false;
  bool widened_ = false;
  std::uint64_t fed_bytes_ = 0;
  Event fed_;
};

}  // namespace fwd
