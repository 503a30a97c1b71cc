#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "watchdog/base/error.hpp"
#include "watchdog/base/event.hpp"

namespace fwd {

/// Keeps one read pending on `Stream`, so that its end, a reset or unexpected bytes are seen while nobody asks,
/// and holds what was read until it is consumed.
/// Shape:  at most `limit` bytes are held; then reading stops, which is the back-pressure.
/// Errors: asio::error::eof at the end; interrupted() as asio::error::operation_aborted; else the stream's own.
/// Awaits: nothing here outlives `stream` but the state that a pending read shares (owners: this object and that read;
///         the read dies last, with the stream's close).
template <class Stream>
class ReadAhead {
 public:
  ReadAhead(Stream& stream, std::size_t first_bytes, std::size_t limit)
      : stream_(stream), limit_(limit), state_(std::make_shared<State>()) {
    state_->resize(first_bytes);
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ~ReadAhead() { state_->on_unawaited = nullptr; }

  /// Bytes read and not consumed. Valid until the next read, consume or wait.
  std::string_view data() const { return {state_->bytes.get() + state_->begin, state_->end - state_->begin}; }

  void consume(std::size_t count) { state_->begin += count; }

  /// Begins the pending read if there is none, the stream goes on, and there is room.
  void start() {
    State& state = *state_;
    if (state.pending || state.failure || !make_room()) return;
    state.pending = true;
    auto done = [shared = state_](const Error& error, std::size_t count) { finish(*shared, error, count); };
    stream_.async_read_some(asio::buffer(state.bytes.get() + state.end, state.capacity - state.end),
                            std::move(done));
  }

  /// Waits until more bytes were read, the stream ended, or somebody interrupts.
  Task<Error> more() {
    start();
    State& state = *state_;
    if (!state.pending) co_return state.failure ? state.failure : Error(asio::error::no_buffer_space);
    state.interrupted = false;
    const std::size_t before = state.received;
    co_await state.event.wait();
    if (state.received != before) co_return Error{};
    if (state.interrupted) co_return Error(asio::error::operation_aborted);
    co_return state.failure;
  }

  /// Ends a more() that waits, without touching the read itself.
  void interrupt(const Executor& executor) {
    state_->interrupted = true;
    state_->event.wake(executor);
  }

  /// Why no more can be read; success while the stream goes on. Bytes may still be held.
  const Error& failure() const { return state_->failure; }
  bool awaited() const { return state_->event.awaited(); }

  /// Called, at the top of the event loop, when bytes or the end came and nobody waits in more().
  void on_unawaited(std::function<void()> call) { state_->on_unawaited = std::move(call); }

  /// Makes that call, at the top of the event loop, for a failure that came before it was asked for.
  void tell_failure(const Executor& executor) {
    asio::post(executor, [shared = state_] {
      if (shared->failure && shared->on_unawaited) shared->on_unawaited();
    });
  }

 private:
  struct State {
    std::unique_ptr<char[]> bytes;  // not zeroed: that would cost more than a small read
    std::size_t capacity = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t received = 0;  // in all, to tell progress from an interruption
    bool pending = false;
    bool filled = false;  // the last read left no room
    bool interrupted = false;
    Error failure;
    Event event;
    std::function<void()> on_unawaited;

    void resize(std::size_t size) {
      auto larger = std::make_unique_for_overwrite<char[]>(size);
      std::copy(bytes.get() + begin, bytes.get() + end, larger.get() + begin);
      bytes = std::move(larger);
      capacity = size;
    }
  };

  static void finish(State& state, const Error& error, std::size_t count) {
    state.pending = false;
    state.filled = state.end + count == state.capacity;
    state.failure = error;
    state.end += count;
    state.received += count;
    if (state.event.awaited()) return state.event.wake_inline();
    if (state.on_unawaited) state.on_unawaited();
  }

  /// Moves the held bytes to the front or grows the buffer; false when the limit is reached. After a read that filled
  /// the buffer there is more to come: it grows although it is empty.
  bool make_room() {
    State& state = *state_;
    if (state.begin == state.end) state.begin = state.end = 0;  // here, where no read is under way
    const bool may_grow = std::exchange(state.filled, false) && state.end == 0 && state.capacity < limit_;
    if (state.end < state.capacity && !may_grow) return true;
    if (state.begin > 0) {
      std::memmove(state.bytes.get(), state.bytes.get() + state.begin, state.end - state.begin);
      state.end -= std::exchange(state.begin, 0);
      return true;
    }
    if (state.capacity >= limit_) return false;
    state.resize(std::min(limit_, state.capacity * 4));
    return true;
  }

  Stream& stream_;
  std::size_t limit_;
  std::shared_ptr<State> state_;
};

}  // namespace fwd
