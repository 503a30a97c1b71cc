#include "tests/support/token_load.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "tests/support/http_client.hpp"

namespace fwd::test {

namespace {

constexpr std::size_t kDetails = 5;
constexpr std::size_t kSmallBytes = 4 * 1024;
constexpr std::size_t kMediumBytes = 128 * 1024;
constexpr std::size_t kLargeBytes = 5'000'000;
constexpr std::size_t kChunkBytes = 7'000;  // no divisor of any buffer size
// Around the boundary of a 64 KiB pipe: the last piece is shorter than a head, and old Node functions take it for more.
constexpr std::array<std::size_t, 5> kSpecialSizes = {65'443, 65'500, 65'536, 131'000, 131'072};

using Random = std::mt19937_64;

std::size_t pick(Random& random, std::size_t low, std::size_t high) {
  return std::uniform_int_distribution<std::size_t>(low, high)(random);
}

/// What belongs to request `index` alone, so that threads may take requests in any order.
Random random_for(const TokenLoad& load, std::size_t index) {
  std::seed_seq seed{load.seed, static_cast<std::uint64_t>(index)};
  return Random(seed);
}

std::size_t pick_size(Random& random, std::size_t at_least) {
  const std::size_t percent = pick(random, 0, 99);
  if (percent < 90) return pick(random, at_least, kSmallBytes);
  if (percent == 99) return pick(random, kMediumBytes, kLargeBytes);
  if (pick(random, 0, 1) == 0) return kSpecialSizes[pick(random, 0, kSpecialSizes.size() - 1)];
  return pick(random, kSmallBytes, kMediumBytes);
}

std::string token_of(const TokenLoad& load, std::size_t index) {
  return "<token " + std::to_string(load.seed) + "/" + std::to_string(index) + ">";
}

std::string_view character_of(Content content) {
  switch (content) {
    case Content::e_acute:
      return "é";
    case Content::euro:
      return "€";
    case Content::emoji:
      return "😀";
    default:
      return "a";
  }
}

void fill_with(std::string& body, std::size_t size, Content content, Random& random) {
  if (content == Content::binary) {
    while (body.size() + 1 < size) body += static_cast<char>(random());
  } else {
    const std::string_view character = character_of(content);
    while (body.size() + character.size() < size) body += character;
  }
  body.resize(size, '.');
}

std::string chunked_request(const TokenLoad& load, std::string_view body) {
  std::ostringstream text;
  text << "POST " << load.target << " HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n" << std::hex;
  for (std::size_t at = 0; at < body.size(); at += kChunkBytes) {
    const std::string_view piece = body.substr(at, kChunkBytes);
    text << piece.size() << "\r\n" << piece << "\r\n";
  }
  text << "0\r\n\r\n";
  return text.str();
}

enum class Style { keep_alive, chunked, closing, http_1_0 };

Style pick_style(Random& random) {
  const std::size_t eighth = pick(random, 0, 7);
  if (eighth < 3) return Style::keep_alive;
  if (eighth == 3) return Style::chunked;
  return eighth < 6 ? Style::closing : Style::http_1_0;
}

std::string render(const TokenLoad& load, Style style, std::string_view body) {
  switch (style) {
    case Style::chunked:
      return chunked_request(load, body);
    case Style::closing:
      return render_request("POST", load.target, body, {{"Connection", "close"}});
    case Style::http_1_0:
      return render_request("POST", load.target, body, {}, "HTTP/1.0");
    default:
      return render_request("POST", load.target, body);
  }
}

/// One thread's share of the load.
class Sender {
 public:
  Sender(const TokenLoad& load, TokenLoadResult& result, std::mutex& mutex)
      : load_(load), result_(result), mutex_(mutex) {}

  void send(std::size_t index) try {
    const std::string body = make_token_body(load_, index);
    Random random = random_for(load_, index);
    random.discard(1);
    const Style style = pick_style(random);
    const auto answer = ask(style, render(load_, style, body));
    judge(index, body, answer);
  } catch (const std::runtime_error& error) {
    kept_.reset();
    fail(index, "no connection", error.what());
  }

 private:
  std::optional<HttpAnswer> ask(Style style, std::string_view bytes) {
    if (style == Style::closing || style == Style::http_1_0) {
      HttpClient client(load_.port, load_.timeout);
      return exchange(client, bytes);
    }
    if (!kept_) kept_.emplace(load_.port, load_.timeout);
    auto answer = exchange(*kept_, bytes);
    if (!answer || answer->header("Connection") == "close") kept_.reset();
    return answer;
  }

  std::optional<HttpAnswer> exchange(HttpClient& client, std::string_view bytes) {
    (void)client.send(bytes);  // a refused body may still have its answer
    auto answer = client.find_answer();
    if (!answer) error_ = client.last_error();
    return answer;
  }

  void judge(std::size_t index, const std::string& body, const std::optional<HttpAnswer>& answer) {
    if (!answer) return fail(index, "no answer", error_);
    if (answer->status != 200) return fail(index, "status " + std::to_string(answer->status), answer->body);
    const std::string expected = load_.expected ? load_.expected(body) : body;
    if (answer->body == expected) {
      const std::lock_guard lock(mutex_);
      ++result_.right;
      return;
    }
    const bool own = answer->body.find(token_of(load_, index)) != std::string::npos;
    const bool foreign = !own && answer->body.find("<token ") != std::string::npos;
    fail(index, foreign ? "another request's answer" : "wrong body", compared(answer->body, expected));
  }

  static std::string compared(const std::string& got, const std::string& expected) {
    std::size_t same = 0;
    while (same < got.size() && same < expected.size() && got[same] == expected[same]) ++same;
    return std::to_string(got.size()) + " bytes instead of " + std::to_string(expected.size()) + ", the first " +
           std::to_string(same) + " are right: " + got.substr(0, 60);
  }

  void fail(std::size_t index, const std::string& kind, std::string_view detail) {
    const std::lock_guard lock(mutex_);
    ++result_.failures[kind];
    if (result_.details.size() >= kDetails) return;
    const std::size_t size = make_token_body(load_, index).size();
    result_.details.push_back("request " + std::to_string(index) + " of " + std::to_string(size) + " bytes: " + kind +
                              ": " + std::string(detail.substr(0, 200)));
  }

  const TokenLoad& load_;
  TokenLoadResult& result_;
  std::mutex& mutex_;
  std::optional<HttpClient> kept_;
  std::string error_;
};

}  // namespace

std::string make_token_body(const TokenLoad& load, std::size_t index) {
  Random random = random_for(load, index);
  const Content content = load.contents[pick(random, 0, load.contents.size() - 1)];
  std::string body = token_of(load, index);
  const std::size_t size = pick_size(random, body.size());
  body.reserve(size);
  fill_with(body, size, content, random);
  return body;
}

std::size_t TokenLoadResult::failed() const {
  std::size_t count = 0;
  for (const auto& [kind, number] : failures) count += number;
  return count;
}

std::string TokenLoadResult::summary() const {
  std::string text = std::to_string(right) + " right, " + std::to_string(failed()) + " failed\n";
  for (const auto& [kind, number] : failures) text += "  " + std::to_string(number) + " x " + kind + "\n";
  for (const std::string& detail : details) text += "  " + detail + "\n";
  return text;
}

TokenLoadResult run_token_load(const TokenLoad& load) {
  TokenLoadResult result;
  std::mutex mutex;
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < load.concurrency; ++thread) {
    threads.emplace_back([&load, &result, &mutex, &next] {
      Sender sender(load, result, mutex);
      for (std::size_t index = next++; index < load.requests; index = next++) sender.send(index);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return result;
}

}  // namespace fwd::test
