#include "modes/beneath.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>

#include "tests/support/temporary_folder.hpp"

namespace fwd {
namespace {

using test::TemporaryFolder;

std::string contents(const UniqueFd& file) {
  std::array<char, 256> text;
  const ssize_t size = ::read(file.get(), text.data(), text.size());
  return size < 0 ? "errno " + std::to_string(errno) : std::string(text.data(), static_cast<std::size_t>(size));
}

/// A tree with everything in it that could lead out. The root is `root`; `secret` stands beside it.
class BeneathTest : public testing::TestWithParam<Beneath::Way> {
 protected:
  void SetUp() override {
    tree_.write("secret", "secret");
    tree_.write("site-too/secret", "secret");
    tree_.write("site/file", "file");
    tree_.write("site/a/b/deep", "deep");
    tree_.link("site/to-file", "file");
    tree_.link("site/to-a", "a");
    tree_.link("site/to-a-with-slash", "a/");
    tree_.link("site/to-file-with-slash", "file/");
    tree_.link("site/a/up", "../file");
    tree_.link("site/a/b/up-and-down", "../../a/b/deep");
    tree_.link("site/a/dots", "./b/.././b/./deep");
    tree_.link("site/a/parent", "..");
    tree_.link("site/here", ".");
    tree_.link("site/dangling", "nowhere");
    tree_.link("site/loop", "loop");
    tree_.link("site/loop-a", "loop-b");
    tree_.link("site/loop-b", "loop-a");
    tree_.link("site/absolute", tree_ / "secret");
    tree_.link("site/absolute-inside", tree_ / "site/file");
    tree_.link("site/absolute-folder", tree_.path().string());
    tree_.link("site/relative", "../secret");
    tree_.link("site/relative-folder", "..");
    tree_.link("site/relative-neighbour", "../site-too/secret");
    tree_.link("site/out-and-in", "../site/file");
    tree_.link("site/a/b/several", "../several");
    tree_.link("site/a/several", "../several");
    tree_.link("site/several", "a/parent/relative");
    tree_.link("site/proc-root", "/proc/self/cwd/passwd");
    tree_.link("site/proc-cwd", "/proc/self/cwd");
    // Kubernetes' layout of a volume.
    tree_.write("site/volume/..2026_01/key", "first");
    tree_.link("site/volume/..data", "..2026_01");
    tree_.link("site/volume/key", "..data/key");
    for (int i = 0; i < 42; ++i)
      tree_.link("site/chain/" + std::to_string(i), i == 0 ? "../file" : std::to_string(i - 1));
    auto opened = Beneath::open_root(tree_ / "site", GetParam());
    ASSERT_TRUE(opened) << opened.error().message();
    beneath_.emplace(std::move(*opened));
    if (GetParam() == Beneath::Way::best && !beneath_->in_one_step()) GTEST_SKIP() << "this system has no openat2";
  }

  /// What is in the file, or the errno.
  std::string found(const std::string& path) const {
    const auto file = beneath_->open(path);
    return file ? contents(*file) : std::string(::strerrorname_np(file.error().value()));
  }
  bool is_folder(const std::string& path) const {
    const auto file = beneath_->open(path);
    struct stat status {};
    return file && ::fstat(file->get(), &status) == 0 && S_ISDIR(status.st_mode);
  }

  TemporaryFolder tree_;
  std::optional<Beneath> beneath_;
};

TEST_P(BeneathTest, opens_what_is_below_and_nothing_else) {
  const std::pair<std::string, std::string> cases[] = {
      {"file", "file"},
      {"a/b/deep", "deep"},
      {"a/../file", "file"},
      {"a/b/../../file", "file"},
      {"./file", "file"},
      {"to-file", "file"},
      {"to-a/b/deep", "deep"},
      {"to-a-with-slash/b/deep", "deep"},
      {"to-a/up", "file"},
      {"a/b/up-and-down", "deep"},
      {"a/dots", "deep"},
      {"a/parent/file", "file"},
      {"a/parent/a/parent/file", "file"},
      {"here/here/here/file", "file"},
      {"volume/key", "first"},
      {"volume/..data/key", "first"},
      {"chain/39", "file"},  // 40 links

      {"absent", "ENOENT"},
      {"a/absent/deep", "ENOENT"},
      {"dangling", "ENOENT"},
      {"dangling/x", "ENOENT"},
      {"absent/../file", "ENOENT"},
      {"file/x", "ENOTDIR"},
      {"file/.", "ENOTDIR"},
      {"file/../file", "ENOTDIR"},
      {"to-file-with-slash", "ENOTDIR"},
      {"to-file/x", "ENOTDIR"},
      {"loop", "ELOOP"},
      {"loop-a", "ELOOP"},
      {"loop/x", "ELOOP"},
      {"chain/40", "ELOOP"},  // 41 links
      {std::string(300, 'n'), "ENAMETOOLONG"},
      {std::string(300, 'n') + "/x", "ENAMETOOLONG"},
      {std::string(PATH_MAX, '/') + "file", "ENAMETOOLONG"},

      {"..", "EXDEV"},
      {"../secret", "EXDEV"},
      {"../site/file", "EXDEV"},
      {"a/../../secret", "EXDEV"},
      {"/etc/passwd", "EXDEV"},
      {"absolute", "EXDEV"},
      {"absolute-inside", "EXDEV"},
      {"absolute-folder/secret", "EXDEV"},
      {"relative", "EXDEV"},
      {"relative-folder", "EXDEV"},
      {"relative-folder/secret", "EXDEV"},
      {"relative-neighbour", "EXDEV"},
      {"out-and-in", "EXDEV"},
      {"a/b/several", "EXDEV"},
      {"a/parent/..", "EXDEV"},
      {"proc-root", "EXDEV"},
      {"proc-cwd/x", "EXDEV"},
  };
  for (const auto& [path, expected] : cases) EXPECT_EQ(found(path), expected) << path.substr(0, 60);
}

TEST_P(BeneathTest, opens_folders_the_root_included) {
  for (const char* path : {"", ".", "a", "a/b", "to-a", "to-a-with-slash", "here", "a/parent", "a/..", "a/b/.."})
    EXPECT_TRUE(is_folder(path)) << path;
  for (const char* path : {"file", "absent", "..", "relative-folder", "absolute-folder"})
    EXPECT_FALSE(is_folder(path)) << path;
}

TEST_P(BeneathTest, what_is_no_file_is_opened_without_waiting) {
  ASSERT_EQ(::mkfifo((tree_ / "site/fifo").c_str(), 0600), 0);
  const auto fifo = beneath_->open("fifo");  // a blocking open would wait for a writer
  ASSERT_TRUE(fifo) << fifo.error().message();
  struct stat status {};
  ASSERT_EQ(::fstat(fifo->get(), &status), 0);
  EXPECT_TRUE(S_ISFIFO(status.st_mode));

  const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string path = tree_ / "site/socket";
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(found("socket"), "ENXIO");
}

TEST_P(BeneathTest, needs_the_right_to_read) {
  const uid_t self = ::geteuid();
  ASSERT_EQ(::chmod(tree_.path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod((tree_ / "site/file").c_str(), 0), 0);
  ASSERT_EQ(::chmod((tree_ / "site/a").c_str(), 0), 0);
  ASSERT_EQ(::seteuid(self == 0 ? 65534 : self), 0);  // root may read everything, nobody may not
  EXPECT_EQ(found("file"), "EACCES");
  EXPECT_EQ(found("to-file"), "EACCES");
  EXPECT_EQ(found("a/b/deep"), "EACCES");
  EXPECT_EQ(found("to-a/up"), "EACCES");
  EXPECT_EQ(found("volume/key"), "first");
  ASSERT_EQ(::seteuid(self), 0);
  ASSERT_EQ(::chmod((tree_ / "site/a").c_str(), 0700), 0);
}

TEST_P(BeneathTest, the_root_is_kept_whatever_becomes_of_its_name) {
  std::filesystem::rename(tree_ / "site", tree_ / "elsewhere");
  tree_.write("site/file", "another");
  EXPECT_EQ(found("file"), "file");
}

TEST_P(BeneathTest, a_magic_link_of_proc_leads_nowhere) {
  const UniqueFd secret(::open((tree_ / "secret").c_str(), O_RDONLY | O_CLOEXEC));
  const auto proc = Beneath::open_root("/proc/self", GetParam());
  if (!proc) GTEST_SKIP() << "no /proc";
  for (const std::string& path : {std::string("site"), std::string("cwd"), std::string("exe"), std::string("site/etc"),
                                  "fd/" + std::to_string(secret.get())})
    EXPECT_FALSE(proc->open(path)) << path;
}

TEST_P(BeneathTest, a_volume_that_is_swapped_meanwhile_is_the_old_or_the_new) {
  tree_.write("site/volume/..2026_02/key", "second");
  std::atomic<bool> done = false;
  std::thread swapper([this, &done] {
    for (int i = 0; !done; ++i) {
      tree_.link("site/volume/..tmp", i % 2 == 0 ? "..2026_02" : "..2026_01");
      std::filesystem::rename(tree_ / "site/volume/..tmp", tree_ / "site/volume/..data");
    }
  });
  int firsts = 0, seconds = 0;
  for (int i = 0; i < 3000 || ((firsts == 0 || seconds == 0) && i < 1'000'000); ++i) {
    const std::string text = found("volume/key");
    firsts += text == "first";
    seconds += text == "second";
    if (text != "first" && text != "second") ADD_FAILURE() << text;
  }
  done = true;
  swapper.join();
  EXPECT_GT(firsts, 0);
  EXPECT_GT(seconds, 0);
}

/// Somebody exchanges a folder for a link that leads out, again and again.
TEST_P(BeneathTest, a_folder_that_turns_into_a_link_never_leads_out) {
  tree_.write("site/swap-folder/secret", "harmless");
  tree_.link("site/swap-link", "..");
  std::atomic<bool> done = false;
  std::thread swapper([this, &done] {
    while (!done) {
      (void)::renameat2(AT_FDCWD, (tree_ / "site/swap-folder").c_str(), AT_FDCWD, (tree_ / "site/swap-link").c_str(),
                        RENAME_EXCHANGE);
    }
  });
  int harmless = 0, refused = 0;
  for (int i = 0; i < 3000 || ((harmless == 0 || refused == 0) && i < 1'000'000); ++i) {
    const std::string text = found("swap-folder/secret");
    harmless += text == "harmless";
    refused += text == "EXDEV";
    if (text == "secret") ADD_FAILURE() << "it led out";
  }
  done = true;
  swapper.join();
  EXPECT_GT(harmless, 0);
}

TEST_P(BeneathTest, leaves_no_descriptor_open) {
  const auto count = [] {
    std::size_t open = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++open;
    return open;
  };
  const std::size_t before = count();
  for (const char* path : {"a/b/deep", "a/b/up-and-down", "loop", "relative", "absent", "volume/key", "a/b/several"})
    (void)found(path);
  EXPECT_EQ(count(), before);
}

TEST(beneath, a_root_that_is_no_folder_is_refused) {
  TemporaryFolder tree;
  tree.write("file", "");
  EXPECT_EQ(Beneath::open_root(tree / "absent").error(), system_error(ENOENT));
  EXPECT_EQ(Beneath::open_root(tree / "file").error(), system_error(ENOTDIR));
  tree.write("real/file", "text");
  tree.link("site", "real");
  const auto root = Beneath::open_root(tree / "site");
  ASSERT_TRUE(root);
  EXPECT_EQ(contents(*root->open("file")), "text");
}

INSTANTIATE_TEST_SUITE_P(ways, BeneathTest, testing::Values(Beneath::Way::best, Beneath::Way::walk),
                         [](const auto& way) { return way.param == Beneath::Way::best ? "openat2" : "walk"; });

}  // namespace
}  // namespace fwd
