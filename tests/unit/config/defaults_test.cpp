#include "watchdog/config/defaults.hpp"

#include <gtest/gtest.h>

namespace fwd {
namespace {

struct Filled {
  Config config;
  std::vector<std::string> warnings;
};

Filled fill(Config config, const std::vector<std::string_view>& given, const Surroundings& around) {
  GivenOptions options;
  for (const std::string_view name : given) options[name] = std::string(name) + "=\"given\"";
  std::vector<std::string> warnings = fill_defaults(config, options, around);
  return {std::move(config), std::move(warnings)};
}

Config filled(const Config& config, const std::vector<std::string_view>& given = {}, const Surroundings& around = {}) {
  Filled result = fill(config, given, around);
  EXPECT_TRUE(result.warnings.empty());
  return std::move(result.config);
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

TEST(Defaults, knative_has_no_interval_and_ends_within_ten_seconds) {
  const Surroundings knative = {.in_kubernetes = true, .in_knative = true};
  const Config alone = filled({}, {}, knative);
  EXPECT_EQ(alone.healthcheck_interval, seconds(0));
  EXPECT_EQ(alone.shutdown_timeout, seconds(10));
  EXPECT_EQ(alone.write_timeout, seconds(30));

  Config config;
  config.healthcheck_interval = seconds(3);
  config.shutdown_timeout = seconds(10);
  const Config short_enough = filled(config, {"healthcheck_interval", "shutdown_timeout"}, knative);
  EXPECT_EQ(short_enough.healthcheck_interval, seconds(3));
  EXPECT_EQ(short_enough.shutdown_timeout, seconds(10));

  config.shutdown_timeout = milliseconds(10'001);
  const Filled cut = fill(config, {"shutdown_timeout"}, knative);
  EXPECT_EQ(cut.config.shutdown_timeout, seconds(10));
  ASSERT_EQ(cut.warnings.size(), 1u);
  EXPECT_EQ(cut.warnings[0],
            "shutdown_timeout=\"given\" is cut to 10s: K_SERVICE is set, and Cloud Run kills what takes longer");
  config.write_timeout = seconds(2);
  EXPECT_EQ(filled(config, {}, knative).shutdown_timeout, seconds(2));
}

TEST(Defaults, classic_has_those_of_its_watchdog) {
  Config config;
  config.mode = ModeName::classic;
  const Config alone = filled(config);
  EXPECT_EQ(alone.exec_timeout, seconds(0));
  EXPECT_EQ(alone.content_type, "");
  EXPECT_TRUE(alone.combine_output);
  EXPECT_TRUE(alone.cgi_headers);
  EXPECT_EQ(alone.write_timeout, seconds(30));
  config.exec_timeout = seconds(4);
  config.content_type = "text/plain";
  config.write_timeout = seconds(-1);
  const Config given = filled(config, {"exec_timeout", "content_type", "write_timeout"}, {.in_kubernetes = true});
  EXPECT_EQ(given.exec_timeout, seconds(4));
  EXPECT_EQ(given.content_type, "text/plain");
  EXPECT_EQ(given.write_timeout, seconds(0));
  EXPECT_EQ(given.healthcheck_interval, seconds(0));
  EXPECT_EQ(given.shutdown_timeout, seconds(30)) << "without a limit for requests, the end has one";
}

TEST(Defaults, either_name_buffers_bodies) {
  Config config;
  EXPECT_FALSE(filled(config).http_buffer_req_body);
  config.buffer_http = true;
  EXPECT_TRUE(filled(config, {"http_buffer_req_body", "buffer_http"}).http_buffer_req_body);
  config.http_buffer_req_body = true;
  config.buffer_http = false;
  EXPECT_TRUE(filled(config, {"http_buffer_req_body", "buffer_http"}).http_buffer_req_body);
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
                           {ModeName::static_files, false}, {ModeName::afterburn, false},  {ModeName::classic, true}};
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
  EXPECT_FALSE(plain.in_knative);
  const Surroundings set =
      look_around({{"TMPDIR", "/run"}, {"KUBERNETES_SERVICE_HOST", "10.0.0.1"}, {"K_SERVICE", "function"}});
  EXPECT_TRUE(set.in_kubernetes);
  EXPECT_TRUE(set.in_knative);
  EXPECT_EQ(set.temporary_directory, "/run");
  const Surroundings empty = look_around({{"TMPDIR", ""}, {"KUBERNETES_SERVICE_HOST", ""}, {"K_SERVICE", ""}});
  EXPECT_FALSE(empty.in_kubernetes);
  EXPECT_FALSE(empty.in_knative);
  EXPECT_EQ(empty.temporary_directory, "/tmp");
}

}  // namespace
}  // namespace fwd
