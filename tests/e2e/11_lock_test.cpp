// The lock file that old health checks look for, and what health and readiness say.

#include <fstream>
#include <gtest/gtest.h>
#include <signal.h>
#include <string>
#include <unistd.h>

#include "tests/e2e/fragilities.hpp"

namespace fwd::test {
namespace {

int health(const WatchdogProcess& watchdog) {
  return request(watchdog.port(), "GET", "/_/health").status;
}
int ready(const WatchdogProcess& watchdog) {
  return request(watchdog.port(), "GET", "/_/ready").status;
}

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(lock, the_file_holds_our_pid_while_we_live) {
  WatchdogProcess watchdog(misbehave());
  const auto lock = watchdog.folder() / ".lock";
  ASSERT_TRUE(std::filesystem::exists(lock));
  EXPECT_EQ(content(lock), std::to_string(watchdog.pid()) + "\n");
  watchdog.signal(SIGTERM);
  EXPECT_EQ(watchdog.wait_exit(milliseconds(10'000)), 0) << watchdog.log();
  EXPECT_FALSE(std::filesystem::exists(lock));
  EXPECT_EQ(watchdog.count_lines("Removing lock-file : " + lock.string()), 1U) << watchdog.log();
}

TEST(lock, health_and_readiness_answer_as_the_contract_says) {
  WatchdogProcess watchdog(misbehave({{"max_inflight", "1"}}));
  const HttpAnswer answer = request(watchdog.port(), "GET", "/_/health");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "OK");
  for (const char* method : {"HEAD", "POST", "PUT", "DELETE"}) {
    for (const char* path : {"/_/health", "/_/ready"}) {
      HttpClient client(watchdog.port());
      const auto refused = client.ask(method, path);
      ASSERT_TRUE(refused) << client.last_error();
      EXPECT_EQ(refused->status, 405) << method << path;
      EXPECT_EQ(refused->body, "");
    }
  }
  const Gate gate(watchdog);
  HttpClient held(watchdog.port());
  ASSERT_TRUE(held.send(render_request("POST", "/wait", gate.path())));
  ASSERT_TRUE(watchdog.wait_for_line("begun /wait"));
  EXPECT_EQ(ready(watchdog), 429) << "max_inflight is reached";
  EXPECT_EQ(health(watchdog), 200);
  gate.open();
  EXPECT_TRUE(held.find_answer()) << held.last_error();
  EXPECT_EQ(ready(watchdog), 200);
}

TEST(lock, two_instances_with_one_directory_do_not_disturb_each_other) {
  WatchdogProcess first(misbehave());
  const auto lock = first.folder() / ".lock";
  const std::string pid = std::to_string(first.pid()) + "\n";
  {
    WatchdogProcess second(misbehave({{"TMPDIR", first.folder().string()}}));
    EXPECT_TRUE(second.wait_for_line("left to it")) << second.log();
    EXPECT_EQ(content(lock), pid);
    EXPECT_EQ(health(second), 200);
    second.signal(SIGTERM);
    EXPECT_EQ(second.wait_exit(milliseconds(10'000)), 0) << second.log();
    EXPECT_EQ(content(lock), pid) << "the second took what is not its own";
  }
  EXPECT_EQ(health(first), 200);
  WatchdogProcess third(misbehave({{"TMPDIR", first.folder().string()}}));
  first.signal(SIGTERM);
  EXPECT_EQ(first.wait_exit(milliseconds(10'000)), 0) << first.log();
  EXPECT_FALSE(std::filesystem::exists(lock));
  EXPECT_EQ(health(third), 200);
  expect_echo(third);
}

TEST(lock, a_file_that_is_taken_away_makes_us_unhealthy_and_is_told_once) {
  WatchdogProcess watchdog(misbehave());
  std::filesystem::remove(watchdog.folder() / ".lock");
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(health(watchdog), 503);
    EXPECT_EQ(ready(watchdog), 503);
  }
  EXPECT_EQ(request(watchdog.port(), "GET", "/_/health").body, "");
  expect_echo(watchdog);
  EXPECT_TRUE(watchdog.wait_for_line("was removed")) << watchdog.log();
  EXPECT_EQ(watchdog.count_lines("was removed"), 1U) << watchdog.log();
  std::ofstream(watchdog.folder() / ".lock") << "somebody else's\n";
  EXPECT_EQ(health(watchdog), 503) << "another file in its place is not ours";
  watchdog.signal(SIGTERM);
  EXPECT_EQ(watchdog.wait_exit(milliseconds(10'000)), 0) << watchdog.log();
  EXPECT_EQ(content(watchdog.folder() / ".lock"), "somebody else's\n");
}

TEST(lock, what_a_dead_instance_left_is_taken_over) {
  WatchdogProcess dead(misbehave());
  dead.signal(SIGKILL);
  ASSERT_EQ(dead.wait_exit(milliseconds(10'000)), 128 + SIGKILL);
  const auto lock = dead.folder() / ".lock";
  ASSERT_TRUE(std::filesystem::exists(lock));
  WatchdogProcess heir(misbehave({{"TMPDIR", dead.folder().string()}}));
  EXPECT_EQ(content(lock), std::to_string(heir.pid()) + "\n");
  EXPECT_EQ(health(heir), 200);
  heir.signal(SIGTERM);
  EXPECT_EQ(heir.wait_exit(milliseconds(10'000)), 0) << heir.log();
  EXPECT_FALSE(std::filesystem::exists(lock));
}

TEST(lock, without_a_lock_health_says_200_all_the_same) {
  WatchdogProcess watchdog(misbehave({{"suppress_lock", "true"}}));
  EXPECT_FALSE(std::filesystem::exists(watchdog.folder() / ".lock"));
  EXPECT_EQ(health(watchdog), 200);
  EXPECT_EQ(ready(watchdog), 200);
  EXPECT_TRUE(watchdog.wait_for_line("Warning: \"suppress_lock\" is enabled")) << watchdog.log();
}

TEST(lock, a_directory_that_is_missing_is_made_and_one_that_cannot_be_ends_with_71) {
  const std::string root =
      (std::filesystem::temp_directory_path() / ("fwatchdog-lock-" + std::to_string(getpid()))).string();
  {
    WatchdogProcess watchdog(misbehave({{"TMPDIR", root + "/a/b"}}));
    EXPECT_TRUE(std::filesystem::exists(root + "/a/b/.lock"));
  }
  std::filesystem::remove_all(root);
  for (const std::string directory : {"/proc/nowhere", "/dev/null"}) {
    WatchdogOptions options = misbehave({{"TMPDIR", directory}});
    options.expect_ready = false;
    WatchdogProcess watchdog(std::move(options));
    EXPECT_EQ(watchdog.wait_exit(milliseconds(10'000)), 71) << watchdog.log();
    EXPECT_TRUE(watchdog.wait_for_line("Cannot write " + directory + "/.lock")) << watchdog.log();
    EXPECT_TRUE(watchdog.wait_for_line("suppress_lock=true")) << watchdog.log();
    for (const pid_t pid : watchdog.children()) EXPECT_TRUE(wait_until([pid] { return !is_running(pid); }));
  }
}

/// A function that ends at start while a file is there.
class Fragile {
 public:
  Fragile()
      : gone_((std::filesystem::temp_directory_path() / ("fwatchdog-ill-" + std::to_string(getpid()))).string()) {}
  ~Fragile() { heal(); }
  WatchdogOptions options() const {
    const std::string script = "test -e " + gone_ + " && exit 1; exec " + compat_program("misbehave");
    return {.function = {"sh", "-c", script}, .environment = {{"mode", "afterburn"}, {"afterburn_workers", "1"}}};
  }
  void fall_ill() const { std::ofstream(gone_).flush(); }
  void heal() const { std::filesystem::remove(gone_); }

 private:
  std::string gone_;
};

TEST(lock, without_a_worker_health_is_503_after_a_while_and_stays_so_until_one_is_up) {
  const Fragile function;
  WatchdogProcess watchdog(function.options());
  function.fall_ill();
  for (const pid_t pid : watchdog.children()) kill(pid, SIGKILL);
  EXPECT_TRUE(wait_until([&] { return ready(watchdog) == 503; })) << watchdog.log();
  EXPECT_EQ(health(watchdog), 200) << "a worker may be back in a moment";
  ASSERT_TRUE(wait_until([&] { return health(watchdog) == 503; }, milliseconds(30'000))) << watchdog.log();
  const auto deaths = [&] { return watchdog.count_lines("Forked function has terminated"); };
  const std::size_t before = deaths();
  EXPECT_TRUE(wait_until([&] { return deaths() > before; }, milliseconds(30'000))) << watchdog.log();
  EXPECT_EQ(health(watchdog), 503) << "a process that ended at once was no worker\n" << watchdog.log();
  function.heal();
  EXPECT_TRUE(wait_until([&] { return health(watchdog) == 200 && ready(watchdog) == 200; }, milliseconds(30'000)))
      << watchdog.log();
  expect_echo(watchdog);
}

}  // namespace
}  // namespace fwd::test
