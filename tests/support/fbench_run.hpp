#pragma once

#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

namespace fwd::test {

using Words = std::vector<std::string>;

/// A program while it runs, with its output in files of a folder of its own. Found by PATH unless it has a slash.
/// The destructor kills it if it still runs.
class Program {
 public:
  Program(const std::string& path, Words words);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void signal(int number) const;

  /// The exit code; 128 + n for signal n; -1 if it still runs after `budget`.
  int wait(std::chrono::milliseconds budget = std::chrono::seconds(20));

  std::string out() const { return read(out_file()); }
  std::string err() const { return read(err_file()); }

 private:
  static constexpr int kRuns = -1;
  std::string out_file() const { return folder_ + "/out"; }
  std::string err_file() const { return folder_ + "/err"; }
  static std::string read(const std::string& file);

  std::string folder_;
  pid_t pid_ = -1;
  int exit_code_ = kRuns;
};

/// What a program came to.
struct Outcome {
  int exit_code;
  std::string out;
  std::string err;
};

Outcome run(const std::string& path, Words words);
inline Outcome fbench(Words words) {
  return run(FBENCH_BINARY, std::move(words));
}

/// Is a real ab there to compare with?
bool has_ab();

/// A request body in a file, which goes with this.
class BodyFile {
 public:
  explicit BodyFile(const std::string& bytes);
  ~BodyFile();
  BodyFile(const BodyFile&) = delete;
  BodyFile& operator=(const BodyFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace fwd::test

/// Shows the whole text when a part is missing.
#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << "no " << (part) << " in\n" << (text)
