// The one file that starts processes, and the one that Boost.Process appears in. Boost.Process 1.81 looks programs up;
// its launchers leak descriptors, run our destructors in a failed child or abort, so they do not start any.
#include "watchdog/process/spawn.hpp"

#include <boost/process/v2/environment.hpp>

#include <fcntl.h>
#include <sanitizer/asan_interface.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace fwd {
namespace {

namespace process = boost::process::v2;

/// The same without a look at what is there: exec will tell.
Result<std::string> look_up(const std::string& name) {
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

/// What the child becomes. It runs in our memory while we are suspended, as posix_spawn has it; posix_spawn itself cannot
/// ask for a signal at our end, and old functions spin for ever when their stdin ends.
struct Launch {
  const char* program;
  char* const* argv;
  char* const* environment;
  std::array<int, 4> descriptors;  // becoming 0, 1, 2, 3; -1: none
  pid_t parent;
  int failure = 0;                 // errno of exec
};

bool give(int ours, int as) { return ours == as ? ::fcntl(as, F_SETFD, 0) == 0 : ::dup2(ours, as) == as; }

/// close_range(2), or by hand where an old kernel or a seccomp profile refuses it.
void close_from(unsigned first) {
  constexpr int kMostDescriptors = 65536;
  if (::close_range(first, ~0U, 0) == 0) return;
  for (int fd = static_cast<int>(first); fd < kMostDescriptors; ++fd) (void)::close(fd);  // most are not open
}

/// Allocates nothing, takes no lock, and ends in exec or _exit: the memory is the parent's.
int become(void* argument) {
  Launch& launch = *static_cast<Launch*>(argument);
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) (void)::sigaction(number, &by_default, nullptr);  // KILL and STOP refuse
  (void)::setpgid(0, 0);
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  unsigned next = 0;
  for (const int fd : launch.descriptors)
    if (fd >= 0 && !give(fd, static_cast<int>(next++))) ::_exit(127);
  close_from(next);
  sigset_t none;
  sigemptyset(&none);
  (void)::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::getppid() == launch.parent) ::execve(launch.program, launch.argv, launch.environment);
  launch.failure = errno;
  ::_exit(127);
}

/// Returns when the child has begun to run its program, or has failed to.
Result<pid_t> run(Launch& launch) {
  alignas(16) std::array<char, 64 * 1024> stack;
  sigset_t all, before;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);  // no handler of ours may run in the child
  const pid_t pid = ::clone(become, stack.data() + stack.size(), CLONE_VM | CLONE_VFORK | SIGCHLD, &launch);
  const int failure = pid < 0 ? errno : launch.failure;
  ASAN_UNPOISON_MEMORY_REGION(stack.data(), stack.size());  // the child left its marks there, and never returned
  if (pid >= 0 && failure != 0) (void)::waitpid(pid, nullptr, 0);  // it never was what was asked for: nobody's child
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (failure != 0) return system_error(failure);
  return pid;
}

}  // namespace

Result<std::string> find_program(const std::string& name) {
  auto path = look_up(name);
  if (!path) return path;
  struct stat found {};
  if (::stat(path->c_str(), &found) != 0) return system_error(errno);
  if (S_ISDIR(found.st_mode)) return system_error(EACCES);
  if (::access(path->c_str(), X_OK) != 0) return system_error(errno);
  return path;
}

Result<SpawnedChild> spawn(const SpawnRequest& request) {
  Result<std::string> program = request.program;
  if (request.program.empty()) program = look_up(request.argv.empty() ? std::string() : request.argv.front());
  if (!program) return program.error();
  auto input = make_pipe(), output = make_pipe();
  Result<Pipe> error = Pipe{}, response = Pipe{};
  if (!request.merge_error) error = make_pipe();
  if (request.response_channel) response = make_pipe();
  for (const Result<Pipe>* pipe : {&input, &output, &error, &response})
    if (!*pipe) return pipe->error();

  const UniqueFd& error_end = request.merge_error ? output->write_end : error->write_end;
  const auto argv = pointers(request.argv);
  const auto environment = pointers(request.environment);
  Launch launch{.program = program->c_str(),
                .argv = argv.data(),
                .environment = environment.data(),
                .descriptors = {input->read_end.get(), output->write_end.get(), error_end.get(),
                                request.response_channel ? response->write_end.get() : -1},
                .parent = ::getpid()};
  const auto pid = run(launch);
  if (!pid) return pid.error();
  SpawnedChild child;
  child.pid = *pid;
  child.input = std::move(input->write_end);
  child.output = std::move(output->read_end);
  child.error = std::move(error->read_end);
  child.response = std::move(response->read_end);
  return child;
}

}  // namespace fwd
