#pragma once

#include <optional>
#include <string>

#include "watchdog/exchange.hpp"
#include "watchdog/http/chunked_decoder.hpp"
#include "watchdog/http/http_date.hpp"
#include "watchdog/http/trace_context.hpp"
#include "watchdog/server/client_stream.hpp"

namespace fwd {

/// How long a request may take (zero or less: no limit), how large it may be, and whether it is traced.
struct ExchangeLimits {
  nanoseconds read_timeout = seconds(30);   // head and body
  nanoseconds write_timeout = seconds(30);  // from the head's end to the answer's
  nanoseconds exec_timeout = seconds(30);   // X-Timeout may only shorten it
  std::uint64_t max_body_bytes = 0;         // 0: no limit
  RequestLimits head;
  bool trace_context = false;  // each request goes on with its client's trace, or begins one
};

/// One request on a connection, and its answer on the wire. One object serves all requests of its session in turn.
class ServerExchange final : public Exchange, private BodySource, private BodySink {
 public:
  ServerExchange(Connection& connection, HttpDate& date, const ExchangeLimits& limits)
      : connection_(connection), date_(date), limits_(limits) {}

  /// Takes a request's head from the connection's input, and is ready to answer it.
  /// Errors: as RequestHead::assign(), and body_too_large. It can be answered all the same, and closes then.
  Error begin(std::size_t head_size, Clock::time_point received);

  const RequestHead& request() const override { return request_; }
  BodySource& body() override { return *this; }
  BodySink& respond(const Answer& answer) override;
  bool responded() const override { return head_sent_; }
  bool client_gone() const override { return connection_.gone(); }
  void watch_client(std::function<void()> gone) override { connection_.watch_client(std::move(gone)); }
  Task<Error> inform(const Answer& interim) override;
  Task<Result<Duplex*>> upgrade(const Answer& answer) override;
  const Peer& peer() const override;
  std::string_view traceparent() const override { return trace_ ? trace_->traceparent() : std::string_view{}; }
  Deadline deadline() const override { return deadline_; }
  Timing& timing() override { return timing_; }

  /// No other request is taken on this connection.
  void close_after() { keep_alive_ = false; }

  /// The answer is finished, and the connection can take another request. Skips an unread body if it is here.
  bool can_go_on();

  /// The client asked for the end of the connection and has sent all it will: no answer can be lost by closing at once.
  bool client_closes() const { return understood_ && finished_ && !request_.keep_alive() && body_is_here(); }

  /// The connection was cut because its request took too long: not the client has gone, we have.
  bool timed_out() const { return connection_.expired(); }

  /// The answer was sent to its end.
  bool finished() const { return finished_; }
  /// Of the answer; kClientGone if none was begun: nobody was there to read it.
  int status() const { return status_ != 0 ? status_ : kClientGone; }
  std::uint64_t body_bytes() const { return sent_; }
  /// 32 hex digits; empty where requests are not traced.
  std::string_view trace_id() const { return trace_ ? trace_->trace_id() : std::string_view{}; }

  static constexpr int kClientGone = 499;  // nginx's number; it is never sent

 private:
  enum class Framing { none, length, chunked, until_close };

  std::optional<std::uint64_t> length() const override { return request_.content_length(); }
  Task<Result<std::string_view>> next() override;
  void abandon() override {
    abandoned_ = true;
    connection_.interrupt();
  }
  Task<Result<std::string_view>> next_chunk();
  Task<Error> more_body();
  Task<Error> invite_body();
  bool body_is_here() const;

  Task<Error> write(std::string_view piece) override;
  Task<Error> flush() override;
  Task<Error> write_file(int fd, std::uint64_t offset, std::uint64_t count) override;
  Task<Error> finish(std::string_view last) override;
  Task<Error> write_file_in_chunks(int fd, std::uint64_t offset, std::uint64_t count);
  void append_fields(const Answer& answer);
  void append_framing(const Answer& answer);
  void end_head(std::string_view first_piece);
  std::string_view frame(std::string_view piece);

  Connection& connection_;
  HttpDate& date_;
  const ExchangeLimits& limits_;
  RequestHead request_;
  std::optional<TraceContext> trace_;  // where requests are traced
  Timing timing_;
  Deadline deadline_ = kNever;

  ChunkedDecoder chunks_;
  std::uint64_t body_left_ = 0;  // of a body with a length
  std::uint64_t body_read_ = 0;  // of a chunked one, for its limit
  std::size_t taken_ = 0;        // bytes of the input that the last piece stands in
  bool understood_ = false;
  bool invited_ = false;
  bool abandoned_ = false;  // nobody reads the body any more

  std::string out_;  // the head until it is sent, then chunk framing
  int status_ = 0;
  std::uint64_t announced_ = 0;
  std::uint64_t sent_ = 0;
  Framing framing_ = Framing::none;
  bool keep_alive_ = false;
  bool has_type_ = false;
  bool head_sent_ = false;
  bool finished_ = false;
  mutable std::optional<Peer> peer_;  // once somebody has asked
  std::optional<ClientStream> upgraded_;
};

}  // namespace fwd
