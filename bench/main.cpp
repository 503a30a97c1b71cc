#include <cerrno>
#include <cstdio>
#include <string>
#include <variant>

#include "bench/body_file.hpp"
#include "bench/endpoint.hpp"
#include "bench/generator.hpp"
#include "bench/load.hpp"
#include "bench/options.hpp"
#include "bench/progress.hpp"
#include "bench/report/ab.hpp"
#include "bench/report/extended.hpp"
#include "bench/summary.hpp"
#include "bench/version.hpp"

namespace fwd::bench {
namespace {

constexpr int kExitCannotRun = 1;  // bench-features 5.2, as are the others
constexpr int kExitInterrupted = 105;
constexpr int kExitOurBug = 70;

void say(std::FILE* out, const std::string& text) {
  (void)std::fwrite(text.data(), 1, text.size(), out);  // a closed stdout is the reader's choice
  (void)std::fflush(out);
}

int cannot_run(const Options& options, const std::string& problem) {
  say(stderr, std::string(options.like_ab ? "ab: " : "fbench: ") + problem + '\n');
  return kExitCannotRun;
}

Plan make_plan(const Options& options) {
  return {.requests = options.requests,
          .concurrency = options.concurrency,
          .time_limit = options.time_limit,
          .timeout = options.timeout,
          .request = render_request(options.request, options.url),
          .keep_alive = options.request.keep_alive,
          .to_head_request = options.request.method == "HEAD",
          .any_length = options.any_length};
}

void announce(const Options& options, const Progress& progress) {
  say(stdout, options.like_ab ? ab_banner() : "fbench " + std::string(version()) + "\n\n");
  say(stdout, "Benchmarking " + options.url.host + " (be patient)" + (progress.shown() ? "\n" : "..."));
}

int exit_code(const Summary& summary, const Options& options) {
  if (!summary.accounting_holds()) return kExitOurBug;
  if (summary.ending == Ending::interrupted) return options.like_ab ? kExitCannotRun : kExitInterrupted;
  const bool nothing_worked = summary.completed > 0 && summary.ok == 0;
  return nothing_worked || summary.ending == Ending::nothing_connected ? kExitCannotRun : 0;
}

int run(Options options) {
  if (options.request.has_body) {
    auto body = read_body_file(options.body_path);
    if (!body) {
      return cannot_run(options,
                        "Could not open POST data file (" + options.body_path + "): " + body.error().message());
    }
    options.request.body = std::move(*body);
  }
  std::string problem;
  Endpoint endpoint = resolve(options.url.host, options.url.port, problem);
  if (endpoint.addresses.empty()) return cannot_run(options, "cannot resolve " + options.url.host + ": " + problem);
  raise_descriptor_limit();

  Progress progress(options.requests, options.quiet, stderr);
  Load load(make_plan(options), std::move(endpoint), progress);
  announce(options, progress);
  const GeneratorUse before = measure_generator();
  const auto ending = load.run();
  const GeneratorUse used = measure_generator() - before;
  if (!ending) return cannot_run(options, "cannot start the event loop: " + ending.error().message());

  progress.finished(load.tally().completed);
  if (*ending == Ending::nothing_connected) say(stderr, "\nTest aborted: no connection could be made\n\n");
  const Summary summary = summarize(load.tally(), *ending, load.elapsed(), options.concurrency, used);
  say(stdout, (progress.shown() ? "\n\n" : "..done\n\n\n") + ab_report(summary, options));
  if (!options.like_ab) say(stdout, extended_report(summary, options));
  return exit_code(summary, options);
}

}  // namespace
}  // namespace fwd::bench

int main(int argc, char** argv) {
  using namespace fwd::bench;
  auto parsed = parse_options(argc, argv);
  if (const auto* parting = std::get_if<Parting>(&parsed)) {
    say(stdout, parting->out);
    say(stderr, parting->err);
    return parting->exit_code;
  }
  return run(std::move(std::get<Options>(parsed)));
}
