// The one file that starts processes, and the one that Boost.Process appears in. Boost.Process 1.81 looks programs up;
// its launchers leak descriptors, run our destructors in a failed child or abort, so posix_spawn starts them.
#include "watchdog/process/spawn.hpp"

#include <boost/process/v2/environment.hpp>

#include <fcntl.h>
#include <spawn.h>

#include <cerrno>
#include <csignal>

namespace fwd {
namespace {

namespace process = boost::process::v2;

Result<std::string> find_program(const std::string& name) {
  if (name.empty()) return system_error(ENOENT);
  if (name.find('/') != std::string::npos) return name;
  const auto path = process::environment::find_executable(name);
  if (path.empty()) return system_error(ENOENT);
  return path.string();
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));  // exec does not write there
  list.push_back(nullptr);
  return list;
}

/// What the child does between fork and exec, and the state it starts in.
class SpawnPlan {
 public:
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
  }
  ~SpawnPlan() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&actions_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  void give(const UniqueFd& ours, int as) { posix_spawn_file_actions_adddup2(&actions_, ours.get(), as); }

  int run(const std::string& program, const SpawnRequest& request, pid_t& pid) {
    posix_spawn_file_actions_addclosefrom_np(&actions_, request.response_channel ? 4 : 3);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const auto argv = pointers(request.argv);
    const auto environment = pointers(request.environment);
    return posix_spawn(&pid, program.c_str(), &actions_, &attributes_, argv.data(), environment.data());
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

void set_nonblocking(const UniqueFd& fd) {
  if (fd) (void)::fcntl(fd.get(), F_SETFL, O_NONBLOCK);  // cannot fail on a pipe of ours
}

}  // namespace

Result<SpawnedChild> spawn(const SpawnRequest& request) {
  const auto program = find_program(request.argv.empty() ? std::string() : request.argv.front());
  if (!program) return program.error();
  auto input = make_pipe(), output = make_pipe(), error = make_pipe();
  Result<Pipe> response = Pipe{};
  if (request.response_channel) response = make_pipe();
  for (const Result<Pipe>* pipe : {&input, &output, &error, &response})
    if (!*pipe) return pipe->error();

  SpawnPlan plan;  // 0 to 2 first: main() keeps these open, so no pipe of ours has such a number
  plan.give(input->read_end, 0);
  plan.give(output->write_end, 1);
  plan.give(error->write_end, 2);
  if (request.response_channel) plan.give(response->write_end, 3);

  SpawnedChild child;
  if (const int failure = plan.run(*program, request, child.pid)) return system_error(failure);
  child.input = std::move(input->write_end);
  child.output = std::move(output->read_end);
  child.error = std::move(error->read_end);
  child.response = std::move(response->read_end);
  for (const UniqueFd* fd : {&child.input, &child.output, &child.error, &child.response}) set_nonblocking(*fd);
  return child;
}

}  // namespace fwd
