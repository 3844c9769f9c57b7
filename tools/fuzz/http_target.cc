// Requests in any pieces: the same outcome, within the limits.
//
//   tools/fuzz.sh http

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sotto/service/http/request_parser.h"

namespace {

using sotto::http::Limits;
using sotto::http::RequestParser;

constexpr std::size_t kBody = 200;

const Limits& SmallLimits() {
  static const Limits kLimits = [] {
    Limits limits;
    limits.header = 512;
    limits.fields = 8;
    return limits;
  }();
  return kLimits;
}

// The outcome of reading the bytes in pieces of that size.
std::string Read(std::string_view bytes, std::size_t piece) {
  RequestParser parser(SmallLimits());
  std::string in;
  std::size_t used_in_all = 0;
  bool limited = false;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    in += bytes.substr(at, piece);
    for (std::size_t used = 1; used > 0;) {
      used = parser.Put(in);
      if (used > in.size()) std::abort();
      in.erase(0, used);
      used_in_all += used;
      if (parser.stage() == RequestParser::Stage::kBody && !limited) {
        parser.LimitBody(kBody);
        limited = true;
      }
    }
    if (parser.stage() >= RequestParser::Stage::kDone) break;
  }
  if (parser.body_size() > kBody) std::abort();
  const bool done = parser.stage() == RequestParser::Stage::kDone;
  return std::to_string(static_cast<int>(parser.stage())) + "/" +
         std::to_string(parser.status()) + "/" +
         (done ? std::to_string(used_in_all) + parser.TakeBody() : "");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string whole = Read(bytes, size + 1);
  for (const std::size_t piece : {1, 7}) {
    if (Read(bytes, piece) != whole) std::abort();
  }
  return 0;
}
