#include "tests/unit/modes/static_files_fixture.hpp"

namespace fwd {
namespace {

class FolderFilesTest : public StaticFilesTest {};

TEST_P(FolderFilesTest, a_changed_file_has_another_tag) {
  add("f.txt", "one");
  make();
  const std::string tag = ask("/f.txt").field("ETag");
  files_.write("site/f.txt", "two");
  EXPECT_NE(ask("/f.txt").field("ETag"), tag);
  EXPECT_EQ(ask("/f.txt", "If-None-Match: " + tag + "\r\n").text(), "two");
}

TEST_P(FolderFilesTest, each_file_has_its_own_date) {
  add("a.txt", "x");
  add("b.txt", "x");
  make();
  const timespec times[] = {{kModified + 1, 0}, {kModified + 1, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (files_ / "site/b.txt").c_str(), times, 0), 0);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(ask("/a.txt").field("Last-Modified"), kModifiedText);
    EXPECT_EQ(ask("/b.txt").field("Last-Modified"), "Sun, 06 Nov 1994 08:49:38 GMT");
  }
}

TEST_P(FolderFilesTest, what_is_neither_file_nor_folder_is_not_there) {
  add("f", "x");
  make();
  ASSERT_EQ(::mkfifo((files_ / "site/fifo").c_str(), 0600), 0);
  files_.link("site/to-fifo", "fifo");
  files_.link("site/zero", "/dev/zero");
  for (const char* target : {"/fifo", "/to-fifo", "/zero", "/fifo/"}) expect_failure(ask(target), 404, target);
}

TEST_P(FolderFilesTest, a_file_without_a_believable_date_has_none) {
  add("f.txt", "x");
  make();
  for (const std::int64_t moment : {std::int64_t{0}, std::int64_t{1} << 33}) {
    const timespec times[] = {{moment, 0}, {moment, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, (files_ / "site/f.txt").c_str(), times, 0), 0);
    const FakeExchange& answer = ask("/f.txt", "If-Modified-Since: Fri, 31 Dec 9999 23:59:59 GMT\r\n");
    EXPECT_EQ(answer.status(), 200);
    EXPECT_EQ(answer.field("Last-Modified"), "");
    EXPECT_NE(answer.field("ETag"), "");
  }
}

TEST_P(FolderFilesTest, a_file_that_may_not_be_read_is_forbidden) {
  add("f.txt", "x");
  add("dir/index.html", "x");
  make();
  const uid_t self = ::geteuid();
  ASSERT_EQ(::chmod(files_.path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod((files_ / "site/f.txt").c_str(), 0), 0);
  ASSERT_EQ(::chmod((files_ / "site/dir").c_str(), 0), 0);
  ASSERT_EQ(::seteuid(self == 0 ? 65534 : self), 0);  // root may read everything, nobody may not
  const FakeExchange& file = ask("/f.txt");
  const FakeExchange& folder = ask("/dir/");
  ASSERT_EQ(::seteuid(self), 0);
  ASSERT_EQ(::chmod((files_ / "site/dir").c_str(), 0700), 0);
  expect_failure(file, 403, "file");
  expect_failure(folder, 403, "folder");
}

TEST_P(FolderFilesTest, without_free_descriptors_the_client_is_asked_to_come_back) {
  add("f.txt", "x");
  make();
  EXPECT_EQ(status("/f.txt"), 200);
  std::vector<UniqueFd> all;
  for (;;) {
    UniqueFd one(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!one) break;
    all.push_back(std::move(one));
  }
  FakeExchange exchange("GET", "/f.txt");
  error_ = serve(exchange);
  all.clear();
  expect_failure(exchange, 503, "no descriptors");
  EXPECT_EQ(exchange.field("Retry-After"), "1");
  EXPECT_EQ(ask("/f.txt").text(), "x");
}

INSTANTIATE_TEST_SUITE_P(from, FolderFilesTest, testing::Values(From::folder),
                         [](const auto&) { return std::string("folder"); });

}  // namespace
}  // namespace fwd
