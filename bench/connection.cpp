#include "bench/connection.hpp"

#include <algorithm>
#include <cerrno>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace fwd::bench {
namespace {

constexpr std::uint32_t kInputEvents = EPOLLIN | EPOLLRDHUP | EPOLLET;
constexpr std::uint64_t kBlindWorth = 64 * 1024;  // from here on dropping in the kernel beats one more plain read
constexpr std::uint64_t kBlindAtMost = 1u << 30;  // recv's length is limited to 2 GiB
constexpr std::size_t kSmallRequest = 1400;       // fits one segment: Nagle has nothing to hold back

/// Errors of send and recv that mean the connection is gone.
bool is_broken(int error_number) {
  return error_number == EPIPE || error_number == ECONNRESET;
}

}  // namespace

Connection::Step Connection::begin(Clock::time_point now) {
  sample_ = Sample{};
  sample_.started = now;
  sample_.reused = static_cast<bool>(fd_);
  failure_ = Failure::none;
  retried_ = send_broke_ = false;
  attempt_ = sent_ = 0;
  reader_.begin(wire_->to_head_request);
  if (!fd_) return connect();
  phase_ = Phase::sending;
  return send_request();
}

Connection::Step Connection::connect() {
  close();
  const std::size_t index = wire_->endpoint.candidate(attempt_);
  const Address& address = wire_->endpoint.addresses[index];
  sample_.connect_started = Clock::now();
  ++sockets_opened_;
  fd_.reset(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd_) return connect_next_address(connect_failure(errno));
  if (wire_->keep_alive || wire_->request.size() > kSmallRequest) {
    const int on = 1;
    (void)::setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // only a delay if it fails
  }
  phase_ = Phase::connecting;
  if (::connect(fd_.get(), address.get(), address.length) != 0 && errno != EINPROGRESS) {
    return connect_next_address(connect_failure(errno));
  }
  // On loopback the handshake is over by now, and the first send saves a turn through epoll; else it says EAGAIN.
  sample_.connected = Clock::now();
  return send_request();
}

/// An address has failed: the next one, as long as none has ever worked.
Connection::Step Connection::connect_next_address(Failure kind) {
  if (!is_local_limit(kind) && ++attempt_ < wire_->endpoint.candidates()) return connect();
  return fail(kind);
}

Connection::Step Connection::send_request() {
  const std::string_view rest = wire_->request.substr(sent_);
  const ssize_t count = ::send(fd_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
  if (count < 0) {
    if (errno == EAGAIN || errno == EINTR) return wait_until_writable();
    return send_failed(errno);
  }
  if (phase_ == Phase::connecting) wire_->endpoint.prove(wire_->endpoint.candidate(attempt_));
  phase_ = Phase::sending;
  sent_ += static_cast<std::size_t>(count);
  wire_->tally.bytes_sent += static_cast<std::uint64_t>(count);
  if (sent_ < wire_->request.size()) return wait_until_writable();
  sample_.sent = Clock::now();
  phase_ = Phase::receiving;
  return watch(0) ? Step::pending : fail(Failure::no_descriptors);
}

Connection::Step Connection::wait_until_writable() {
  return watch(EPOLLOUT) ? Step::pending : fail(Failure::no_descriptors);
}

/// Registers the socket once; once more only if a request does not fit into the socket's buffer.
bool Connection::watch(std::uint32_t more_events) {
  const bool wants_output = more_events != 0;
  if (watched_ && (watches_output_ || !wants_output)) return true;
  const std::uint32_t events = kInputEvents | more_events;
  const Error error = watched_ ? wire_->loop.modify(fd_.get(), events, this) : wire_->loop.add(fd_.get(), events, this);
  watched_ = true;
  watches_output_ = wants_output;
  return !error;
}

Connection::Step Connection::send_failed(int error_number) {
  if (phase_ == Phase::connecting) return connect_next_address(connect_failure(error_number));
  if (!is_broken(error_number)) return fail(Failure::write_error);
  send_broke_ = true;  // an early answer, such as 413, may be there to read
  phase_ = Phase::receiving;
  sample_.sent = Clock::now();
  return receive(0);
}

Connection::Step Connection::on_event(std::uint32_t events) {
  if (phase_ == Phase::lingering) {
    close();
    return Step::pending;
  }
  if (phase_ == Phase::connecting || (phase_ == Phase::sending && (events & EPOLLOUT) != 0)) {
    const unsigned before = sockets_opened_;
    const Step step = phase_ == Phase::connecting ? connect_finished(events) : send_request();
    if (step != Step::pending || sockets_opened_ != before) return step;  // these events are not of the new socket
  }
  const bool may_read = phase_ == Phase::sending || phase_ == Phase::receiving;
  return may_read && (events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0 ? receive(events) : Step::pending;
}

Connection::Step Connection::connect_finished(std::uint32_t events) {
  int error_number = 0;
  socklen_t length = sizeof error_number;
  if ((events & (EPOLLERR | EPOLLHUP)) != 0 &&
      ::getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error_number, &length) == 0 && error_number != 0) {
    return connect_next_address(connect_failure(error_number));
  }
  if ((events & EPOLLOUT) == 0) return Step::pending;
  sample_.connected = Clock::now();
  return send_request();
}

Connection::Step Connection::receive(std::uint32_t events) {
  for (;;) {
    const std::uint64_t blind = reader_.blind_bytes();
    const bool drops = blind >= kBlindWorth;
    const std::size_t asked = drops ? static_cast<std::size_t>(std::min(blind, kBlindAtMost)) : wire_->buffer.size();
    const ssize_t count = ::recv(fd_.get(), drops ? nullptr : wire_->buffer.data(), asked, drops ? MSG_TRUNC : 0);
    if (count < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) return Step::pending;
      return lost(Failure::reset);
    }
    if (count == 0) return lost(Failure::none);
    const auto received = static_cast<std::size_t>(count);
    wire_->tally.bytes_received += received;
    if (drops) reader_.skip(received);
    const bool drained = received < asked;
    // The end of the stream was there before a read that emptied the socket: no need to read it too.
    peer_closed_ = drained && (events & EPOLLRDHUP) != 0 && (events & EPOLLERR) == 0;
    const Step step = drops ? answer_ended(true) : take(received);
    if (step != Step::pending) return step;
    if (peer_closed_) return lost(Failure::none);
    if (drained && (events & (EPOLLERR | EPOLLHUP)) == 0)
      return Step::pending;  // else no other edge will come: see it now
  }
}

Connection::Step Connection::take(std::size_t received) {
  const bool first = !reader_.started();
  if (first) sample_.first_byte = Clock::now();
  const std::size_t used = reader_.take({wire_->buffer.data(), received});
  if (reader_.failure() != Failure::none) return fail(reader_.failure());
  if (first && reader_.done()) sample_.done = sample_.first_byte;  // one look at the clock is enough
  return answer_ended(used == received);
}

Connection::Step Connection::answer_ended(bool at_end_of_bytes) {
  if (!reader_.done()) return Step::pending;
  if (!at_end_of_bytes) return fail(Failure::excess);
  if (sample_.done == Clock::time_point{}) sample_.done = Clock::now();
  sample_.status = reader_.status();
  sample_.body_bytes = reader_.body_bytes();
  wire_->tally.body_bytes += reader_.body_bytes();
  const bool whole_request_sent = phase_ == Phase::receiving && !send_broke_;
  sample_.kept = wire_->keep_alive && reader_.keeps_connection() && whole_request_sent;
  phase_ = sample_.kept ? Phase::idle : Phase::lingering;
  if (peer_closed_) close();
  return Step::answered;
}

/// The stream has ended (none) or broke (reset).
Connection::Step Connection::lost(Failure kind) {
  if (sample_.reused && !reader_.started() &&
      !retried_) {  // the server closed an idle connection as we sent: not its fault
    ++wire_->tally.keep_alive_races;
    retried_ = true;
    sample_.reused = send_broke_ = false;
    sent_ = 0;
    reader_.begin(wire_->to_head_request);
    return connect();
  }
  if (send_broke_ && !reader_.started()) return fail(Failure::write_error);
  if (kind != Failure::none) return fail(kind);
  peer_closed_ = true;
  if (const Failure cut = reader_.end_of_stream(); cut != Failure::none) return fail(cut);
  return answer_ended(true);
}

Connection::Step Connection::fail(Failure kind) {
  failure_ = kind;
  wire_->tally.body_bytes += reader_.body_bytes();
  close();
  sample_.done = Clock::now();
  return Step::failed;
}

void Connection::abandon() {
  (void)fail(phase_ == Phase::connecting ? Failure::connect_timeout : Failure::timeout);
}

void Connection::close() {
  fd_.reset();
  phase_ = Phase::idle;
  watched_ = watches_output_ = peer_closed_ = false;
}

}  // namespace fwd::bench
