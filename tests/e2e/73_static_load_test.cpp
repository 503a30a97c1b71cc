// Static mode with many, large, slow and vanishing downloads.

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/e2e/static_site.hpp"
#include "tests/support/tar_writer.hpp"

namespace fwd::test {
namespace {

/// Of the process, in KiB: `VmHWM` is the most memory that it ever had.
long memory_kib(const WatchdogProcess& watchdog, const std::string& key) {
  std::ifstream status("/proc/" + std::to_string(watchdog.pid()) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key + ":")) return std::atol(line.c_str() + key.size() + 1);
  return -1;
}

std::size_t open_descriptors(const WatchdogProcess& watchdog) {
  std::size_t count = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator at("/proc/" + std::to_string(watchdog.pid()) + "/fd", error), end;
       !error && at != end; at.increment(error))
    ++count;
  return count;
}

/// Eight pictures and three films, from a folder or from an archive.
class StaticDownloads : public testing::TestWithParam<const char*> {
 protected:
  StaticDownloads() {
    for (unsigned i = 0; i < 8; ++i) add("picture-" + std::to_string(i) + ".png", pattern(60'000 + 17'000 * i, i));
    for (unsigned i = 0; i < 3; ++i) add("film-" + std::to_string(i) + ".mp4", pattern(4'000'000 + i, 100 + i));
    if (std::string(GetParam()) == "archive") files_.write("site.tar", tar_.finished());
  }
  void add(const std::string& name, const std::string& contents) {
    files_.write("root/" + name, contents);
    tar_.file(name, contents);
    expected_["/" + name] = contents;
  }
  Variables variables() const {
    if (std::string(GetParam()) == "folder") return {};
    return {{"static_archive", files_ / "site.tar"}};
  }

  TemporaryFolder files_;
  TarWriter tar_;
  std::map<std::string, std::string> expected_;
};

TEST_P(StaticDownloads, all_reach_eight_clients_whole) {
  WatchdogProcess watchdog(static_site(files_, variables()));
  std::atomic<int> right = 0, wrong = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&] {
      HttpClient client(watchdog.port());
      for (int round = 0; round < 2; ++round) {
        for (const auto& [target, contents] : expected_) {
          const auto answer = client.ask("GET", target);
          const bool good = answer && answer->status == 200 && answer->body == contents;
          ++(good ? right : wrong);
          if (!answer) return;
        }
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(right, 8 * 2 * 11);
}

TEST_P(StaticDownloads, clients_that_leave_leave_nothing_behind) {
  WatchdogProcess watchdog(static_site(files_, variables()));
  EXPECT_EQ(get(watchdog, "/picture-0.png").status, 200);
  const std::size_t before = open_descriptors(watchdog);
  for (int i = 0; i < 20; ++i) {
    HttpClient client(watchdog.port());
    ASSERT_TRUE(client.send(render_request("GET", "/film-" + std::to_string(i % 3) + ".mp4")));
    EXPECT_FALSE(client.read_bytes(1'000).empty());
    client.reset();
  }
  EXPECT_TRUE(wait_until([&] { return open_descriptors(watchdog) <= before; }))
      << open_descriptors(watchdog) << " instead of " << before;
  EXPECT_TRUE(get(watchdog, "/film-1.mp4").body == expected_["/film-1.mp4"]);
}

INSTANTIATE_TEST_SUITE_P(from, StaticDownloads, testing::Values("folder", "archive"),
                         [](const auto& from) { return std::string(from.param); });

/// A file with a beginning and an end, and 100 MB of nothing between that take no disk.
constexpr std::size_t kSparseBytes = 100'000'000;
void write_sparse(const TemporaryFolder& files, const std::string& name) {
  files.write(name, "begin");
  std::filesystem::resize_file(files / name, kSparseBytes - 3);
  std::ofstream(files / name, std::ios::binary | std::ios::app) << "end";
}

TEST(static_load, a_large_file_takes_no_memory) {
  TemporaryFolder files;
  write_sparse(files, "root/large.bin");
  files.write("root/small.txt", "small");
  WatchdogProcess watchdog(static_site(files));
  EXPECT_EQ(get(watchdog, "/small.txt").body, "small");
  const long before = memory_kib(watchdog, "VmHWM");
  ASSERT_GT(before, 0);
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(render_request("GET", "/large.bin", {}, {{"Connection", "close"}})));
  std::string head, last;
  std::size_t total = 0;
  for (std::string piece = client.read_bytes(1 << 20); !piece.empty(); piece = client.read_bytes(1 << 20)) {
    if (total == 0) head = piece.substr(0, piece.find("\r\n\r\n") + 4 + 5);
    total += piece.size();
    last = piece.substr(piece.size() - std::min<std::size_t>(piece.size(), 3));
  }
  EXPECT_NE(head.find("Content-Length: 100000000\r\n"), std::string::npos) << head;
  EXPECT_TRUE(head.ends_with("begin"));
  EXPECT_EQ(total, head.size() - 5 + kSparseBytes);
  EXPECT_TRUE(std::string_view("end").ends_with(last)) << "the last piece may be shorter: " << last;
  EXPECT_LT(memory_kib(watchdog, "VmHWM"), before + 16 * 1024) << "KiB";
}

TEST(static_load, one_who_reads_slowly_holds_up_nobody) {
  TemporaryFolder files;
  const std::string large = pattern(16'000'000);  // more than the sockets hold
  files.write("root/large.bin", large);
  files.write("root/small.txt", "small");
  WatchdogProcess watchdog(static_site(files));
  HttpClient slow(watchdog.port());
  ASSERT_TRUE(slow.send(render_request("GET", "/large.bin")));
  std::string received = slow.read_bytes(10'000);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(get(watchdog, "/small.txt").body, "small");
    received += slow.read_bytes(10'000);
  }
  EXPECT_EQ(watchdog.count_lines("GET /large.bin"), 0U) << "it is still on its way";
  const std::size_t head = received.find("\r\n\r\n") + 4;
  received += slow.read_bytes(head + large.size() - received.size());
  EXPECT_TRUE(std::string_view(received).substr(head) == large);
  const auto next = slow.ask("GET", "/small.txt");
  ASSERT_TRUE(next) << slow.last_error();
  EXPECT_EQ(next->body, "small");
}

TEST(static_load, a_file_that_shrinks_meanwhile_is_a_cut_answer) {
  TemporaryFolder files;
  files.write("root/large.bin", pattern(16'000'000));
  WatchdogProcess watchdog(static_site(files));
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(render_request("GET", "/large.bin")));
  std::string received = client.read_bytes(10'000);
  std::filesystem::resize_file(files / "root/large.bin", 100);
  for (std::string piece = client.read_bytes(1 << 20); !piece.empty(); piece = client.read_bytes(1 << 20))
    received += piece;
  EXPECT_LT(received.size(), 16'000'000U);
  EXPECT_EQ(get(watchdog, "/large.bin").body.size(), 100U);
}

TEST(static_load, one_that_is_replaced_meanwhile_is_sent_to_its_end) {
  TemporaryFolder files;
  const std::string large = pattern(16'000'000, 1);
  files.write("root/large.bin", large);
  WatchdogProcess watchdog(static_site(files));
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(render_request("GET", "/large.bin")));
  std::string received = client.read_bytes(10'000);
  files.write("root/new.bin", "new");
  std::filesystem::rename(files / "root/new.bin", files / "root/large.bin");
  const std::size_t head = received.find("\r\n\r\n") + 4;
  received += client.read_bytes(head + large.size() - received.size());
  EXPECT_TRUE(std::string_view(received).substr(head) == large);
  EXPECT_EQ(get(watchdog, "/large.bin").body, "new");
}

}  // namespace
}  // namespace fwd::test
