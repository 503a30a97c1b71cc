#pragma once

#include "watchdog/server/server_exchange.hpp"

namespace fwd {

/// Answers the requests of a listener.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;

  /// Answers one request. An answer that was not finished is cut with the connection.
  virtual Task<void> serve(ServerExchange& exchange) = 0;

  /// Answers a request that could not be understood.
  virtual Task<void> refuse(ServerExchange& exchange, Error error) = 0;

  /// Told of a bug of ours that ended a request.
  virtual void failed(std::string_view what) = 0;
};

}  // namespace fwd
