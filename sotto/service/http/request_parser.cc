#include "sotto/service/http/request_parser.h"

#include <boost/beast/core/error.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <limits>
#include <optional>
#include <utility>

#include "sotto/service/http/chunk_decoder.h"
#include "sotto/service/http/strict_head.h"

namespace sotto::http {
namespace {

namespace beast = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

std::string_view View(string_view text) { return {text.data(), text.size()}; }

}  // namespace

// Beast's parser of one head, which it sees only when that is complete and
// strict. Bodies are read here: the chunks of Beast 1.74 assert on some pieces.
class RequestParser::Impl final : public beast::basic_parser<true> {
 public:
  explicit Impl(const Limits& limits) : limits_(limits) {
    header_limit(std::numeric_limits<std::uint32_t>::max());
    skip(true);  // bodies are read here
  }

  std::size_t Put(std::string_view bytes) {
    if (stage == Stage::kHead) return PutHead(bytes);
    return stage == Stage::kBody ? PutBody(bytes) : 0;
  }

  void LimitBody(std::size_t limit) {
    if (request.chunked) chunks_.emplace(limit, limits_.header);
    if (request.length.value_or(0) > limit) FailBody(BodyEnd::kTooLong);
  }

  Stage stage = Stage::kHead;
  int status = 0;
  BodyEnd body_end = BodyEnd::kWhole;
  Request request;
  std::string body;

 private:
  std::size_t PutHead(std::string_view bytes) {
    const auto found = scanner_.Scan(bytes.substr(0, limits_.header));
    if (found == HeadScanner::Found::kBad) return FailHead(400);
    if (found == HeadScanner::Found::kMore) {
      return bytes.size() > limits_.header ? FailHead(431) : 0;
    }
    head_.assign(bytes.substr(0, scanner_.length()));
    error_code error;
    if (!IsStrictHead(head_)) return FailHead(400);
    put({head_.data(), head_.size()}, error);
    if (error || !is_header_done() || !good_target_) return FailHead(400);
    FinishHead();
    return head_.size();
  }

  void FinishHead() {
    status = CheckHead(request, http11_, limits_);
    if (status != 0) {
      stage = Stage::kBadHead;
      return;
    }
    request.keep_alive = keep_alive();
    request.chunked = chunked();
    if (const auto length = content_length()) request.length = *length;
    stage = request.has_body() ? Stage::kBody : Stage::kDone;
  }

  std::size_t PutBody(std::string_view bytes) {
    return chunks_ ? PutChunks(bytes) : PutPlain(bytes);
  }

  std::size_t PutPlain(std::string_view bytes) {
    const std::size_t left = *request.length - body.size();
    const std::string_view taken = bytes.substr(0, left);
    body.append(taken);
    if (taken.size() == left) stage = Stage::kDone;
    return taken.size();
  }

  std::size_t PutChunks(std::string_view bytes) {
    const std::size_t used = chunks_->Put(bytes, body);
    switch (chunks_->state()) {
      case ChunkDecoder::State::kMore:
        break;
      case ChunkDecoder::State::kDone:
        stage = Stage::kDone;
        break;
      case ChunkDecoder::State::kTooLong:
        FailBody(BodyEnd::kTooLong);
        break;
      case ChunkDecoder::State::kBad:
        FailBody(BodyEnd::kMalformed);
        break;
    }
    return used;
  }

  std::size_t FailHead(int code) {
    stage = Stage::kBadHead;
    status = code;
    return 0;
  }

  void FailBody(BodyEnd end) {
    stage = Stage::kBadBody;
    body_end = end;
  }

  void on_request_impl(beast::verb /*verb*/, string_view method,
                       string_view target, int version,
                       error_code& /*error*/) override {
    request.method = View(method);
    good_target_ = SplitTarget(View(target), request);
    http11_ = version == 11;
  }
  void on_response_impl(int /*code*/, string_view /*reason*/, int /*version*/,
                        error_code& /*error*/) override {}
  void on_field_impl(beast::field /*field*/, string_view name,
                     string_view value, error_code& /*error*/) override {
    request.fields.push_back({View(name), View(value)});
  }
  void on_header_impl(error_code& /*error*/) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>& /*length*/,
                         error_code& /*error*/) override {}
  std::size_t on_body_impl(string_view /*text*/,
                           error_code& /*error*/) override {
    return 0;
  }
  void on_chunk_header_impl(std::uint64_t /*size*/, string_view /*extensions*/,
                            error_code& /*error*/) override {}
  std::size_t on_chunk_body_impl(std::uint64_t /*remain*/, string_view /*text*/,
                                 error_code& /*error*/) override {
    return 0;
  }
  void on_finish_impl(error_code& /*error*/) override {}

  const Limits& limits_;
  HeadScanner scanner_;
  std::string head_;
  std::optional<ChunkDecoder> chunks_;  // of a chunked body
  bool good_target_ = false;
  bool http11_ = false;
};

RequestParser::RequestParser(const Limits& limits)
    : impl_(std::make_unique<Impl>(limits)) {}
RequestParser::~RequestParser() = default;

std::size_t RequestParser::Put(std::string_view bytes) {
  return impl_->Put(bytes);
}
void RequestParser::LimitBody(std::size_t limit) { impl_->LimitBody(limit); }
RequestParser::Stage RequestParser::stage() const { return impl_->stage; }
int RequestParser::status() const { return impl_->status; }
BodyEnd RequestParser::body_end() const { return impl_->body_end; }
const Request& RequestParser::request() const { return impl_->request; }
std::size_t RequestParser::body_size() const { return impl_->body.size(); }
std::string RequestParser::TakeBody() { return std::move(impl_->body); }

bool RequestParser::wants_continue() const {
  const auto expect = impl_->request.Find("Expect");
  return expect && EqualsIgnoringCase(*expect, "100-continue");
}

}  // namespace sotto::http
