#include "modes/content_coding.hpp"

#include <algorithm>
#include <optional>

#include "watchdog/http/field.hpp"

namespace fwd {
namespace {

/// Weights in thousandths, as far as the client said any.
struct Weights {
  std::optional<int> brotli, gzip, identity, others;
};

/// `0`, `1`, `0.5`, `0.125`, `1.000`; nothing if it is no weight. Source: RFC 9110 section 12.4.2.
std::optional<int> read_weight(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  if (text.size() > 1 && text[1] != '.') return std::nullopt;
  int weight = (text[0] - '0') * 1000;
  int unit = 100;
  for (std::size_t i = 2; i < text.size(); ++i, unit /= 10) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    weight += (text[i] - '0') * unit;
  }
  return weight <= 1000 ? std::optional(weight) : std::nullopt;
}

/// The weight behind a coding's name: `;q=0.5`, or nothing at all. What cannot be read is no wish for the coding.
int weight_of(std::string_view parameters) {
  parameters = trim_blanks(parameters);
  if (parameters.empty()) return 1000;
  parameters = trim_blanks(parameters.substr(1));
  if (parameters.size() < 2 || !same_name(parameters.substr(0, 2), "q=")) return 0;
  return read_weight(parameters.substr(2)).value_or(0);
}

void read_element(std::string_view element, Weights& weights) {
  const auto end = std::min(element.find(';'), element.size());
  const std::string_view name = trim_blanks(element.substr(0, end));
  const int weight = weight_of(element.substr(end));
  if (same_name(name, "br")) weights.brotli = weight;
  if (same_name(name, "gzip") || same_name(name, "x-gzip")) weights.gzip = weight;
  if (same_name(name, "identity")) weights.identity = weight;
  if (name == "*") weights.others = weight;
}

}  // namespace

std::string_view name_of(ContentCoding coding) {
  switch (coding) {
    case ContentCoding::brotli:
      return "br";
    case ContentCoding::gzip:
      return "gzip";
    case ContentCoding::identity:
      break;
  }
  return {};
}

std::string_view suffix_of(ContentCoding coding) {
  switch (coding) {
    case ContentCoding::brotli:
      return ".br";
    case ContentCoding::gzip:
      return ".gz";
    case ContentCoding::identity:
      break;
  }
  return {};
}

WantedCodings wanted_codings(const RequestHead& request) {
  Weights weights;
  for (const Field& field : request.fields()) {
    if (!same_name(field.name, "Accept-Encoding")) continue;
    std::string_view list = field.value;
    for (auto element = next_element(list); !element.empty(); element = next_element(list))
      read_element(element, weights);
  }
  const int others = weights.others.value_or(0);
  const int brotli = weights.brotli.value_or(others);
  const int gzip = weights.gzip.value_or(others);
  const int identity = weights.identity.value_or(0);  // unnamed, it is good enough if nothing else is there
  WantedCodings wanted;
  const auto add = [&wanted, identity](ContentCoding coding, int weight) {
    if (weight > 0 && weight >= identity) wanted.codings[wanted.count++] = coding;
  };
  if (gzip > brotli) add(ContentCoding::gzip, gzip);
  add(ContentCoding::brotli, brotli);
  if (gzip <= brotli) add(ContentCoding::gzip, gzip);
  return wanted;
}

}  // namespace fwd
