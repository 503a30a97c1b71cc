#pragma once

#include "modes/one_shot.hpp"

namespace fwd {

struct ClassicOptions {
  OneShotOptions one_shot;       // without children.merge_error, which is combine_output
  bool marshal_request = false;  // stdin is JSON: fields and body
  bool combine_output = true;    // stderr is part of the answer; else it is logged after the end
  bool write_debug = false;      // query, path and output are logged
  bool debug_headers = false;    // so are the fields, both ways
};

/// As classic-watchdog, the first watchdog, answers: one process for each request, all in memory or in a file.
/// modes/README.md is the contract.
class Classic final : public OneShot {
 public:
  Classic(OverdueWatch& watch, Reaper& reaper, Log& log, FunctionLogOptions log_options, ClassicOptions options);

  Task<Error> serve(Exchange& exchange) override;

 private:
  Task<Error> ask(Exchange& exchange, Spool& input);
  Task<Error> answer(Exchange& exchange, Spool& output);
  Task<Error> answer_failed(Exchange& exchange, std::string text, Spool& output);
  void log_output(Spool& output);

  ClassicOptions options_;
};

}  // namespace fwd
