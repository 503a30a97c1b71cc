#include "modes/beneath_walk.hpp"

#include <array>
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <vector>

#include "modes/static_path.hpp"

namespace fwd {
namespace {

constexpr int kMostLinks = 40;  // the kernel's own limit, path_resolution(7)
constexpr int kFile = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC;
constexpr int kFolder = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

class Walk {
 public:
  Walk(int root, const std::string& path) : root_(root), rest_(path) {}

  Result<UniqueFd> run() {
    while (!rest_.empty()) {
      const std::string name = take_component(rest_);
      if (rest_.empty() && name != "..") {
        auto file = open_last(name);
        if (file || file.error() != system_error(ELOOP)) return file;
        if (const Error error = take_link(name)) return error;
      } else if (const Error error = step(name)) {
        return error;
      }
    }
    return open_last(".");
  }

 private:
  int here() const { return folders_.empty() ? root_ : folders_.back().get(); }

  /// Goes on to the folder `name`, or to where the link `name` leads.
  Error step(const std::string& name) {
    if (name == ".") return {};
    if (name == "..") {
      if (folders_.empty()) return system_error(EXDEV);
      folders_.pop_back();
      return {};
    }
    UniqueFd folder(::openat(here(), name.c_str(), kFolder));
    if (folder) {
      folders_.push_back(std::move(folder));
      return {};
    }
    return errno == ENOTDIR || errno == ELOOP ? take_link(name) : system_error(errno);  // a link, or a file
  }

  /// Puts what the link `name` says before the rest of the path.
  Error take_link(const std::string& name) {
    std::array<char, PATH_MAX> text;
    const ssize_t size = ::readlinkat(here(), name.c_str(), text.data(), text.size());
    if (size < 0) return system_error(errno == EINVAL ? ENOTDIR : errno);
    if (++links_ > kMostLinks) return system_error(ELOOP);
    std::string target(text.data(), static_cast<std::size_t>(size));
    if (target.starts_with('/')) return system_error(EXDEV);
    if (target.empty()) return system_error(ENOENT);
    rest_ = rest_.empty() ? std::move(target) : target + "/" + rest_;
    return rest_.size() < PATH_MAX ? Error{} : system_error(ENAMETOOLONG);
  }

  Result<UniqueFd> open_last(const std::string& name) {
    UniqueFd file(::openat(here(), name.c_str(), kFile));
    if (!file) return system_error(errno);
    return file;
  }

  int root_;
  std::string rest_;
  std::vector<UniqueFd> folders_;  // from below the root to where we are
  int links_ = 0;
};

}  // namespace

Result<UniqueFd> open_by_walking(int root, const std::string& path) {
  if (path.size() >= PATH_MAX) return system_error(ENAMETOOLONG);
  if (path.starts_with('/')) return system_error(EXDEV);
  return Walk(root, path).run();
}

}  // namespace fwd
