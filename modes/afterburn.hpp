#pragma once

#include <memory>
#include <string>
#include <vector>

#include "watchdog/http/length_units.hpp"
#include "watchdog/mode.hpp"
#include "watchdog/base/spool.hpp"
#include "watchdog/process/worker_pool.hpp"

namespace fwd {

struct AfterburnOptions {
  LengthUnit unit = LengthUnit::bytes;
  bool duration_header = false;
  std::vector<std::string> methods;  // upper case; empty: all
  SpoolOptions spool;
  WorkerPoolOptions pool;
};

struct CallBuffers;

/// Functions that live on and speak HTTP/1.1 over their stdin and stdout. modes/README.md is their contract.
class Afterburn final : public Mode {
 public:
  Afterburn(OverdueWatch& watch, Reaper& reaper, Log& log, FunctionLogOptions log_options, AfterburnOptions options);
  ~Afterburn() override;

  Error start() override { return pool_.start(); }
  Task<Error> serve(Exchange& exchange) override;
  Task<void> stop(Deadline by) override { co_await pool_.stop(by); }
  void kill() override { pool_.kill(); }
  std::optional<Clock::time_point> down_since() const override { return pool_.down_since(); }
  seconds retry_after() const override { return pool_.retry_after(); }
  FunctionStats stats() const override;

  const WorkerPool& pool() const { return pool_; }

 private:
  bool allows(std::string_view method) const;
  Task<Error> refuse_method(Exchange& exchange);
  Task<Result<std::uint64_t>> read_body(Exchange& exchange, Spool& body);
  Task<Error> ask(Exchange& exchange, std::unique_ptr<CallBuffers>& buffers);
  std::unique_ptr<CallBuffers> take_buffers();
  void give_back(std::unique_ptr<CallBuffers> buffers);

  OverdueWatch& watch_;
  AfterburnOptions options_;
  FunctionLog function_log_;
  std::vector<std::unique_ptr<CallBuffers>> spare_;
  WorkerPool pool_;
};

}  // namespace fwd
