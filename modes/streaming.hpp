#pragma once

#include "modes/child_call.hpp"
#include "modes/one_shot.hpp"
#include "modes/output_head.hpp"

namespace fwd {

/// One process for each request: the body goes to its stdin as it comes, its output to the client as it comes.
/// modes/README.md is the contract.
class Streaming final : public OneShot {
 public:
  using OneShot::OneShot;

  Task<Error> serve(Exchange& exchange) override;

 private:
  Task<Error> relay(Exchange& exchange, ChildCall& call);
  Task<Error> hold(Exchange& exchange, Child& child, OutputHead& head);
  Task<Error> answer_whole(Exchange& exchange, ChildCall& call, OutputHead& head);
  Task<Error> pass_on(BodySink& sink, ChildCall& call, std::string_view front);
};

}  // namespace fwd
