#include "watchdog/base/spool.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace fwd {
namespace {

std::string read_all(Spool& spool, std::size_t piece_bytes) {
  std::string all;
  for (;;) {
    const auto piece = spool.read(all.size(), piece_bytes);
    EXPECT_TRUE(piece) << piece.error().message();
    if (!piece || piece->empty()) return all;
    all.append(*piece);
  }
}

TEST(Spool, what_fits_stays_in_memory) {
  const SpoolOptions options{.memory_bytes = 10, .directory = "/nonexistent"};
  Spool spool(options);
  EXPECT_FALSE(spool.append("12345"));
  EXPECT_FALSE(spool.append("67890"));
  EXPECT_TRUE(spool.in_memory());
  EXPECT_EQ(spool.memory(), "1234567890");
  EXPECT_EQ(read_all(spool, 3), "1234567890");
}

TEST(Spool, what_does_not_fit_is_read_back_from_a_file_without_a_name) {
  const std::string directory = testing::TempDir() + "/spool";
  std::filesystem::create_directory(directory);
  const SpoolOptions options{.memory_bytes = 10, .directory = directory};
  Spool spool(options);
  std::string expected;
  for (int i = 0; i < 5000; ++i) {
    const std::string piece = std::to_string(i) + ",";
    ASSERT_FALSE(spool.append(piece));
    expected += piece;
  }
  EXPECT_FALSE(spool.in_memory());
  EXPECT_EQ(spool.size(), expected.size());
  EXPECT_EQ(read_all(spool, 4096), expected);
  EXPECT_TRUE(std::filesystem::is_empty(directory));
}

TEST(Spool, a_directory_that_is_missing_is_an_error_only_when_it_is_needed) {
  const SpoolOptions options{.memory_bytes = 4, .directory = "/nonexistent"};
  Spool spool(options);
  EXPECT_FALSE(spool.append("1234"));
  EXPECT_EQ(spool.append("5"), system_error(ENOENT));
}

}  // namespace
}  // namespace fwd
