#include "modes/upstream_queue.hpp"

namespace fwd {

Task<bool> UpstreamQueue::Place::called(Deadline due) {
  queue_.places_.push_back(*this);
  queue_.watch_.watch(*this, due);
  co_await event_.wait();
  queue_.watch_.forget(*this);
  queue_.places_.erase(queue_.places_.iterator_to(*this));
  co_return called_;
}

void UpstreamQueue::Place::end(const Error& error) {
  error_ = error;
  event_.wake(queue_.watch_.executor());
}

void UpstreamQueue::Place::overdue() { event_.wake(queue_.watch_.executor()); }

void UpstreamQueue::call_all() {
  for (Place& place : places_) {
    place.called_ = true;
    place.event_.wake(watch_.executor());
  }
}

void UpstreamQueue::end_all(const Error& error) {
  for (Place& place : places_) place.end(error);
}

}  // namespace fwd
