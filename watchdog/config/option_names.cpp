// How options, kinds of values and groups are called; the table itself is option_table.cpp.
#include <algorithm>
#include <string>
#include <vector>

#include "watchdog/config/nearest_name.hpp"
#include "watchdog/config/option_table.hpp"

namespace fwd {
namespace {

std::string with_underscores(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '-', '_');
  return result;
}

}  // namespace

const Option* find_option(std::string_view name) {
  const std::string wanted = with_underscores(name);
  for (const Option& option : option_table())
    if (wanted == option.name || (!option.also.empty() && wanted == option.also)) return &option;
  return nullptr;
}

std::string_view nearest_option(std::string_view name) {
  std::vector<std::string_view> spellings;
  for (const Option& option : option_table()) {
    spellings.push_back(option.name);
    if (!option.also.empty()) spellings.push_back(option.also);
  }
  return nearest_name(with_underscores(name), spellings);
}

bool has_effect(Group group, ModeName mode) {
  switch (group) {
    case Group::per_request:
      return mode == ModeName::streaming || mode == ModeName::serializing || mode == ModeName::classic;
    case Group::classic:
      return mode == ModeName::classic;
    case Group::http:
      return mode == ModeName::http;
    case Group::afterburn:
      return mode == ModeName::afterburn;
    case Group::static_files:
      return mode == ModeName::static_files;
    case Group::function:
    case Group::workers:
    case Group::listener:
    case Group::end:
    case Group::metrics:
    case Group::log:
      return true;
  }
  return true;
}

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::text:
      return "TEXT";
    case Kind::boolean:
      return "BOOL";
    case Kind::count:
      return "N";
    case Kind::size:
      return "BYTES";
    case Kind::duration:
      return "DURATION";
    case Kind::choice:
      return "NAME";
  }
  return "";
}

std::string_view to_string(Group group) {
  switch (group) {
    case Group::function:
      return "The function, in every mode";
    case Group::per_request:
      return "Modes streaming, serializing, classic: one child a request";
    case Group::classic:
      return "Mode classic";
    case Group::http:
      return "Mode http";
    case Group::afterburn:
      return "Mode afterburn";
    case Group::workers:
      return "The queue for workers and children";
    case Group::static_files:
      return "Mode static";
    case Group::listener:
      return "The listener and its clients";
    case Group::end:
      return "Health and the end";
    case Group::metrics:
      return "Metrics";
    case Group::log:
      return "Logs and other";
  }
  return "";
}

}  // namespace fwd
