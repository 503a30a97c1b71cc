#include "watchdog/config/option_choices.hpp"

#include <string>
#include <vector>

#include "watchdog/config/nearest_name.hpp"

namespace fwd {
namespace {

template <class T>
struct Choice {
  const char* name;
  T value;
};

constexpr Choice<ModeName> kModes[] = {{"afterburn", ModeName::afterburn}, {"http", ModeName::http},
                                       {"streaming", ModeName::streaming}, {"serializing", ModeName::serializing},
                                       {"classic", ModeName::classic},     {"static", ModeName::static_files}};

constexpr Choice<AfterburnUnits> kUnits[] = {{"auto", AfterburnUnits::automatic},
                                             {"bytes", AfterburnUnits::bytes},
                                             {"codepoints", AfterburnUnits::codepoints},
                                             {"utf16", AfterburnUnits::utf16}};

constexpr Choice<StrayOutput> kStrays[] = {{"replace", StrayOutput::replace}, {"log", StrayOutput::log}};

constexpr Choice<CgiVars> kCgiVars[] = {{"openfaas", CgiVars::openfaas}, {"rfc3875", CgiVars::rfc3875}};

constexpr Choice<FunctionExit> kFunctionExits[] = {{"restart", FunctionExit::restart}, {"exit", FunctionExit::exit}};

constexpr Choice<LogFormat> kLogFormats[] = {
    {"text", LogFormat::text}, {"json", LogFormat::json}, {"logfmt", LogFormat::logfmt}};

constexpr Choice<AccessLogged> kAccessLogged[] = {
    {"all", AccessLogged::all}, {"errors", AccessLogged::errors}, {"none", AccessLogged::none}};

template <class T, std::size_t N>
Reading read_choice(T& setting, std::string_view text, const Choice<T> (&choices)[N]) {
  std::string names;
  for (const auto& [name, value] : choices) {
    if (name == text) {
      setting = value;
      return {};
    }
    names.append(names.empty() ? "" : ", ").append(name);
  }
  return {.problem = "not one of " + names, .warning = {}, .changed = {}};
}

}  // namespace

const char* to_string(ModeName mode) {
  for (const auto& [name, value] : kModes)
    if (value == mode) return name;
  return "";
}

Reading read_mode(ModeName& setting, std::string_view text) {
  if (text == "inproc")
    return {.problem = "for Go programs only, which link the watchdog", .warning = {}, .changed = {}};
  Reading reading = read_choice(setting, text, kModes);
  if (reading.problem.empty()) return reading;
  std::vector<std::string_view> names;
  for (const auto& mode : kModes) names.emplace_back(mode.name);
  const std::string_view nearest = nearest_name(text, names);
  if (!nearest.empty()) reading.problem.append("; did you mean ").append(nearest).append("?");
  return reading;
}

Reading read_units(AfterburnUnits& setting, std::string_view text) {
  return read_choice(setting, text, kUnits);
}

Reading read_stray(StrayOutput& setting, std::string_view text) {
  return read_choice(setting, text, kStrays);
}

Reading read_cgi_vars(CgiVars& setting, std::string_view text) {
  return read_choice(setting, text, kCgiVars);
}

Reading read_function_exit(FunctionExit& setting, std::string_view text) {
  return read_choice(setting, text, kFunctionExits);
}

Reading read_log_format(LogFormat& setting, std::string_view text) {
  return read_choice(setting, text, kLogFormats);
}

Reading read_access_logged(AccessLogged& setting, std::string_view text) {
  return read_choice(setting, text, kAccessLogged);
}

}  // namespace fwd
