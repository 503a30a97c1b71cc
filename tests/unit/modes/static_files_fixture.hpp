#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "modes/file_answer.hpp"
#include "modes/static_files.hpp"
#include "tests/support/fake_exchange.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/tar_writer.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fwd {

using test::FakeExchange;
using test::TarWriter;
using test::TemporaryFolder;

inline constexpr std::int64_t kModified = 784111777;
inline constexpr const char* kModifiedText = "Sun, 06 Nov 1994 08:49:37 GMT";

/// Bytes that show where they are from.
inline std::string pattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 7 + i / 251);
  return bytes;
}

enum class From { folder, archive };

/// The same files, once from a folder and once from an archive.
class StaticFilesTest : public testing::TestWithParam<From> {
 protected:
  void add(const std::string& name, const std::string& contents) {
    files_.write("site/" + name, contents);
    const timespec times[] = {{kModified, 0}, {kModified, 0}};
    EXPECT_EQ(::utimensat(AT_FDCWD, (files_ / ("site/" + name)).c_str(), times, 0), 0);
    tar_.add({.name = name, .time_field = "05657114241"}, contents);
  }

  StaticFiles& make(StaticOptions options = {}) {
    if (GetParam() == From::folder) options.root = files_ / "site";
    if (GetParam() == From::archive) {
      files_.write("a.tar", tar_.finished());
      options.archive = files_ / "a.tar";
    }
    mode_.emplace(std::move(options));
    EXPECT_FALSE(mode_->start()) << mode_->start_error();
    return *mode_;
  }

  FakeExchange& ask(std::string_view target, std::string_view fields = {}, std::string_view method = "GET") {
    auto& exchange = asked_.emplace_back(std::make_unique<FakeExchange>(method, target, fields));
    error_ = serve(*exchange);
    return *exchange;
  }
  Error serve(FakeExchange& exchange) {
    Error error;
    auto script = [this, &exchange, &error]() -> Task<void> { error = co_await mode_->serve(exchange); };
    run_task(context_, script());
    return error;
  }
  int status(std::string_view target, std::string_view fields = {}) { return ask(target, fields).status(); }

  void expect_failure(const FakeExchange& answer, int status, std::string_view what) {
    EXPECT_EQ(answer.status(), status) << what;
    EXPECT_EQ(answer.field("Content-Type"), "text/plain; charset=utf-8") << what;
    EXPECT_EQ(answer.field("X-OpenFaaS-Internal"), "of-watchdog") << what;
    EXPECT_EQ(answer.text().find('\n') + 1, answer.text().size()) << what;
    EXPECT_TRUE(answer.finished()) << what;
    EXPECT_FALSE(error_) << what;
  }

  asio::io_context context_{1};
  TemporaryFolder files_;
  TarWriter tar_;
  std::optional<StaticFiles> mode_;
  std::vector<std::unique_ptr<FakeExchange>> asked_;
  Error error_;
};

}  // namespace fwd
