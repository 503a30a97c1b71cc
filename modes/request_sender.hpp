#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "modes/upstream_connection.hpp"
#include "watchdog/base/spool.hpp"
#include "watchdog/exchange.hpp"

namespace fwd {

/// Sends one request to an upstream: head and first piece of the body in one write, then the body as it comes from the
/// client, while somebody else reads the answer.
/// Lifetime: the arguments outlive it; while running() it must not be destroyed.
class RequestSender {
 public:
  /// `spooled`: the whole body, read before; null: it is taken from the exchange.
  RequestSender(OverdueWatch& watch, Exchange& exchange, Spool* spooled)
      : watch_(watch), exchange_(exchange), spooled_(spooled) {}

  /// Writes what can be written without waiting; the rest is written on its own. `ended` is called once all of it is
  /// written, or never will be; perhaps at once.
  void begin(UpstreamConnection& connection, std::string_view head, std::function<void()> ended);

  bool running() const { return running_; }
  /// The whole request has been written.
  bool complete() const { return complete_; }
  /// Part of the client's body has been taken and cannot be sent again.
  bool took_body() const { return took_body_; }
  /// Why the client's body could not be read to its end.
  const Error& client_error() const { return client_error_; }

  /// Ends it early, once the connection is closed as well.
  void stop();
  Task<void> joined();

 private:
  Task<void> run();
  Task<void> send_body();
  Task<Result<std::string_view>> next_piece();
  Task<Error> write_piece(std::string_view piece);
  bool is_chunked() const { return spooled_ == nullptr && exchange_.request().chunked(); }

  OverdueWatch& watch_;
  Exchange& exchange_;
  Spool* spooled_;
  UpstreamConnection* connection_ = nullptr;
  std::function<void()> ended_call_;
  std::string_view head_;      // what is not written yet of it
  std::string front_;          // that and the line before a chunk
  std::uint64_t offset_ = 0;   // in the spool
  Error client_error_;
  bool running_ = false;
  bool complete_ = false;
  bool took_body_ = false;
  bool waits_for_client_ = false;
  bool stopped_ = false;
  Event ended_;
};

}  // namespace fwd
