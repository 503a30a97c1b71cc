#pragma once

#include "watchdog/base/time.hpp"

namespace fwd::bench {

/// Those who wait for a deadline, in its order. All waits of one list have the same length, so the order is that of
/// arrival: adding, removing and finding the next to expire take constant time, and no timer is armed for any of them.
/// Shape: intrusive; a node is in one list at most and leaves it when it dies.
class OverdueList {
 public:
  struct Node {
    Node() = default;
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;
    ~Node() { leave(); }

    void leave() {
      previous_->next_ = next_;
      next_->previous_ = previous_;
      previous_ = next_ = this;
    }

   private:
    friend class OverdueList;
    Node* previous_ = this;
    Node* next_ = this;
    Deadline deadline_ = kNever;
  };

  explicit OverdueList(nanoseconds length) : length_(length) {}

  void add(Node& node, Clock::time_point now) {
    node.leave();
    node.deadline_ = deadline_after(now, length_);
    node.previous_ = head_.previous_;
    node.next_ = &head_;
    head_.previous_->next_ = &node;
    head_.previous_ = &node;
  }

  /// When the first of them expires; kNever if nobody waits.
  Deadline next_deadline() const { return head_.next_->deadline_; }

  /// Takes out the first that has expired; nullptr when there is none.
  Node* take_expired(Clock::time_point now) {
    Node* first = head_.next_;
    if (first == &head_ || first->deadline_ > now) return nullptr;
    first->leave();
    return first;
  }

 private:
  nanoseconds length_;
  Node head_;  // of a ring; its own deadline stays kNever
};

}  // namespace fwd::bench
