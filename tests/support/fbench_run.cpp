#include "tests/support/fbench_run.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sstream>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace fwd::test {
namespace {

std::string template_in_temp(const char* name) {
  return std::filesystem::temp_directory_path() / name;
}

}  // namespace

Program::Program(const std::string& path, Words words) {
  std::string name = template_in_temp("fbench.XXXXXX");
  folder_ = ::mkdtemp(name.data());
  words.insert(words.begin(), path);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, out_file().c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err_file().c_str(), O_WRONLY | O_CREAT, 0600);
  if (::posix_spawnp(&pid_, path.c_str(), &actions, nullptr, argv.data(), environ) != 0) pid_ = -1;
  posix_spawn_file_actions_destroy(&actions);
}

Program::~Program() {
  if (pid_ > 0 && exit_code_ == kRuns) {
    (void)::kill(pid_, SIGKILL);
    (void)::waitpid(pid_, nullptr, 0);
  }
  std::filesystem::remove_all(folder_);
}

void Program::signal(int number) const {
  if (pid_ > 0) (void)::kill(pid_, number);
}

int Program::wait(std::chrono::milliseconds budget) {
  if (pid_ <= 0) return kRuns;
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  pollfd ended{pidfd, POLLIN, 0};
  const bool over = ::poll(&ended, 1, static_cast<int>(budget.count())) == 1;
  (void)::close(pidfd);
  if (!over) return kRuns;
  int status = 0;
  (void)::waitpid(pid_, &status, 0);
  return exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string Program::read(const std::string& file) {
  std::stringstream bytes;
  bytes << std::ifstream(file).rdbuf();
  return bytes.str();
}

Outcome run(const std::string& path, Words words) {
  Program program(path, std::move(words));
  const int code = program.wait();
  return {code, program.out(), program.err()};
}

bool has_ab() {
  return run("ab", {"-V"}).exit_code == 0;
}

BodyFile::BodyFile(const std::string& bytes) : path_(template_in_temp("body.XXXXXX")) {
  (void)::close(::mkstemp(path_.data()));
  std::ofstream(path_) << bytes;
}

BodyFile::~BodyFile() {
  std::filesystem::remove(path_);
}

}  // namespace fwd::test
