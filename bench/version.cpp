#include "bench/version.hpp"

#ifndef FWD_VERSION
#define FWD_VERSION "0.0.0"
#endif

namespace fwd::bench {

std::string_view version() {
  return FWD_VERSION;
}

}  // namespace fwd::bench
