#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "watchdog/base/error.hpp"
#include "watchdog/base/task.hpp"

namespace fwd {

/// How many pieces one write may gather: a head, a body, and what ends a chunk.
inline constexpr std::size_t kMostPieces = 3;

using Buffers = std::array<asio::const_buffer, kMostPieces>;

/// What is left of `pieces`, at most kMostPieces of them, after `skip` bytes.
inline Buffers rest_of(std::span<const std::string_view> pieces, std::size_t skip) {
  Buffers buffers;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::size_t cut = std::min(skip, pieces[i].size());
    buffers[i] = asio::buffer(pieces[i].substr(cut));
    skip -= cut;
  }
  return buffers;
}

/// Tries to send `pieces` at once. Returns how many bytes went; all did if that is `total`.
template <class Stream>
std::size_t write_some_of(Stream& stream, std::span<const std::string_view> pieces, std::size_t& total, Error& error) {
  total = 0;
  for (const std::string_view piece : pieces) total += piece.size();
  const std::size_t sent = total == pieces[0].size() ? stream.write_some(asio::buffer(pieces[0]), error)
                                                     : stream.write_some(rest_of(pieces, 0), error);
  if (error == asio::error::would_block) error = {};
  return sent;
}

}  // namespace fwd
