#pragma once

#include <string>

#include "watchdog/exchange.hpp"

namespace fwd {

/// What readiness asks the function: GET of a path of its own, with the client's fields and no body. The answer goes to
/// the client. Lives no longer than the client's exchange.
/// Source: watchdog-contract 1.4.
class ReadyExchange final : public Exchange, private BodySource {
 public:
  /// `path` is a target in origin form.
  ReadyExchange(Exchange& client, std::string_view path);

  /// Why there is no request to ask with, if there is none: as RequestHead::assign().
  const Error& error() const { return error_; }

  const RequestHead& request() const override { return request_; }
  BodySource& body() override { return *this; }
  BodySink& respond(const Answer& answer) override { return client_.respond(answer); }
  bool responded() const override { return client_.responded(); }
  bool client_gone() const override { return client_.client_gone(); }
  void watch_client(std::function<void()> gone) override { client_.watch_client(std::move(gone)); }
  Task<Error> inform(const Answer& interim) override { return client_.inform(interim); }
  Task<Result<Duplex*>> upgrade(const Answer& answer) override { return client_.upgrade(answer); }
  const Peer& peer() const override { return client_.peer(); }
  std::string_view traceparent() const override { return client_.traceparent(); }
  Deadline deadline() const override { return client_.deadline(); }
  Timing& timing() override { return client_.timing(); }

 private:
  std::optional<std::uint64_t> length() const override { return 0; }
  Task<Result<std::string_view>> next() override { co_return std::string_view{}; }

  Exchange& client_;
  RequestHead request_;
  Error error_;
};

}  // namespace fwd
