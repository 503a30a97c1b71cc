#include "modes/child_environment.hpp"

#include <algorithm>

namespace fwd {
namespace {

std::string_view name_of(std::string_view variable) { return variable.substr(0, variable.find('=')); }

}  // namespace

ChildEnvironment::ChildEnvironment(std::vector<std::string>& entries) : entries_(entries) {
  std::erase_if(entries_, [](const std::string& entry) { return entry.find('=') == std::string::npos; });
  std::unordered_map<std::string_view, const std::string*> last;
  for (const std::string& entry : entries_) last[name_of(entry)] = &entry;
  for (const std::string& entry : entries_)
    if (last[name_of(entry)] == &entry) own_.push_back(entry);
  for (std::size_t i = 0; i < own_.size(); ++i) places_[name_of(own_[i])] = i;
  entries_ = own_;
}

void ChildEnvironment::add(const std::vector<std::string>& variables) {
  entries_.resize(own_.size());
  for (const std::size_t place : changed_) entries_[place] = own_[place];
  changed_.clear();
  for (const std::string& variable : variables) {
    const auto own = places_.find(name_of(variable));
    if (own == places_.end()) {
      entries_.push_back(variable);
    } else {
      entries_[own->second] = variable;
      changed_.push_back(own->second);
    }
  }
}

}  // namespace fwd
