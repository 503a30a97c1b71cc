#include "watchdog/process/worker_recycler.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstring>

#include "watchdog/process/worker_pool.hpp"

namespace fwd {
namespace {

constexpr std::size_t kDrawShare = 10;  // a worker's own limit is 90 to 100 % of max_requests
constexpr std::uint64_t kMebibyte = 1024 * 1024;

std::string why_worn(const Worker& worker, Wear wear, nanoseconds age, std::uint64_t resident) {
  switch (wear) {
    case Wear::requests: return "it has answered " + std::to_string(worker.answered()) + " requests";
    case Wear::lifetime: return "it has lived for " + to_go_string(std::chrono::floor<seconds>(age));
    case Wear::memory: return "it has grown to " + std::to_string(resident / kMebibyte) + " MiB";
  }
  return "";
}

}  // namespace

std::uint64_t resident_bytes(pid_t pid) {
  const UniqueFd file(::open(("/proc/" + std::to_string(pid) + "/statm").c_str(), O_RDONLY | O_CLOEXEC));
  char text[128];
  const ssize_t count = file ? ::read(file.get(), text, sizeof text) : -1;
  if (count <= 0) return 0;
  const char* const end = text + count;
  const char* second = static_cast<const char*>(std::memchr(text, ' ', static_cast<std::size_t>(count)));
  std::uint64_t pages = 0;
  if (second == nullptr || std::from_chars(second + 1, end, pages).ec != std::errc()) return 0;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

WorkerRecycler::WorkerRecycler(WorkerPool& pool, const WorkerPoolOptions& options)
    : pool_(pool),
      options_(options),
      on_(options.max_requests > 0 || options.max_lifetime > nanoseconds::zero() || options.max_rss_bytes > 0) {
  auto moment_over = [this] {
    if (successor_) return warmed_up();
    waiting_ = false;
    next();
  };
  timer_ = make_overdue_call(std::move(moment_over));
}

void WorkerRecycler::begin_life(Worker& worker) {
  if (!on_) return;
  worker.started_ = Clock::now();
  worker.most_answers_ = options_.max_requests - random_() % (options_.max_requests / kDrawShare + 1);
  if (options_.max_lifetime <= nanoseconds::zero()) return;
  auto aged = [this, &worker] {
    if (!worker.wear_) worker.wear_ = Wear::lifetime;
    next();
  };
  worker.old_age_ = make_overdue_call(std::move(aged));
  pool_.watch_.watch(*worker.old_age_, worker.started_ + options_.max_lifetime);
}

bool WorkerRecycler::replaced(Worker& worker) {
  if (!waits_for(worker)) return false;
  swap();
  return true;
}

void WorkerRecycler::look(Worker& worker, Clock::time_point now) {
  if (!on_) return;
  if (worker.wear_) return next();
  if (options_.max_requests > 0 && worker.answered_ >= worker.most_answers_) {
    worker.wear_ = Wear::requests;
  } else if (options_.max_rss_bytes > 0 && has_grown(worker, now)) {
    worker.wear_ = Wear::memory;
  }
  if (worker.wear_) next();
}

bool WorkerRecycler::has_grown(Worker& worker, Clock::time_point now) const {
  if (now < worker.next_look_) return false;
  worker.next_look_ = now + kLookInterval;
  worker.resident_bytes_ = resident_bytes(worker.process().pid());
  return worker.resident_bytes_ > options_.max_rss_bytes;
}

void WorkerRecycler::next() {
  if (successor_ || waiting_ || pool_.stopping_) return;
  Worker* const worn = find_worn();
  if (worn == nullptr) return;
  auto made = pool_.make_worker(worn->slot());
  if (!made) {
    pool_.log_.say("A successor of function process " + std::to_string(worn->process().pid()) +
                   " could not be started: " + made.error().message());
    return retry_later();
  }
  successor_ = std::move(*made);
  old_ = worn;
  pool_.watch_.watch(*timer_, options_.warm_up);
}

Worker* WorkerRecycler::find_worn() const {
  for (const auto& slot : pool_.slots_)
    if (slot.worker && slot.worker->wear_) return slot.worker.get();
  return nullptr;
}

void WorkerRecycler::retry_later() {
  waiting_ = true;
  pool_.watch_.watch(*timer_, policy_.delay_after_death(false));
}

void WorkerRecycler::warmed_up() {
  ready_ = true;
  if (old_->state() == Worker::State::idle) swap();
}

/// The successor takes the place of the old one, which is idle.
void WorkerRecycler::swap() {
  Worker& old = *old_;
  say_replacing(old);
  pool_.dismiss(pool_.install(take_successor(old)), RetireCause::recycled);
  next();
}

void WorkerRecycler::say_replacing(Worker& old) const {
  const Wear wear = *old.wear_;
  switch (wear) {
    case Wear::requests: ++pool_.counts_.max_requests; break;
    case Wear::lifetime: ++pool_.counts_.max_lifetime; break;
    case Wear::memory: ++pool_.counts_.max_rss; break;
  }
  pool_.log_.say("Recycling function process " + std::to_string(old.process().pid()) + ": " +
                 why_worn(old, wear, Clock::now() - old.started_, old.resident_bytes_));
}

std::unique_ptr<Worker> WorkerRecycler::take_successor(const Worker& lost) {
  if (&lost != old_) return nullptr;
  pool_.watch_.forget(*timer_);
  old_ = nullptr;
  ready_ = false;
  (void)policy_.delay_after_death(true);
  return std::move(successor_);
}

void WorkerRecycler::successor_failed(const char* why) {
  pool_.log_.say("A successor of function process " + std::to_string(old_->process().pid()) + " is of no use: " + why);
  old_ = nullptr;
  ready_ = false;
  pool_.abandon(std::move(successor_), RetireCause::died);
  retry_later();
}

std::unique_ptr<Worker> WorkerRecycler::stop() {
  pool_.watch_.forget(*timer_);
  old_ = nullptr;
  return std::move(successor_);
}

}  // namespace fwd
