#pragma once

#include <cstdint>

namespace fwd::bench {

/// What the generator itself has used: a load whose generator is saturated measures the generator.
struct GeneratorUse {
  double user_seconds = 0;
  double system_seconds = 0;

  double seconds() const { return user_seconds + system_seconds; }
};

/// CPU time of this process so far.
GeneratorUse measure_generator();

/// What was used after `before` was measured.
GeneratorUse operator-(const GeneratorUse& now, const GeneratorUse& before);

/// Lets this process open as many descriptors as its hard limit allows: one connection takes one.
void raise_descriptor_limit();

}  // namespace fwd::bench
