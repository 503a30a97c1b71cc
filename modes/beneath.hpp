#pragma once

#include <string>

#include "watchdog/base/error.hpp"
#include "watchdog/base/fd.hpp"

namespace fwd {

/// A folder, held open, whose files can be opened and nothing outside of it. Links are followed as long as every step
/// stays below the folder; absolute ones, and those of /proc that are no real links, lead nowhere. Replacing files,
/// links and folders meanwhile is harmless.
class Beneath {
 public:
  enum class Way {
    best,  // openat2 if the kernel and the seccomp profile have it, else `walk`
    walk,  // one component after the other
  };

  /// Opens `root`, which may itself be a link.
  /// Errors: the system's, ENOTDIR among them.
  static Result<Beneath> open_root(const std::string& root, Way way = Way::best);

  /// Opens what `path` names for reading, without waiting: a fifo does not block. Empty: the folder itself.
  /// Shape:  `path` is relative, without a slash at its end. `..` in it is allowed and leads out no more than a link.
  /// Errors: ENOENT, ENOTDIR, EACCES, ELOOP (more than 40 links), EXDEV (leads out), ENAMETOOLONG, ENXIO (a socket),
  ///         EMFILE, ENFILE, ENOMEM, EIO.
  /// Source: openat2(2); path_resolution(7).
  Result<UniqueFd> open(const std::string& path) const;

  /// By openat2, in one system call.
  bool in_one_step() const { return way_ == Way::best; }

 private:
  Beneath(UniqueFd root, Way way) : root_(std::move(root)), way_(way) {}

  UniqueFd root_;
  Way way_;
};

}  // namespace fwd
