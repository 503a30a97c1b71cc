#include "watchdog/config/defaults.hpp"

#include <gtest/gtest.h>

namespace fwd {
namespace {

Config filled(Config config, const std::vector<std::string_view>& given = {}, const Surroundings& around = {}) {
  fill_defaults(config, given, around);
  return config;
}

TEST(Defaults, timeouts_hang_on_those_of_the_server) {
  Config config;
  config.read_timeout = seconds(7);
  config.write_timeout = seconds(9);
  const Config alone = filled(config);
  EXPECT_EQ(alone.keepalive_timeout, seconds(7));
  EXPECT_EQ(alone.shutdown_timeout, seconds(9));
  EXPECT_EQ(alone.healthcheck_interval, seconds(0));
  const Config given = filled(config, {"keepalive_timeout", "shutdown_timeout"});
  EXPECT_EQ(given.keepalive_timeout, seconds(30));
  EXPECT_EQ(given.shutdown_timeout, seconds(30));
}

TEST(Defaults, kubernetes_gets_the_interval_of_the_contract) {
  Config config;
  config.write_timeout = seconds(9);
  EXPECT_EQ(filled(config, {}, {.in_kubernetes = true}).healthcheck_interval, seconds(9));
  config.healthcheck_interval = seconds(2);
  EXPECT_EQ(filled(config, {"healthcheck_interval"}, {.in_kubernetes = true}).healthcheck_interval, seconds(2));
}

TEST(Defaults, lengths_below_zero_are_zero) {
  Config config;
  config.read_timeout = seconds(-5);
  config.healthcheck_interval = seconds(-5);
  const Config result = filled(config, {"read_timeout", "healthcheck_interval"});
  EXPECT_EQ(result.read_timeout, seconds(0));
  EXPECT_EQ(result.keepalive_timeout, seconds(0));
  EXPECT_EQ(result.healthcheck_interval, seconds(0));
}

TEST(Defaults, an_old_image_is_afterburn_with_one_worker) {
  Config config;
  EXPECT_EQ(filled(config).mode, ModeName::streaming);
  EXPECT_EQ(filled(config).afterburn_workers, std::nullopt);
  config.fast_fork = "0";  // any text, as it was
  EXPECT_EQ(filled(config).mode, ModeName::afterburn);
  EXPECT_EQ(filled(config).afterburn_workers, 1u);
  config.mode = ModeName::http;
  EXPECT_EQ(filled(config, {"mode", "afterburn_workers"}).mode, ModeName::http);
  EXPECT_EQ(filled(config, {"mode", "afterburn_workers"}).afterburn_workers, std::nullopt);
}

TEST(Defaults, duration_header_goes_by_mode) {
  struct Row {
    ModeName mode;
    bool expected;
  };
  constexpr Row kRows[] = {{ModeName::streaming, false},    {ModeName::serializing, true}, {ModeName::http, true},
                           {ModeName::static_files, false}, {ModeName::inproc, false},     {ModeName::afterburn, false},
                           {ModeName::classic, true}};
  for (const Row& row : kRows) {
    Config config;
    config.mode = row.mode;
    EXPECT_EQ(filled(config).duration_header, row.expected) << to_string(row.mode);
  }
  Config config;
  config.duration_header = true;
  EXPECT_TRUE(filled(config, {"duration_header"}).duration_header);
}

TEST(Defaults, connections_leave_descriptors_for_the_rest) {
  EXPECT_EQ(filled({}, {}, {.descriptor_limit = 1024}).max_connections, 819u);
  EXPECT_EQ(filled({}, {}, {.descriptor_limit = 1}).max_connections, 1u);
  EXPECT_EQ(filled({}, {}, {.descriptor_limit = SIZE_MAX}).max_connections, 800'000u);
  Config config;
  config.max_connections = 5;
  EXPECT_EQ(filled(config, {"max_connections"}).max_connections, 5u);
}

TEST(LookAround, reads_what_is_set) {
  const Surroundings plain = look_around({});
  EXPECT_FALSE(plain.in_kubernetes);
  EXPECT_EQ(plain.temporary_directory, "/tmp");
  EXPECT_GT(plain.descriptor_limit, 0u);
  const Surroundings set = look_around({{"TMPDIR", "/run"}, {"KUBERNETES_SERVICE_HOST", "10.0.0.1"}});
  EXPECT_TRUE(set.in_kubernetes);
  EXPECT_EQ(set.temporary_directory, "/run");
  const Surroundings empty = look_around({{"TMPDIR", ""}, {"KUBERNETES_SERVICE_HOST", ""}});
  EXPECT_FALSE(empty.in_kubernetes);
  EXPECT_EQ(empty.temporary_directory, "/tmp");
}

}  // namespace
}  // namespace fwd
