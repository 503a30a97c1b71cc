#include "modes/tar_index.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "modes/read_at.hpp"
#include "tests/support/tar_writer.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fwd {
namespace {

using test::TarWriter;
using test::TemporaryFolder;

class TarIndexTest : public testing::Test {
 protected:
  TarResult<TarIndex> read(const std::string& archive) {
    archive_ = UniqueFd(::memfd_create("archive", MFD_CLOEXEC));
    EXPECT_EQ(::write(archive_.get(), archive.data(), archive.size()), static_cast<ssize_t>(archive.size()));
    return TarIndex::read(archive_.get(), archive.size());
  }
  TarResult<TarIndex> read_file(const std::string& path) {
    archive_ = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    EXPECT_EQ(::fstat(archive_.get(), &status), 0);
    return TarIndex::read(archive_.get(), static_cast<std::uint64_t>(status.st_size));
  }

  /// The contents of a file, `folder:path`, or an errno.
  std::string found(const TarIndex& index, std::string_view path) {
    const auto place = index.find(path);
    if (!place) return ::strerrorname_np(place.error().value());
    if (place->file == nullptr) return "folder:" + place->path;
    std::string text(static_cast<std::size_t>(place->file->size), '\0');
    EXPECT_FALSE(read_at(archive_.get(), text.data(), text.size(), place->file->offset)) << path;
    return text;
  }
  std::string fault(const std::string& archive) {
    const auto index = read(archive);
    return index ? "no fault" : std::to_string(index.error().offset) + ": " + index.error().what;
  }
  static std::string names(const Result<std::vector<FolderEntry>>& entries) {
    if (!entries) return ::strerrorname_np(entries.error().value());
    std::string text;
    for (const FolderEntry& entry : *entries) text += entry.name + (entry.folder ? "/ " : " ");
    return text;
  }

  TemporaryFolder folder_;
  UniqueFd archive_;
};

TEST_F(TarIndexTest, finds_each_file_and_no_byte_of_its_neighbours) {
  TarWriter tar;
  tar.add({.name = "./", .type = '5'}).file("./first", "1").file("b/empty", "").file("b/block", std::string(512, 'b'));
  tar.file("b/more", std::string(513, 'm')).file("/absolute", "abs").file("x//y/./z", "z").file("last", "end");
  const auto index = read(tar.finished());
  ASSERT_TRUE(index) << index.error().what;
  const std::pair<const char*, std::string> cases[] = {
      {"first", "1"},
      {"b/empty", ""},
      {"b/block", std::string(512, 'b')},
      {"b/more", std::string(513, 'm')},
      {"absolute", "abs"},
      {"x/y/z", "z"},
      {"last", "end"},
      {"", "folder:"},
      {"b", "folder:b"},
      {"x", "folder:x"},
      {"x/y", "folder:x/y"},
      {"absent", "ENOENT"},
      {"b/absent", "ENOENT"},
      {"firs", "ENOENT"},
      {"firstx", "ENOENT"},
      {"first/x", "ENOTDIR"},
      {"..", "EXDEV"},
      {"b/../first", "1"},
      {"absent/../first", "ENOENT"},
  };
  for (const auto& [path, expected] : cases) EXPECT_EQ(found(*index, path), expected) << path;
}

TEST_F(TarIndexTest, reads_every_way_of_a_long_name) {
  const std::string folder(90, 'd'), name(90, 'n'), longer(300, 'l');
  TarWriter tar;
  tar.add({.name = name, .prefix = folder}, "ustar prefix");
  tar.add({.name = std::string(100, 'f')}, "full field");
  tar.add({.name = "././@LongLink", .type = 'L'}, longer + "/gnu" + std::string(1, '\0'));
  tar.add({.name = longer.substr(0, 100)}, "gnu long name");
  tar.pax("path", longer + "/pax").add({.name = "short"}, "pax path");
  tar.add({.name = "././@LongLink", .type = 'K'}, longer + "/gnu" + std::string(1, '\0')).link("to-gnu", "cut off");
  tar.pax("linkpath", longer + "/pax").link("to-pax", "cut off");
  tar.file("after", "names its own");
  tar.add({.name = "old-gnu", .prefix = "not a prefix", .magic = std::string("ustar  \0", 8)}, "gnu magic");
  tar.add({.name = "v7", .magic = ""}, "no magic");
  tar.add({.name = "v7-folder/", .magic = ""});
  const auto index = read(tar.finished());
  ASSERT_TRUE(index) << index.error().what;
  EXPECT_EQ(found(*index, folder + "/" + name), "ustar prefix");
  EXPECT_EQ(found(*index, std::string(100, 'f')), "full field");
  EXPECT_EQ(found(*index, longer + "/gnu"), "gnu long name");
  EXPECT_EQ(found(*index, longer + "/pax"), "pax path");
  EXPECT_EQ(found(*index, "to-gnu"), "gnu long name");
  EXPECT_EQ(found(*index, "to-pax"), "pax path");
  EXPECT_EQ(found(*index, "after"), "names its own");
  EXPECT_EQ(found(*index, "old-gnu"), "gnu magic");
  EXPECT_EQ(found(*index, "v7"), "no magic");
  EXPECT_EQ(found(*index, "v7-folder"), "folder:v7-folder");
  EXPECT_EQ(found(*index, "short"), "ENOENT");
}

TEST_F(TarIndexTest, reads_sizes_and_times_in_every_form) {
  TarWriter tar;
  std::string binary_size("\x80", 1);
  binary_size += std::string(10, '\0') + "\x05";
  tar.add({.name = "binary", .size_field = binary_size}, "12345");
  tar.add({.name = "blanks", .size_field = "        5 "}, "12345");
  tar.pax("size", "5").pax("mtime", "1350244992.023960108").add({.name = "pax", .size_field = "0"}, "");
  tar.raw("12345");
  tar.pax("mtime", "-1.25").file("before-1970", "");
  tar.pax("mtime", "7", 'g').file("global", "").pax("mtime", "8").file("own", "").file("global-again", "");
  std::string negative(12, '\xff');
  negative[11] = '\xfe';
  tar.pax("comment", "=x=\n").add({.name = "negative", .time_field = negative}, "");
  tar.add({.name = "link", .type = '2', .link = "binary", .size_field = "00000001000"}).file("after-link", "5");
  const auto index = read(tar.finished());
  ASSERT_TRUE(index) << index.error().what << index.error().offset;
  for (const char* name : {"binary", "blanks", "pax", "link"}) EXPECT_EQ(found(*index, name), "12345") << name;
  EXPECT_EQ(found(*index, "after-link"), "5");
  const std::pair<const char*, std::pair<std::int64_t, std::uint32_t>> times[] = {
      {"binary", {15, 0}},
      {"pax", {1350244992, 23960108}},
      {"before-1970", {-2, 750'000'000}},
      {"global", {7, 0}},
      {"own", {8, 0}},
      {"global-again", {7, 0}},
      {"negative", {7, 0}}};  // the global one goes before the header
  for (const auto& [name, time] : times) {
    const auto place = index->find(name);
    ASSERT_TRUE(place && place->file != nullptr) << name;
    EXPECT_EQ(place->file->modified.seconds, time.first) << name;
    EXPECT_EQ(place->file->modified.nanoseconds, time.second) << name;
  }
}

TEST_F(TarIndexTest, follows_links_below_the_root_alone) {
  TarWriter tar;
  tar.file("a/file", "text").file("volume/..2026/key", "value");
  tar.link("volume/..data", "..2026").link("volume/key", "..data/key");
  tar.link("to-file", "a/file").link("to-a", "a/").link("a/up", "../a/./file").link("a/top", "..");
  tar.link("hard", "./a/file", '1').link("b/hard", "a/file", '1').link("hard-out", "../x", '1');
  tar.link("file-slash", "a/file/").link("dangling", "nowhere").link("loop", "loop").link("self", "self", '1');
  tar.link("out", "../x").link("a/out", "../../x").link("absolute", "/a/file").link("several", "a/top/out");
  tar.link("empty", "");
  for (int i = 0; i < 42; ++i)
    tar.link("chain" + std::to_string(i), i == 0 ? "a/file" : "chain" + std::to_string(i - 1));
  const auto index = read(tar.finished());
  ASSERT_TRUE(index) << index.error().what;
  const std::pair<const char*, const char*> cases[] = {
      {"volume/key", "value"},
      {"volume/..data/key", "value"},
      {"to-file", "text"},
      {"to-a/file", "text"},
      {"to-a", "folder:a"},
      {"to-a/up", "text"},
      {"a/top/to-a/top/a/file", "text"},
      {"a/top", "folder:"},
      {"hard", "text"},
      {"b/hard", "text"},
      {"chain39", "text"},
      {"chain40", "ELOOP"},
      {"hard-out", "ENOENT"},
      {"file-slash", "ENOTDIR"},
      {"to-file/x", "ENOTDIR"},
      {"dangling", "ENOENT"},
      {"loop", "ELOOP"},
      {"self", "ELOOP"},
      {"out", "EXDEV"},
      {"a/out", "EXDEV"},
      {"absolute", "EXDEV"},
      {"several", "EXDEV"},
      {"empty", "ENOENT"},
  };
  for (const auto& [path, expected] : cases) EXPECT_EQ(found(*index, path), expected) << path;
}

TEST_F(TarIndexTest, names_that_lead_out_and_what_is_no_file_are_left_out) {
  TarWriter tar;
  tar.file("../out", "x").file("a/../b", "x").file("..", "x").file("/../c", "x");
  for (const char type : {'3', '4', '6', 'V', 'D', 'A'})
    tar.add({.name = std::string("type-") + type, .type = type}, "");
  tar.add({.name = "vendor", .type = 'Z'}, "data to skip").file("file", "text");
  const auto index = read(tar.finished());
  ASSERT_TRUE(index) << index.error().what;
  EXPECT_EQ(index->size(), 1U);
  EXPECT_EQ(found(*index, "file"), "text");
  for (const char* path : {"out", "b", "c", "a", "type-3", "type-6", "vendor"})
    EXPECT_EQ(found(*index, path), "ENOENT");
}

TEST_F(TarIndexTest, of_two_members_with_one_name_the_later_counts) {
  TarWriter tar;
  tar.file("a", "old").file("b", "b").file("./a", "new");
  const auto index = read(tar.finished());
  ASSERT_TRUE(index);
  EXPECT_EQ(found(*index, "a"), "new");
  EXPECT_EQ(index->size(), 2U);
}

TEST_F(TarIndexTest, lists_what_can_be_asked_for) {
  TarWriter tar;
  tar.add({.name = "a", .type = '5'}).file("a-b", "").file("a/c", "").file("a/d/e", "").file("a/d/f", "");
  tar.file(".hidden", "").file("a/.git/x", "").file("a/back\\slash", "").link("to-a", "a").link("a/out", "../../x");
  tar.link("a/up", "../a-b");
  const auto index = read(tar.finished());
  ASSERT_TRUE(index);
  EXPECT_EQ(names(index->list("")), "a/ a-b to-a/ ");
  EXPECT_EQ(names(index->list("a")), "c d/ up ");
  EXPECT_EQ(names(index->list("to-a")), "c d/ up ");
  EXPECT_EQ(names(index->list("a/d")), "e f ");
  EXPECT_EQ(names(index->list("a-b")), "ENOTDIR");
  EXPECT_EQ(names(index->list("absent")), "ENOENT");
}

TEST_F(TarIndexTest, what_is_malformed_is_said_with_its_place) {
  const std::string head = TarWriter().file("ok", "fine").unfinished();  // 1024 bytes
  ASSERT_EQ(head.size(), 1024U);
  const std::string end(1024, '\0');
  std::string flipped = head + TarWriter().file("second", "x").finished();
  flipped[1024] ^= 1;
  const auto behind_head = [&head](const TarWriter& tar) { return head + tar.finished(); };
  const std::pair<std::string, std::string> cases[] = {
      {"", "0: the archive has no end mark"},
      {"no archive", "0: the archive ends inside a header"},
      {std::string(600, 'x'), "0: this is no header of an uncompressed tar"},
      {"\x1f\x8b" + std::string(600, 'x'), "0: this is no header of an uncompressed tar"},
      {head, "1024: the archive has no end mark"},
      {head + std::string(100, '\0'), "1024: the archive ends inside a header"},
      {flipped, "1024: this is no header"},
      {behind_head(TarWriter().add({.name = "n", .size_field = "9x"})), "1024: the size in the header is no number"},
      {behind_head(TarWriter().add({.name = "n", .size_field = "-1"})), "1024: the size in the header is no number"},
      {behind_head(TarWriter().add({.name = "n", .size_field = std::string(12, '\xff')})),
       "1024: the size in the header"},
      {behind_head(TarWriter().add({.name = "n", .time_field = "noon"})), "1024: the time in the header is no number"},
      {behind_head(TarWriter().add({.name = "n", .size_field = "77777777777"})),
       "1024: \"n\" is longer than the archive"},
      {behind_head(TarWriter().add(
           {.name = "n", .size_field = "\x80" + std::string(3, '\0') + "\x7f" + std::string(7, '\xff')})),
       "1024: \"n\" is longer than the archive"},
      {behind_head(TarWriter().add({.name = "s", .type = 'S'})), "1024: \"s\" is stored as a sparse file"},
      {behind_head(TarWriter().pax("GNU.sparse.major", "1").file("s", "")), "2048: \"s\" is stored as a sparse file"},
      {behind_head(TarWriter().pax("size", "many").file("n", "")), "1024: pax record \"size=many\" cannot be read"},
      {behind_head(TarWriter().pax("mtime", "noon").file("n", "")), "1024: pax record \"mtime=noon\" cannot be read"},
      {behind_head(TarWriter().pax("mtime", "-9223372036854775808.5").file("n", "")),
       "1024: pax record \"mtime=-9223372036854775808.5\" cannot be read"},
      {behind_head(TarWriter().add({.name = "p", .type = 'x'}, "99 a=b\n")), "1024: a pax record has a wrong length"},
      {behind_head(TarWriter().add({.name = "p", .type = 'x'}, "6 a=b")), "1024: a pax record has a wrong length"},
      {behind_head(TarWriter().add({.name = "p", .type = 'x'}, "2 ")), "1024: a pax record has a wrong length"},
      {behind_head(TarWriter().add({.name = "p", .type = 'x'}, "x")), "1024: a pax record has a wrong length"},
      {behind_head(TarWriter().add({.name = "p", .type = 'x'}, "5 ab\n")), "1024: a pax record has no value"},
      {behind_head(TarWriter().add({.name = "L", .type = 'L'}, std::string(1024 * 1024 + 1, 'n'))),
       "1024: a name or a list of attributes is longer"},
  };
  for (const auto& [archive, expected] : cases) EXPECT_TRUE(fault(archive).starts_with(expected)) << fault(archive);
}

TEST_F(TarIndexTest, an_archive_cut_at_any_place_is_noticed) {
  TarWriter tar;
  tar.file("a", "1234").pax("path", "long").file("b", std::string(700, 'b')).link("c", "a");
  const std::string whole = tar.finished();
  for (std::size_t size = 0; size < tar.unfinished().size(); size += 7)
    EXPECT_NE(fault(whole.substr(0, size)), "no fault");
  EXPECT_NE(fault(tar.unfinished()), "no fault");
  EXPECT_EQ(fault(whole.substr(0, whole.size() - 512)), "no fault");  // one block of zeroes is an end mark
  EXPECT_EQ(fault(whole), "no fault");
}

TEST_F(TarIndexTest, an_archive_of_too_many_names_is_refused) {
  const std::string name(1024 * 1024 - 1, 'n');
  TarWriter tar;
  for (int i = 0; i < 65; ++i) tar.add({.name = "L", .type = 'L'}, name + static_cast<char>('0' + i)).file("f", "");
  const std::string found = fault(tar.finished());
  EXPECT_NE(found.find(": the archive has more than a million members, or 64 MiB of names"), std::string::npos)
      << found;
}

/// No byte anywhere may do harm, or lead outside of the archive.
TEST_F(TarIndexTest, a_changed_byte_does_no_harm) {
  TarWriter tar;
  tar.file("a", "1234").pax("path", "long").file("b", "b").link("c", "a");
  const std::string whole = tar.finished();
  for (std::size_t at = 0; at < whole.size(); at += 3) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ (1 << (at % 8)));
    const auto index = read(changed);
    if (!index) continue;
    for (const char* path : {"a", "b", "c", "long"}) (void)found(*index, path);
  }
}

TEST_F(TarIndexTest, reads_what_tar_writes) {
  folder_.write("in/a/file", "text");
  folder_.write("in/" + std::string(90, 'l') + "/" + std::string(95, 'n'), "long");
  folder_.write("in/big", std::string(100'000, 'b'));
  folder_.link("in/to-file", "a/file");
  std::filesystem::create_hard_link(folder_ / "in/big", folder_ / "in/hard");
  for (const char* format : {"gnu", "pax", "ustar", "oldgnu"}) {
    const std::string archive = folder_ / "out.tar";
    const std::string command =
        "tar -C " + (folder_ / "in") + " --format=" + format + " -cf " + archive + " . 2>/dev/null";
    if (std::system("tar --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no tar";
    ASSERT_EQ(std::system(command.c_str()), 0) << format;
    const auto index = read_file(archive);
    ASSERT_TRUE(index) << format << index.error().what;
    EXPECT_EQ(found(*index, "a/file"), "text") << format;
    EXPECT_EQ(found(*index, std::string(90, 'l') + "/" + std::string(95, 'n')), "long") << format;
    EXPECT_EQ(found(*index, "big"), std::string(100'000, 'b')) << format;
    EXPECT_EQ(found(*index, "hard"), std::string(100'000, 'b')) << format;
    EXPECT_EQ(found(*index, "to-file"), "text") << format;
  }
}

}  // namespace
}  // namespace fwd
