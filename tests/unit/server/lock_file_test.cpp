#include "watchdog/server/lock_file.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <thread>

namespace fwd {
namespace {

/// A folder of its own for each test.
class LockFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "fwatchdog-lock-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return lock_path(folder_.string()); }
  static std::string content(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  static std::string own_pid() { return std::to_string(::getpid()) + "\n"; }

  std::filesystem::path folder_;
};

TEST_F(LockFileTest, holds_our_pid_until_it_is_removed) {
  LockFile lock(path());
  EXPECT_FALSE(lock.owned());
  EXPECT_FALSE(lock.create());
  EXPECT_TRUE(lock.owned());
  EXPECT_TRUE(lock.intact());
  EXPECT_EQ(content(path()), own_pid());
  lock.remove();
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_FALSE(lock.owned());
  lock.remove();
}

TEST_F(LockFileTest, goes_with_its_object) {
  { EXPECT_FALSE(LockFile(path()).create()); }
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(LockFileTest, of_a_living_neighbour_is_left_alone) {
  LockFile first(path());
  EXPECT_FALSE(first.create());
  {
    LockFile second(path());
    EXPECT_FALSE(second.create());
    EXPECT_FALSE(second.owned());
    EXPECT_TRUE(second.intact()) << "what was never ours cannot be taken away";
  }
  EXPECT_TRUE(first.intact());
  EXPECT_EQ(content(path()), own_pid());
}

TEST_F(LockFileTest, of_a_dead_instance_is_taken_over) {
  std::ofstream(path()) << "4194304123\nand more";
  LockFile lock(path());
  EXPECT_FALSE(lock.create());
  EXPECT_TRUE(lock.owned());
  EXPECT_EQ(content(path()), own_pid());
}

TEST_F(LockFileTest, that_was_taken_away_or_exchanged_is_not_intact) {
  LockFile lock(path());
  EXPECT_FALSE(lock.create());
  std::filesystem::remove(path());
  EXPECT_FALSE(lock.intact());
  std::ofstream(path()) << "another";
  EXPECT_FALSE(lock.intact());
  lock.remove();
  EXPECT_EQ(content(path()), "another") << "only our own is removed";
}

TEST_F(LockFileTest, makes_its_directory) {
  LockFile lock(lock_path((folder_ / "a" / "b").string()));
  EXPECT_FALSE(lock.create());
  EXPECT_TRUE(std::filesystem::exists(folder_ / "a" / "b" / ".lock"));
}

TEST_F(LockFileTest, that_cannot_be_written_says_why) {
  struct Row {
    const char* directory;
    int number;
  };
  for (const Row& row : {Row{"/proc/nowhere", ENOENT}, Row{"/dev/null", ENOTDIR}}) {
    LockFile lock(lock_path(row.directory));
    EXPECT_EQ(lock.create(), system_error(row.number)) << row.directory;
    EXPECT_FALSE(lock.owned());
  }
}

TEST_F(LockFileTest, never_follows_a_link) {
  const std::string target = (folder_ / "target").string();
  std::ofstream(target) << "precious";
  std::filesystem::create_symlink(target, path());
  LockFile lock(path());
  EXPECT_EQ(lock.create(), system_error(ELOOP));
  EXPECT_EQ(content(target), "precious");
}

/// Whoever opens the file just before its owner removes it must not take the removed file for a lock.
TEST_F(LockFileTest, that_is_owned_is_always_in_its_place) {
  constexpr int kRounds = 5'000;
  std::atomic<int> lost{0};
  const auto come_and_go = [&lost, this] {
    for (int round = 0; round < kRounds; ++round) {
      LockFile lock(path());
      if (!lock.create() && lock.owned() && !lock.intact()) ++lost;
    }
  };
  std::thread other(come_and_go);
  come_and_go();
  other.join();
  EXPECT_EQ(lost, 0);
}

}  // namespace
}  // namespace fwd
