#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

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

  /// By when the answer must have begun; then the client gets 504: X-Timeout, or half a second before write_timeout.
  virtual Deadline deadline() const = 0;

  virtual Timing& timing() = 0;
};

}  // namespace fwd
