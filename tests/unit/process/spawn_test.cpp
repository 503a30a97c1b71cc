#include "watchdog/process/spawn.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>

#include <fcntl.h>

namespace fwd {
namespace {

/// Starts the probe, reads `from` to its end, and reaps it.
std::string output_of(std::vector<std::string> arguments, UniqueFd SpawnedChild::*from = &SpawnedChild::output,
                      bool response_channel = false, std::vector<std::string> environment = {}) {
  arguments.insert(arguments.begin(), PROBE_BINARY);
  auto child = spawn({std::move(arguments), std::move(environment), response_channel});
  EXPECT_TRUE(child) << child.error().message();
  if (!child) return {};
  std::string all;
  char bytes[4096];
  const int fd = ((*child).*from).get();
  (void)::fcntl(fd, F_SETFL, 0);
  for (ssize_t count; (count = ::read(fd, bytes, sizeof bytes)) > 0;) all.append(bytes, static_cast<std::size_t>(count));
  EXPECT_EQ(::waitpid(child->pid, nullptr, 0), child->pid);
  return all;
}

Error error_of(std::vector<std::string> argv) {
  auto child = spawn({std::move(argv), {}, false});
  EXPECT_FALSE(child);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a process was left behind";
  return child ? Error{} : child.error();
}

TEST(Spawn, the_child_has_only_its_standard_descriptors) {
  const UniqueFd leaky(::open("/dev/null", O_RDONLY));  // no close-on-exec
  EXPECT_EQ(output_of({"descriptors"}), "0\n1\n2\n");
}

TEST(Spawn, a_response_channel_is_descriptor_three) {
  EXPECT_EQ(output_of({"descriptors"}, &SpawnedChild::output, true), "0\n1\n2\n3\n");
  EXPECT_EQ(output_of({"answer-on-3", "hello"}, &SpawnedChild::response, true), "hello");
}

TEST(Spawn, the_child_has_clean_signals) {
  (void)std::signal(SIGPIPE, SIG_IGN);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  sigprocmask(SIG_BLOCK, &blocked, nullptr);
  EXPECT_EQ(output_of({"signals"}), "");
  sigprocmask(SIG_UNBLOCK, &blocked, nullptr);
}

TEST(Spawn, the_environment_is_what_was_given) {
  EXPECT_EQ(output_of({"environment", "COLOUR"}, &SpawnedChild::output, false, {"COLOUR=green"}), "green");
  EXPECT_EQ(output_of({"environment", "PATH"}), "(unset)");
}

TEST(Spawn, stderr_has_a_pipe_of_its_own) { EXPECT_EQ(output_of({"complain", "oops"}, &SpawnedChild::error), "oops"); }

TEST(Spawn, a_program_that_cannot_be_started_says_why) {
  const std::string directory = testing::TempDir();
  const std::string no_shebang = directory + "/no-shebang";
  std::ofstream(no_shebang) << "echo hi\n";
  ASSERT_EQ(::chmod(no_shebang.c_str(), 0755), 0);
  EXPECT_EQ(error_of({"/nonexistent/program"}), system_error(ENOENT));
  EXPECT_EQ(error_of({"no-such-program-in-path"}), system_error(ENOENT));
  EXPECT_EQ(error_of({""}), system_error(ENOENT));
  EXPECT_EQ(error_of({directory}), system_error(EACCES));
  EXPECT_EQ(error_of({no_shebang}), system_error(ENOEXEC));
}

TEST(Spawn, an_environment_that_is_too_large_is_e2big) {
  auto child = spawn({{PROBE_BINARY, "exit", "0"}, {"X=" + std::string(300 * 1024, 'x')}, false});
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error(), system_error(E2BIG));
}

TEST(Spawn, the_child_leads_a_process_group_of_its_own) {
  auto child = spawn({{PROBE_BINARY, "wait"}, {}, false});
  ASSERT_TRUE(child);
  EXPECT_EQ(::getpgid(child->pid), child->pid);
  ::kill(-child->pid, SIGKILL);
  EXPECT_EQ(::waitpid(child->pid, nullptr, 0), child->pid);
}

}  // namespace
}  // namespace fwd
