#pragma once

#include <utility>

#include "watchdog/base/error.hpp"

namespace fwd {

/// Counts the requests that are being answered, and limits them.
class Gate {
 public:
  /// The right to answer one request; given back by its destructor.
  class Permit {
   public:
    explicit Permit(Gate& gate) : gate_(&gate) {}
    Permit(Permit&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Permit& operator=(Permit&&) = delete;
    ~Permit() {
      if (gate_ != nullptr) --gate_->inside_;
    }

   private:
    Gate* gate_;
  };

  /// `limit` 0: none.
  explicit Gate(std::size_t limit) : limit_(limit) {}

  /// Errors: over_limit.
  Result<Permit> try_enter() {
    if (is_full()) return Errc::over_limit;
    ++inside_;
    return Permit(*this);
  }

  bool is_full() const { return limit_ != 0 && inside_ >= limit_; }
  std::size_t inside() const { return inside_; }
  std::size_t limit() const { return limit_; }

 private:
  std::size_t limit_;
  std::size_t inside_ = 0;
};

}  // namespace fwd
