#pragma once

#include <memory>
#include <string>
#include <vector>

#include "modes/http_call_options.hpp"
#include "modes/request_sender.hpp"
#include "modes/upstream.hpp"
#include "watchdog/base/spool.hpp"
#include "watchdog/exchange.hpp"
#include "watchdog/http/response_reader.hpp"

namespace fwd {

/// What one request needs besides its connection; reused, so that little is allocated once it is warm.
struct HttpCallBuffers {
  explicit HttpCallBuffers(const SpoolOptions& spool) : body(spool) {}

  std::string head;           // of the request, for the upstream
  Spool body;                 // of the request, where it is read before
  ResponseReader reader;
  std::vector<Field> fields;  // of the answer, where one of them is ours
};

/// Connections that were handed over, for metrics.
struct TunnelCounts {
  std::uint64_t open = 0;
  std::uint64_t opened = 0;
};

/// One request that is forwarded to an upstream, and its answer. One deadline watches over all of it.
class HttpCall : private Overdue {
 public:
  /// `spooled`: the whole body is in `buffers`. The arguments outlive the call.
  HttpCall(Exchange& exchange, OverdueWatch& watch, const HttpCallOptions& options, HttpCallBuffers& buffers,
           TunnelCounts& tunnels, bool spooled);

  /// Forwards the request, and relays the answer; a connection that proves stale is replaced where that can do no harm.
  /// May be called again after an error of connect(), which is returned as it came: nothing was sent yet.
  /// Errors: worker_died, worker_protocol, exec_timeout, deadline_passed, client_gone; those of the client's body and of
  ///         its socket; those of connect().
  Task<Error> relay(Upstream& upstream);

 private:
  Task<Error> attempt(Upstream::Use& use);
  Task<Error> read_answer();
  Task<Error> inform();
  Task<Error> send(std::string_view piece);
  Task<Error> finish(std::string_view last);
  Task<Error> more();
  Task<Error> tunnel();
  void render(const UpstreamUrl& url);
  void begin_answer();
  void sender_ended();
  void watch_client();
  void abort(const Error& why);
  void begin_phase(nanoseconds limit);
  void overdue() override;
  Deadline next_due() const;

  Exchange& exchange_;
  OverdueWatch& watch_;
  const HttpCallOptions& options_;
  HttpCallBuffers& buffers_;
  ResponseReader& reader_;
  TunnelCounts& tunnels_;
  bool spooled_;
  bool upgrade_;
  RequestSender sender_;
  std::unique_ptr<UpstreamConnection> connection_;
  BodySink* sink_ = nullptr;   // set once the answer has begun
  Error failure_;              // why we ended it ourselves
  Error client_error_;         // the client takes no more; its answer is read on where disconnects do not cancel
  Deadline phase_due_ = kNever;
  Deadline total_due_ = kNever;
  Deadline head_due_ = kNever;  // when a head that came alone is sent on alone
  bool begun_ = false;          // the first relay() has
  bool heard_ = false;          // a byte of the answer has come
  bool head_waits_too_long_ = false;
  bool finished_ = false;       // the client has the whole answer
  bool switched_ = false;       // 101
};

}  // namespace fwd
