#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fwd {

/// The environment of processes: a list of our own, prepared once, and what one request adds. No name occurs twice.
class ChildEnvironment {
 public:
  /// `entries` holds our own, NAME=value, and from now on the result; it outlives this. What is no NAME=value is dropped,
  /// and of equal names all but the last.
  explicit ChildEnvironment(std::vector<std::string>& entries);

  /// Makes the entries our own with `variables`, in which no name occurs twice, and which hold where a name is in both.
  void add(const std::vector<std::string>& variables);

 private:
  std::vector<std::string>& entries_;
  std::vector<std::string> own_;
  std::unordered_map<std::string_view, std::size_t> places_;  // by name, in own_
  std::vector<std::size_t> changed_;                          // places in entries_ that a request has taken
};

}  // namespace fwd
