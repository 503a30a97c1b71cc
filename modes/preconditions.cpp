#include "modes/preconditions.hpp"

#include "watchdog/http/http_date_reader.hpp"

namespace fwd {
namespace {

enum class Comparison { strong, weak };

/// Takes the next tag off the front of `list`, its quotes included; nothing at the end, or if there is no tag.
std::optional<std::string_view> next_tag(std::string_view& list, bool& weak) {
  const auto start = list.find_first_not_of(", \t");
  if (start == std::string_view::npos) return std::nullopt;
  list.remove_prefix(start);
  weak = list.starts_with("W/");
  if (weak) list.remove_prefix(2);
  const auto end = list.starts_with('"') ? list.find('"', 1) : std::string_view::npos;
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view tag = list.substr(0, end + 1);
  list.remove_prefix(end + 1);
  return tag;
}

bool names_tag(std::string_view list, std::string_view etag, Comparison comparison) {
  if (list == "*") return true;
  bool weak = false;
  while (const auto tag = next_tag(list, weak)) {
    if (*tag == etag && (!weak || comparison == Comparison::weak)) return true;
  }
  return false;
}

/// Nothing without such a field.
std::optional<bool> any_names_tag(const RequestHead& request, std::string_view name, std::string_view etag,
                                  Comparison comparison) {
  std::optional<bool> named;
  for (const Field& field : request.fields()) {
    if (same_name(field.name, name)) named = named.value_or(false) || names_tag(field.value, etag, comparison);
  }
  return named;
}

std::optional<std::int64_t> find_date(const RequestHead& request, std::string_view name) {
  const auto text = request.find(name);
  return text ? read_http_date(*text) : std::nullopt;
}

}  // namespace

Precondition check_preconditions(const RequestHead& request, const Validators& file) {
  if (const auto matches = any_names_tag(request, "If-Match", file.etag, Comparison::strong)) {
    if (!*matches) return Precondition::failed;
  } else if (file.modified) {
    const auto date = find_date(request, "If-Unmodified-Since");
    if (date && *file.modified > *date) return Precondition::failed;
  }
  if (const auto matches = any_names_tag(request, "If-None-Match", file.etag, Comparison::weak))
    return *matches ? Precondition::not_modified : Precondition::holds;
  if (!file.modified) return Precondition::holds;
  const auto date = find_date(request, "If-Modified-Since");
  return date && *file.modified <= *date ? Precondition::not_modified : Precondition::holds;
}

bool range_counts(const RequestHead& request, const Validators& file) {
  const auto condition = request.find("If-Range");
  if (!condition) return true;
  if (condition->starts_with('"') || condition->starts_with("W/")) return *condition == file.etag;
  const auto date = read_http_date(*condition);
  return date && file.modified == date;
}

}  // namespace fwd
