#include "bench/failure.hpp"

#include <array>
#include <cerrno>

namespace fwd::bench {
namespace {

struct Row {
  std::string_view name;
  FailureColumn column;
};

constexpr std::array<Row, kFailureKinds> kRows = {{
    {"none", FailureColumn::exceptions},
    {"connection refused", FailureColumn::connect},
    {"unreachable", FailureColumn::connect},
    {"connect timeout", FailureColumn::connect},
    {"no free port", FailureColumn::connect},
    {"no free descriptor", FailureColumn::connect},
    {"connect error", FailureColumn::connect},
    {"write error", FailureColumn::exceptions},
    {"reset", FailureColumn::receive},
    {"empty reply", FailureColumn::receive},
    {"truncated reply", FailureColumn::receive},
    {"not HTTP", FailureColumn::exceptions},
    {"malformed head", FailureColumn::exceptions},
    {"bad chunk", FailureColumn::exceptions},
    {"head too large", FailureColumn::exceptions},
    {"bytes after the reply", FailureColumn::exceptions},
    {"timeout", FailureColumn::receive},
    {"length", FailureColumn::length},
}};

const Row& row(Failure kind) {
  return kRows[static_cast<std::size_t>(kind)];
}

}  // namespace

std::string_view failure_name(Failure kind) {
  return row(kind).name;
}

FailureColumn failure_column(Failure kind) {
  return row(kind).column;
}

bool is_local_limit(Failure kind) {
  return kind == Failure::no_ports || kind == Failure::no_descriptors;
}

Failure connect_failure(int error_number) {
  switch (error_number) {
    case ECONNREFUSED:
      return Failure::refused;
    case ENETUNREACH:
    case EHOSTUNREACH:
    case ENETDOWN:
      return Failure::unreachable;
    case ETIMEDOUT:
      return Failure::connect_timeout;
    case EADDRNOTAVAIL:
      return Failure::no_ports;
    case EMFILE:
    case ENFILE:
      return Failure::no_descriptors;
    default:
      return Failure::connect_error;
  }
}

}  // namespace fwd::bench
