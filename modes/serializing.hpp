#pragma once

#include "modes/one_shot.hpp"

namespace fwd {

/// One process for each request: it starts when the whole body is there, and is answered for when its whole output is.
/// modes/README.md is the contract.
class Serializing final : public OneShot {
 public:
  using OneShot::OneShot;

  Task<Error> serve(Exchange& exchange) override;
};

}  // namespace fwd
