#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "watchdog/base/duplex.hpp"
#include "watchdog/http/body.hpp"
#include "watchdog/http/field.hpp"
#include "watchdog/http/request_head.hpp"
#include "watchdog/timing.hpp"

namespace fwd {

/// The head of an answer. Views are used only while respond() runs.
struct Answer {
  int status = 200;
  std::string_view reason{};         // empty: the standard phrase
  std::span<const Field> fields{};   // framing and hop-by-hop fields among them are ignored: those are the server's
  std::optional<std::uint64_t> length{};  // of the body; unknown: chunked, or closed at the end for HTTP/1.0
};

/// Both ends of a client's connection.
struct Peer {
  std::string address;          // of the client: `127.0.0.1`, `::1`
  std::uint16_t port = 0;       // of the client
  std::uint16_t local_port = 0;  // ours
};

/// One request being answered. Lives in its session's coroutine; a mode may use it only while serve() runs.
class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual const RequestHead& request() const = 0;
  virtual BodySource& body() = 0;

  /// Begins the answer. Nothing is sent before the first write or finish: head and first piece go out together. Until
  /// then another respond() replaces this one: a function that dies behind its head still costs a 502.
  virtual BodySink& respond(const Answer& answer) = 0;

  /// The head has gone out: from now on an error cuts the answer.
  virtual bool responded() const = 0;

  /// True once the client has closed or reset its connection. A client that only stops sending counts as gone too:
  /// the two cannot be told apart, and nobody should work for the first.
  virtual bool client_gone() const = 0;

  /// Calls `gone` once, at the top of the event loop, when the client leaves: only after the body was read to its end;
  /// until then, and in write(), errors tell. A client that ended its sending side together with its request is still
  /// there. An empty function ends the watch; so does the end of serve().
  virtual void watch_client(std::function<void()> gone) = 0;

  /// Sends an interim answer (103) at once; nothing for an HTTP/1.0 client.
  virtual Task<Error> inform(const Answer& interim) = 0;

  /// Answers 101, or 2xx to CONNECT, with `answer`'s fields as they are, hop-by-hop ones included, and hands the
  /// connection over: it is no HTTP any more, has no deadline, and ends with serve(). What the client has sent already is read first.
  /// Errors: client_gone. The Duplex lives as long as the exchange.
  virtual Task<Result<Duplex*>> upgrade(const Answer& answer) = 0;

  virtual const Peer& peer() const = 0;

  /// What to send on as `traceparent` instead of the client's field; empty: pass fields on as they are.
  /// Source: W3C Trace Context.
  virtual std::string_view traceparent() const = 0;

  /// By when the answer must have begun; then the client gets 504: X-Timeout, or half a second before write_timeout.
  virtual Deadline deadline() const = 0;

  virtual Timing& timing() = 0;
};

}  // namespace fwd
