#pragma once

#include <boost/intrusive/list.hpp>

#include <functional>

#include "watchdog/base/event.hpp"
#include "watchdog/base/overdue_watch.hpp"

namespace fwd {

/// Requests that wait for an upstream to accept connections. Lives as long as somebody waits.
class UpstreamQueue {
 public:
  /// One that waits. Lives in its coroutine, and leaves the queue with it.
  class Place : private Overdue, public boost::intrusive::list_base_hook<> {
   public:
    explicit Place(UpstreamQueue& queue) : queue_(queue) {}

    /// Waits until it is called, ended, or `due` passes; false if it was not called.
    Task<bool> called(Deadline due);

    /// Ends the wait with `error`.
    void end(const Error& error);

    /// What it was ended with; success if the time is up.
    const Error& error() const { return error_; }

   private:
    friend class UpstreamQueue;
    void overdue() override;

    UpstreamQueue& queue_;
    Error error_;
    bool called_ = false;
    Event event_;
  };

  explicit UpstreamQueue(OverdueWatch& watch) : watch_(watch) {}

  std::size_t size() const { return places_.size(); }
  void call_all();
  void end_all(const Error& error);

 private:
  OverdueWatch& watch_;
  boost::intrusive::list<Place> places_;
};

}  // namespace fwd
