#pragma once

#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include "watchdog/base/fd.hpp"
#include "watchdog/base/task.hpp"

namespace fwd {

/// Our end of a pipe.
using Descriptor = asio::posix::basic_stream_descriptor<Executor>;

/// Gives `fd` to the event loop. Asio has to be told that it is non-blocking: otherwise its synchronous calls wait, with
/// the whole loop, wherever the kernel says "would block". If the loop cannot take it, the result is closed, and every
/// use of it fails.
inline Descriptor make_descriptor(const Executor& executor, UniqueFd fd) {
  Descriptor descriptor(executor);
  Error error;
  descriptor.assign(fd.get(), error);
  if (error) return descriptor;
  (void)fd.release();
  descriptor.non_blocking(true, error);  // cannot fail on a pipe
  return descriptor;
}

}  // namespace fwd
