#pragma once

#include <boost/intrusive/list.hpp>

#include <cstdint>

#include "watchdog/base/event.hpp"

namespace fwd {

/// The place of one request among those that a worker has been given ahead: its answers come in this order. Leaves the
/// order with its destructor.
class Turn : public boost::intrusive::list_base_hook<
                 boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  /// Woken when all before it have been answered, and when the worker is lost.
  Event changed;

 private:
  friend class WorkerPool;

  bool lost_ = false;       // the worker was lost while others were before it
  std::uint64_t end_ = 0;   // where its request ends among all bytes that the worker was given
};

using Turns = boost::intrusive::list<Turn, boost::intrusive::constant_time_size<false>>;

}  // namespace fwd
