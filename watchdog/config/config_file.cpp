#include "watchdog/config/config_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <yaml-cpp/yaml.h>

#include "watchdog/config/option_values.hpp"

namespace fwd {
namespace {

constexpr std::size_t kLargestFile = 1024 * 1024;  // a thousand times what all options take

using Entries = std::variant<std::vector<FileEntry>, OptionError>;

std::size_t line_of(const YAML::Mark& mark) {
  return mark.is_null() ? 1 : static_cast<std::size_t>(mark.line) + 1;
}

OptionError error_at(const std::string& path, std::size_t line, const std::string& text) {
  return {fmt::format("{}:{}: {}", path, line, text)};
}

Entries entries_of(const std::string& path, const YAML::Node& document) {
  std::vector<FileEntry> entries;
  if (document.IsNull()) return entries;  // an empty file
  if (!document.IsMap()) return error_at(path, line_of(document.Mark()), "not a list of `option: value` lines");
  for (const auto& pair : document) {
    const std::size_t line = line_of(pair.first.Mark());
    if (!pair.first.IsScalar()) return error_at(path, line, "the name of an option must be one word");
    const std::string& key = pair.first.Scalar();
    if (!pair.second.IsScalar() && !pair.second.IsNull())
      return error_at(path, line, fmt::format("{} must have a single value", in_quotes(key)));
    const bool twice = std::any_of(entries.begin(), entries.end(), [&key](const FileEntry& e) { return e.key == key; });
    if (twice) return error_at(path, line, fmt::format("{} is given twice", in_quotes(key)));
    entries.push_back({key, pair.second.IsNull() ? "" : pair.second.Scalar(), line});
  }
  return entries;
}

}  // namespace

Entries parse_config_file(const std::string& path, const std::string& text) {
  try {  // yaml-cpp has no other way to tell
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.empty()) return std::vector<FileEntry>{};
    if (documents.size() > 1) return error_at(path, line_of(documents[1].Mark()), "a second document; one is read");
    return entries_of(path, documents.front());
  } catch (const YAML::Exception& failure) {
    return error_at(path, line_of(failure.mark), failure.msg);
  }
}

Entries read_config_file(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(kLargestFile + 1, '\0');
  if (file) file.read(text.data(), static_cast<std::streamsize>(text.size()));
  const bool complete = file.eof();
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kLargestFile) return OptionError{fmt::format("config={}: longer than 1 MiB", in_quotes(path))};
  if (!complete)
    return OptionError{fmt::format("config={}: cannot be read: {}", in_quotes(path), std::strerror(errno))};
  return parse_config_file(path, text);
}

}  // namespace fwd
