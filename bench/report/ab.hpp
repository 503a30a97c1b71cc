#pragma once

#include <string>

#include "bench/options.hpp"
#include "bench/summary.hpp"

namespace fwd::bench {

/// ab's report, from `Server Software` to the last percentage: its lines, order and formats, with sound definitions
/// behind them. Source: load-generators 1.3 for the formats; bench/README.md for the definitions.
std::string ab_report(const Summary& summary, const Options& options);

}  // namespace fwd::bench
