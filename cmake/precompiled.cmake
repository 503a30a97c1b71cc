# Three quarters of a compilation here is reading Asio's headers, or GoogleTest's: both are read once for all.
# Sources still include what they use; FWD_PCH=OFF proves it.
option(FWD_PCH "Precompile the headers that most sources include" ON)

if(FWD_PCH)
  file(WRITE ${CMAKE_BINARY_DIR}/precompiled.cpp "")
  add_library(fwd_precompiled STATIC ${CMAKE_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(fwd_precompiled PRIVATE fwd_flags fwd_fmt)
  target_precompile_headers(
    fwd_precompiled PRIVATE
    <boost/asio/as_tuple.hpp> <boost/asio/awaitable.hpp> <boost/asio/basic_signal_set.hpp>
    <boost/asio/basic_socket_acceptor.hpp> <boost/asio/basic_stream_socket.hpp> <boost/asio/basic_waitable_timer.hpp>
    <boost/asio/buffer.hpp> <boost/asio/co_spawn.hpp> <boost/asio/deferred.hpp> <boost/asio/detached.hpp>
    <boost/asio/io_context.hpp> <boost/asio/ip/tcp.hpp> <boost/asio/posix/basic_stream_descriptor.hpp>
    <boost/asio/post.hpp> <boost/asio/use_awaitable.hpp> <boost/asio/write.hpp> <boost/intrusive/list.hpp>
    <boost/intrusive/set.hpp> <boost/system/result.hpp>
    <algorithm> <array> <chrono> <functional> <memory> <optional> <span> <string> <string_view> <vector>)
  if(FWD_TESTS)
    add_library(fwd_precompiled_tests STATIC ${CMAKE_BINARY_DIR}/precompiled.cpp)
    target_link_libraries(fwd_precompiled_tests PRIVATE fwd_flags GTest::gmock)
    target_precompile_headers(fwd_precompiled_tests PRIVATE <gmock/gmock.h> <gtest/gtest.h> <algorithm> <chrono>
                              <functional> <memory> <optional> <string> <string_view> <thread> <vector>)
  endif()
endif()

function(fwd_precompile target from)
  if(FWD_PCH)
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()
