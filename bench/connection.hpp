#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bench/answer_reader.hpp"
#include "bench/endpoint.hpp"
#include "bench/event_loop.hpp"
#include "bench/overdue_list.hpp"
#include "bench/sample.hpp"
#include "bench/tally.hpp"
#include "watchdog/base/fd.hpp"

namespace fwd::bench {

/// What all connections of a load share; outlives them.
struct Wire {
  EventLoop& loop;
  Endpoint& endpoint;
  Tally& tally;              // bytes and races are counted where they happen
  std::string_view request;  // head and body, the same for every request
  std::span<char> buffer;    // to read into; nothing stays in it between two events
  bool keep_alive = false;
  bool to_head_request = false;
};

/// One slot of the load: moves the bytes of one request after the other, over one socket after the other.
/// Shape: begin() and then on_event() until it says answered or failed; both may do so at once. Then the phase is idle,
/// or lingering
///        while the server has yet to close: an event ends that. The caller owns time: it calls abandon() after too
///        long a wait.
class Connection : public OverdueList::Node {
 public:
  enum class Step { pending, answered, failed };
  enum class Phase : std::uint8_t { idle, connecting, sending, receiving, lingering };

  explicit Connection(Wire& wire) : wire_(&wire) {}

  /// Sends the request, on the open socket if there is one.
  Step begin(Clock::time_point now);
  /// The epoll bits of this connection's socket.
  Step on_event(std::uint32_t events);
  /// Gives up on the request in flight; failure() tells in which state.
  void abandon();
  void close();

  Phase phase() const { return phase_; }
  bool in_flight() const {
    return phase_ == Phase::connecting || phase_ == Phase::sending || phase_ == Phase::receiving;
  }
  const Sample& sample() const { return sample_; }
  Failure failure() const { return failure_; }
  const AnswerReader& reader() const { return reader_; }

 private:
  Step connect();
  Step connect_next_address(Failure kind);
  Step send_request();
  Step send_failed(int error_number);
  Step wait_until_writable();
  Step connect_finished(std::uint32_t events);
  Step receive(std::uint32_t events);
  Step take(std::size_t received);
  Step lost(Failure kind);
  Step answer_ended(bool at_end_of_bytes);
  Step fail(Failure kind);
  bool watch(std::uint32_t more_events);

  Wire* wire_;
  UniqueFd fd_;
  Phase phase_ = Phase::idle;
  Failure failure_ = Failure::none;
  bool retried_ = false;
  bool watched_ = false;  // registered with epoll
  bool watches_output_ = false;
  bool peer_closed_ = false;
  bool send_broke_ = false;
  unsigned sockets_opened_ = 0;
  std::size_t attempt_ = 0;  // among the addresses of the host
  std::size_t sent_ = 0;     // bytes of the request
  Sample sample_;
  AnswerReader reader_;
};

}  // namespace fwd::bench
