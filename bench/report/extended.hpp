#pragma once

#include <string>

#include "bench/options.hpp"
#include "bench/summary.hpp"

namespace fwd::bench {

/// What ab does not tell, printed after its report: fine percentiles, statuses, errors by kind, the accounting
/// identity, and what the generator itself used. Pure.
std::string extended_report(const Summary& summary, const Options& options);

}  // namespace fwd::bench
