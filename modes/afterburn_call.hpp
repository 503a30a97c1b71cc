#pragma once

#include <memory>
#include <optional>
#include <string>

#include "modes/pipe_writer.hpp"
#include "watchdog/exchange.hpp"
#include "watchdog/http/response_reader.hpp"
#include "watchdog/process/worker_pool.hpp"

namespace fwd {

/// What one request needs besides its worker; reused, so that nothing is allocated once it is warm.
struct CallBuffers {
  explicit CallBuffers(const SpoolOptions& spool) : body(spool) {}

  std::string head;       // of the request, for the function
  Spool body;             // of the request
  std::string first;      // what goes into the first write
  ResponseReader reader;
  std::string held;       // an answer, or its end, that is sent later
};

/// One request in the hands of one worker, perhaps behind others. Outlives the exchange if the client is answered before the worker is done.
class AfterburnCall {
 public:
  struct Options {
    LengthUnit unit = LengthUnit::bytes;
    bool duration_header = false;  // X-Duration-Seconds: from the hand-over to the head of the answer
  };

  AfterburnCall(WorkerPool::Lease lease, OverdueWatch& watch, std::unique_ptr<CallBuffers> buffers, Options options);

  /// Writes the request, reads the answer and relays it. The worker is given back or replaced when this returns,
  /// except after deadline_passed.
  /// Errors: worker_died, worker_protocol, exec_timeout, draining; client_gone and write_timeout once the worker is done;
  ///         deadline_passed when the exchange's deadline passes before the answer has begun: the caller then runs finish_unheard().
  Task<Error> relay(Exchange& exchange);

  /// Reads the answer to its end for nobody, so that the worker can be given back.
  Task<void> finish_unheard();

  /// True until the first byte of the request is written: another worker may still have it.
  bool untouched() const { return untouched_; }
  std::unique_ptr<CallBuffers> take_buffers() { return std::move(buffers_); }

 private:
  Error begin();
  Task<Error> turn_come();
  std::size_t unread() const;
  Task<Error> read_answer(Exchange* exchange);
  std::string_view take_part(Exchange* exchange, const ResponseReader::Step& step);
  std::string_view take_body(Exchange& exchange, std::string_view piece);
  void answer_begun(Exchange* exchange);
  void begin_answer(Exchange& exchange, std::optional<std::uint64_t> length);
  Task<Error> settled();
  Error why_silent(const Error& error);
  bool request_is_read();
  bool is_stale();
  Task<Error> worker_lost(Error error);

  Turn turn_;  // among the requests of this worker, where it may have several
  WorkerPool::Lease lease_;
  FunctionProcess& process_;
  OverdueWatch& watch_;
  std::unique_ptr<CallBuffers> buffers_;
  Options options_;
  PipeWriter writer_;
  ResponseReader& reader_;
  std::string call_id_;        // where the log wants it
  BodySink* sink_ = nullptr;   // set once the answer has begun; null for nobody
  std::string& held_;
  std::string overflow_;       // what was held of an answer that is too long for that
  bool holding_ = false;       // the answer's length in bytes is not known yet
  bool untouched_ = true;
  bool came_whole_ = false;    // nothing was waited for since the answer's head
  std::size_t unread_at_head_ = 0;
  bool expired_ = false;       // the exchange's deadline has passed
  Error client_error_;         // the client has gone: its worker is read to the end all the same
};

}  // namespace fwd
