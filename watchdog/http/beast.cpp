// Beast's HTTP parser is compiled once, here: only the parts that parse a head, not <boost/beast/src.hpp>, which brings
// websockets and zlib and takes four times as long.
#include <boost/beast/core/impl/string.ipp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/detail/basic_parser.ipp>
#include <boost/beast/http/detail/rfc7230.ipp>
#include <boost/beast/http/impl/basic_parser.ipp>
#include <boost/beast/http/impl/error.ipp>
#include <boost/beast/http/impl/field.ipp>
#include <boost/beast/http/impl/rfc7230.ipp>
#include <boost/beast/http/impl/verb.ipp>

template class boost::beast::http::basic_parser<true>;
