// Nothing outside of the folder ever reaches a client, and nothing hidden in it.

#include <atomic>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <vector>

#include "tests/e2e/static_site.hpp"

namespace fwd::test {
namespace {

constexpr const char* kSecret = "the secret beside the folder";

class StaticOutside : public testing::Test {
 protected:
  StaticOutside() {
    files_.write("secret", kSecret);
    files_.write("root-too/secret", kSecret);
    files_.write("root/file.txt", "file");
    files_.write("root/a/b/deep.txt", "deep");
  }

  void expect_refused(const WatchdogProcess& watchdog, const std::string& target) {
    for (const char* method : {"GET", "HEAD"}) {
      const HttpAnswer answer = request(watchdog.port(), method, target);
      EXPECT_EQ(answer.status, 404) << method << " " << target << "\n" << answer.raw_head << answer.body;
      EXPECT_EQ(answer.body.find(kSecret), std::string::npos) << target;
    }
  }

  TemporaryFolder files_;
};

TEST_F(StaticOutside, links_that_lead_out_are_not_there) {
  files_.link("root/absolute", files_ / "secret");
  files_.link("root/absolute-folder", files_.path().string());
  files_.link("root/absolute-inside", files_ / "root/file.txt");
  files_.link("root/relative", "../secret");
  files_.link("root/neighbour", "../root-too/secret");
  files_.link("root/up", "..");
  files_.link("root/a/b/first", "../second");
  files_.link("root/a/second", "../third");
  files_.link("root/third", "a/back/relative");
  files_.link("root/a/back", "..");
  files_.link("root/magic", "/proc/self/root" + (files_ / "secret"));
  files_.link("root/magic-cwd", "/proc/self/cwd");
  files_.link("root/passwd", "/etc/passwd");
  files_.link("root/loop", "loop");
  WatchdogProcess watchdog(static_site(files_));
  for (const char* target : {"/absolute",
                             "/absolute-folder",
                             "/absolute-folder/",
                             "/absolute-folder/secret",
                             "/absolute-inside",
                             "/relative",
                             "/neighbour",
                             "/up",
                             "/up/",
                             "/up/secret",
                             "/a/b/first",
                             "/a/second",
                             "/third",
                             "/a/back/relative",
                             "/magic",
                             "/magic-cwd",
                             "/magic-cwd/",
                             "/passwd",
                             "/loop",
                             "/loop/x"})
    expect_refused(watchdog, target);
  EXPECT_EQ(get(watchdog, "/a/back/file.txt").body, "file") << "a link that stays inside";
}

TEST_F(StaticOutside, paths_that_lead_out_are_not_there) {
  files_.write("root/.env", kSecret);
  files_.write("root/.git/config", kSecret);
  files_.write("root/a/.ssh/key", kSecret);
  WatchdogProcess watchdog(static_site(files_));
  for (const char* target : {"/..",
                             "/../",
                             "/../secret",
                             "/../../../../../../etc/passwd",
                             "/a/../../secret",
                             "/a/../file.txt",
                             "/./file.txt",
                             "/%2e%2e/secret",
                             "/%2E%2E/secret",
                             "/.%2e/secret",
                             "/a/%2e%2e/%2e%2e/secret",
                             "/..%2fsecret",
                             "/..%2Fsecret",
                             "/%2e%2e%2fsecret",
                             "/..%5csecret",
                             "/..\\secret",
                             "/a\\..\\..\\secret",
                             "/%252e%252e/secret",
                             "/%252e%252e%252fsecret",
                             "/..;/secret",
                             "/file.txt%00",
                             "/%00",
                             "/%00/secret",
                             "/file.txt%00.html",
                             "/.env",
                             "/%2eenv",
                             "/.git/config",
                             "/.git/",
                             "/a/.ssh/key",
                             "/a/%2essh/key",
                             "//../secret",
                             "///etc/passwd"})
    expect_refused(watchdog, target);
  EXPECT_EQ(get(watchdog, "http://127.0.0.1/../secret").status, 404);
  EXPECT_EQ(get(watchdog, "/file.txt").body, "file");
}

TEST_F(StaticOutside, what_is_no_file_is_not_there_and_stops_nobody) {
  ASSERT_EQ(::mkfifo((files_ / "root/fifo").c_str(), 0600), 0);
  files_.link("root/to-fifo.txt", "fifo");
  files_.link("root/zero", "/dev/zero");
  WatchdogProcess watchdog(static_site(files_));
  for (const char* target : {"/fifo", "/to-fifo.txt", "/zero", "/fifo/"}) expect_refused(watchdog, target);
  EXPECT_EQ(get(watchdog, "/file.txt").body, "file");
}

/// The way in which Kubernetes mounts and updates config maps.
TEST_F(StaticOutside, a_volume_is_swapped_under_load_without_a_wrong_answer) {
  constexpr int kVersions = 40;
  const auto body_of = [](int version) { return pattern(2'000 + static_cast<std::size_t>(version), version); };
  for (int i = 0; i < kVersions; ++i) files_.write("root/..2026_" + std::to_string(i) + "/key.txt", body_of(i));
  files_.link("root/..data", "..2026_0");
  files_.link("root/key.txt", "..data/key.txt");
  WatchdogProcess watchdog(static_site(files_));
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0, right = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&] {
      HttpClient client(watchdog.port());
      while (!done) {
        const auto answer = client.ask("GET", "/key.txt");
        const int version = answer ? static_cast<int>(answer->body.size()) - 2'000 : -1;
        const bool good =
            answer && answer->status == 200 && version >= 0 && version < kVersions && answer->body == body_of(version);
        ++(good ? right : wrong);
        if (!answer) break;
      }
    });
  }
  for (int swap = 1; swap <= 400; ++swap) {
    files_.link("root/..tmp", "..2026_" + std::to_string(swap % kVersions));
    std::filesystem::rename(files_ / "root/..tmp", files_ / "root/..data");
    EXPECT_TRUE(wait_until([&, before = right.load()] { return right > before || wrong > 0; }));
  }
  done = true;
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(right, 400);
  EXPECT_TRUE(get(watchdog, "/key.txt").body == body_of(400 % kVersions)) << "the last one is served";
  for (const char* target : {"/..data/key.txt", "/..2026_0/key.txt", "/..data/"}) expect_refused(watchdog, target);
}

}  // namespace
}  // namespace fwd::test
