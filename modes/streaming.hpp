#pragma once

#include "modes/one_shot.hpp"

namespace fwd {

/// One process for each request: the body goes to its stdin as it comes, its output to the client as it comes.
/// modes/README.md is the contract.
class Streaming final : public OneShot {
 public:
  using OneShot::OneShot;

  Task<Error> serve(Exchange& exchange) override;
};

}  // namespace fwd
