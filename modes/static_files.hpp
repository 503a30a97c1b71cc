#pragma once

#include <memory>
#include <string>
#include <vector>

#include "watchdog/mode.hpp"

namespace fwd {

struct StaticOptions {
  std::string root{};           // the folder to serve; not looked at if there is an archive
  std::string archive{};        // an uncompressed tar to serve instead; empty: none
  bool listing = false;         // answer for a folder without index.html with the names in it
  std::string cache_control{};  // the value of Cache-Control with every file; empty: no such field
};

class FileSource;
class StaticCall;

/// Serves files below a folder, or those of a tar archive. There is no function and no process. Files are opened and
/// read on the event loop. modes/README.md is the contract.
class StaticFiles final : public Mode {
 public:
  explicit StaticFiles(StaticOptions options);
  ~StaticFiles() override;

  /// Opens the folder, once and for all, or the archive, and makes the archive's index.
  /// Errors: the system's; invalid_value for a malformed archive or option. start_error() says more.
  Error start() override;

  /// Why start() failed, in one line that names the path and the reason: `static_archive=a.tar: at byte 512: …`.
  std::string start_error() const override { return start_error_; }

  Task<Error> serve(Exchange& exchange) override;
  Task<void> stop(Deadline) override { co_return; }
  void kill() override {}
  std::optional<Clock::time_point> down_since() const override { return std::nullopt; }
  seconds retry_after() const override { return seconds(1); }
  FunctionStats stats() const override { return {}; }

 private:
  Error open_root();
  Error open_archive();
  std::unique_ptr<StaticCall> take_call();
  void give_back(std::unique_ptr<StaticCall> call);

  StaticOptions options_;
  std::string start_error_;
  std::unique_ptr<FileSource> source_;
  std::vector<std::unique_ptr<StaticCall>> spare_;
};

}  // namespace fwd
