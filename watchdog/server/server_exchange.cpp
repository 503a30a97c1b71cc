#include "watchdog/server/server_exchange.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "watchdog/http/render.hpp"
#include "watchdog/http/sniff.hpp"

namespace fwd {
namespace {

constexpr std::string_view kTailAndLastChunk = "\r\n0\r\n\r\n";
constexpr nanoseconds kAnswerMargin = milliseconds(500);  // before write_timeout, so that the client reads a reason
constexpr std::size_t kJoinBytes = 16 * 1024;             // up to here one copy is cheaper than three buffers

/// By when an answer must have begun so that it is not cut by write_timeout.
nanoseconds answer_time(nanoseconds write_timeout) {
  return write_timeout > 2 * kAnswerMargin ? write_timeout - kAnswerMargin : write_timeout / 2;
}

/// The client's own, shorter limit; zero if there is none that counts.
nanoseconds client_limit(const RequestHead& request, nanoseconds exec_timeout) {
  const auto text = request.find("X-Timeout");
  if (!text) return nanoseconds::zero();
  const auto limit = parse_go_duration(*text);
  if (!limit || *limit <= nanoseconds::zero()) return nanoseconds::zero();
  return exec_timeout > nanoseconds::zero() && *limit > exec_timeout ? nanoseconds::zero() : *limit;
}

/// The trace of a request; two parents are none.
TraceContext trace_of(const RequestHead& request) {
  const auto is_parent = [](const Field& field) { return same_name(field.name, "traceparent"); };
  const bool has_one = std::ranges::count_if(request.fields(), is_parent) == 1;
  return TraceContext::from(has_one ? request.find("traceparent") : std::nullopt);
}

bool has_no_body(int status) { return status == 204 || status == 304 || status < 200; }

bool is_framing(std::string_view name) {
  return same_name(name, "Content-Length") || same_name(name, "Transfer-Encoding");
}

/// A field that Connection names is for that connection only. Source: RFC 9110 section 7.6.1.
bool is_named_in_connection(std::span<const Field> fields, std::string_view name) {
  for (const Field& field : fields)
    if (same_name(field.name, "Connection") && has_token(field.value, name)) return true;
  return false;
}

}  // namespace

Error ServerExchange::begin(std::size_t head_size, Clock::time_point received) {
  status_ = 0;
  announced_ = sent_ = body_read_ = 0;
  taken_ = 0;
  abandoned_ = invited_ = has_type_ = head_sent_ = finished_ = keep_alive_ = false;
  chunks_.reset();
  timing_ = {};
  timing_.received = received;
  timing_.head_read = Clock::now();
  const Error error = request_.assign(connection_.input().substr(0, head_size), limits_.head);
  connection_.consume(head_size);
  body_left_ = error ? 0 : request_.content_length().value_or(0);
  deadline_ = deadline_after(timing_.head_read, answer_time(limits_.write_timeout));
  understood_ = !error;
  if (error) return error;
  if (limits_.trace_context) trace_ = trace_of(request_);
  keep_alive_ = request_.keep_alive();
  deadline_ = std::min(deadline_, deadline_after(timing_.head_read, client_limit(request_, limits_.exec_timeout)));
  connection_.set_deadline(deadline_after(timing_.head_read, limits_.write_timeout));
  if (limits_.max_body_bytes != 0 && body_left_ > limits_.max_body_bytes) return Errc::body_too_large;
  return {};
}

Task<Error> ServerExchange::inform(const Answer& interim) {
  if (head_sent_ || request_.minor_version() == 0) co_return Error{};
  std::string text;
  HeadWriter head(text);
  head.status(interim.status, interim.reason);
  for (const Field& field : interim.fields)
    if (!is_hop_by_hop(field.name) && !is_framing(field.name)) head.field(field.name, field.value);
  head.end();
  const std::string_view pieces[] = {text};
  co_return co_await connection_.write(pieces);
}

Task<Result<Duplex*>> ServerExchange::upgrade(const Answer& answer) {
  status_ = answer.status;
  keep_alive_ = false;
  out_.clear();
  HeadWriter head(out_);
  head.status(answer.status, answer.reason);
  for (const Field& field : answer.fields)
    if (!is_framing(field.name)) head.field(field.name, field.value);
  head.end();
  head_sent_ = finished_ = true;  // what follows has an end of its own
  connection_.consume(std::exchange(taken_, 0));
  connection_.set_deadline(kNever);
  const std::string_view pieces[] = {out_};
  if (const Error error = co_await connection_.write(pieces)) co_return error;
  co_return &upgraded_.emplace(connection_);
}

const Peer& ServerExchange::peer() const {
  if (peer_) return *peer_;
  Error ignored;  // a client that has gone has no address any more
  const auto client = connection_.socket().remote_endpoint(ignored);
  const auto ours = connection_.socket().local_endpoint(ignored);
  auto address = client.address();
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  return peer_.emplace(Peer{.address = address.to_string(), .port = client.port(), .local_port = ours.port()});
}

BodySink& ServerExchange::respond(const Answer& answer) {
  status_ = answer.status;
  has_type_ = false;
  if (!body_is_here() || connection_.draining()) keep_alive_ = false;
  out_.clear();
  HeadWriter head(out_);
  head.status(answer.status, answer.reason);
  append_fields(answer);
  append_framing(answer);
  return *this;
}

void ServerExchange::append_fields(const Answer& answer) {
  HeadWriter head(out_);
  bool has_date = false, names_fields = false;
  for (const Field& field : answer.fields) {
    has_date = has_date || same_name(field.name, "Date");
    names_fields = names_fields || same_name(field.name, "Connection");
  }
  if (!has_date) head.field("Date", date_.now());
  for (const Field& field : answer.fields) {
    if (is_hop_by_hop(field.name) || is_framing(field.name)) continue;
    if (names_fields && is_named_in_connection(answer.fields, field.name)) continue;
    has_type_ = has_type_ || same_name(field.name, "Content-Type") || same_name(field.name, "Content-Encoding");
    head.field(field.name, field.value);
  }
}

void ServerExchange::append_framing(const Answer& answer) {
  HeadWriter head(out_);
  announced_ = answer.length.value_or(0);
  if (has_no_body(answer.status)) {
    framing_ = Framing::none;
  } else if (answer.length) {
    framing_ = Framing::length;
    head.field("Content-Length", announced_);
  } else if (request_.minor_version() == 1) {
    framing_ = Framing::chunked;
    head.field("Transfer-Encoding", "chunked");
  } else {
    framing_ = Framing::until_close;
    keep_alive_ = false;
  }
  if (!keep_alive_ && request_.minor_version() == 1) head.field("Connection", "close");
  if (keep_alive_ && request_.asks_keep_alive_1_0()) head.field("Connection", "keep-alive");
}

void ServerExchange::end_head(std::string_view first_piece) {
  HeadWriter head(out_);
  if (!has_type_ && !first_piece.empty() && framing_ != Framing::none)
    head.field("Content-Type", sniff_content_type(first_piece.substr(0, kSniffBytes)));
  head.end();
  head_sent_ = true;
}

/// Puts what goes before `piece` on the wire into out_, and a short piece with it; returns what is left to send.
std::string_view ServerExchange::frame(std::string_view piece) {
  if (head_sent_) out_.clear();
  if (!head_sent_) end_head(piece);
  if (framing_ == Framing::none) piece = {};
  if (framing_ == Framing::length) piece = piece.substr(0, static_cast<std::size_t>(announced_ - sent_));
  sent_ += piece.size();
  if (request_.method() == "HEAD") piece = {};
  if (framing_ == Framing::chunked && !piece.empty()) append_chunk_head(out_, piece.size());
  if (piece.size() > kJoinBytes) return piece;
  out_.append(piece);
  if (framing_ == Framing::chunked && !piece.empty()) out_.append(kChunkTail);
  return {};
}

Task<Error> ServerExchange::write(std::string_view piece) {
  if (piece.empty()) co_return Error{};
  const std::string_view rest = frame(piece);
  const std::string_view tail = framing_ == Framing::chunked && !rest.empty() ? kChunkTail : std::string_view{};
  const std::string_view pieces[] = {out_, rest, tail};
  co_return co_await connection_.write(pieces);
}

/// The first bytes go with the head, which may need them to tell the type; the rest goes by sendfile(2).
Task<Error> ServerExchange::write_file(int fd, std::uint64_t offset, std::uint64_t count) {
  if (framing_ == Framing::chunked) co_return co_await write_file_in_chunks(fd, offset, count);
  if (!head_sent_) {
    const std::uint64_t first = std::min<std::uint64_t>(count, kJoinBytes);
    if (const Error error = co_await write_file_in_chunks(fd, offset, first)) co_return error;
    offset += first;
    count -= first;
  }
  if (framing_ == Framing::length) count = std::min(count, announced_ - sent_);
  if (framing_ == Framing::none || count == 0) co_return Error{};
  sent_ += count;
  if (request_.method() == "HEAD") co_return Error{};
  co_return co_await connection_.send_file(fd, offset, count);
}

Task<Error> ServerExchange::write_file_in_chunks(int fd, std::uint64_t offset, std::uint64_t count) {
  std::string piece;
  while (count > 0) {
    piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(count, kJoinBytes)));
    const ssize_t got = ::pread(fd, piece.data(), piece.size(), static_cast<off_t>(offset));
    if (got < 0) co_return system_error(errno);
    if (got == 0) co_return Errc::worker_protocol;
    piece.resize(static_cast<std::size_t>(got));
    if (const Error error = co_await write(piece)) co_return error;
    offset += piece.size();
    count -= piece.size();
  }
  co_return Error{};
}

Task<Error> ServerExchange::flush() {
  if (head_sent_) co_return Error{};
  end_head({});
  const std::string_view pieces[] = {out_};
  co_return co_await connection_.write(pieces);
}

Task<Error> ServerExchange::finish(std::string_view last) {
  const bool is_head = request_.method() == "HEAD";
  const bool ends_chunks = framing_ == Framing::chunked && !is_head;
  const std::string_view rest = frame(last);
  std::string_view tail;
  if (ends_chunks && rest.empty()) out_.append(kLastChunk);
  if (ends_chunks && !rest.empty()) tail = kTailAndLastChunk;
  const std::string_view pieces[] = {out_, rest, tail};
  if (!out_.empty() || !rest.empty()) {
    if (const Error error = co_await connection_.write(pieces)) co_return error;
  }
  finished_ = framing_ != Framing::length || is_head || sent_ == announced_;
  timing_.answered = Clock::now();
  co_return finished_ ? Error{} : Error(Errc::worker_protocol);
}

bool ServerExchange::can_go_on() {
  watch_client(nullptr);
  if (!finished_ || !keep_alive_) return false;
  connection_.consume(std::exchange(taken_, 0));
  connection_.consume(static_cast<std::size_t>(std::exchange(body_left_, 0)));
  return true;
}

}  // namespace fwd
