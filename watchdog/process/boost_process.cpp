// Boost.Process is compiled once, here.
#include <boost/asio/detail/throw_error.hpp>  // its own headers forget this one

#include <boost/process/v2/src.hpp>
