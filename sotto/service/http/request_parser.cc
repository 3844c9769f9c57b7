#include "sotto/service/http/request_parser.h"

#include <boost/beast/core/error.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <limits>
#include <utility>

#include "sotto/service/http/strict_head.h"

namespace sotto::http {
namespace {

namespace beast = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

std::string_view View(string_view text) { return {text.data(), text.size()}; }

}  // namespace

// Beast's parser of one message, with our own checks around it. It sees the
// head only when that is complete and strict.
class RequestParser::Impl final : public beast::basic_parser<true> {
 public:
  explicit Impl(const Limits& limits) : limits_(limits) {
    header_limit(std::numeric_limits<std::uint32_t>::max());
    body_limit(std::numeric_limits<std::uint64_t>::max());  // counted here
    eager(true);
  }

  std::size_t Put(std::string_view bytes) {
    if (stage == Stage::kHead) return PutHead(bytes);
    return stage == Stage::kBody ? PutBody(bytes) : 0;
  }

  void LimitBody(std::size_t limit) {
    limit_ = limit;
    if (request.length.value_or(0) > limit) FailBody(BodyEnd::kTooLong);
  }

  Stage stage = Stage::kHead;
  int status = 0;
  BodyEnd body_end = BodyEnd::kWhole;
  Request request;
  std::string body;

 private:
  std::size_t PutHead(std::string_view bytes) {
    const auto found = scanner_.Scan(bytes);
    if (found == HeadScanner::Found::kBad) return FailHead(400);
    if (scanner_.length() > limits_.header) return FailHead(431);
    if (found == HeadScanner::Found::kMore) return 0;
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
    stage = is_done() ? Stage::kDone : Stage::kBody;
  }

  std::size_t PutBody(std::string_view bytes) {
    if (bytes.empty()) return 0;
    error_code error;
    const std::size_t used = put({bytes.data(), bytes.size()}, error);
    if (is_done()) {
      stage = Stage::kDone;
    } else if (error == beast::error::need_more) {
      // An endless line between two chunks.
      if (bytes.size() - used > limits_.header) FailBody(BodyEnd::kMalformed);
    } else if (error) {
      const bool long_body = error == beast::error::body_limit;
      FailBody(long_body ? BodyEnd::kTooLong : BodyEnd::kMalformed);
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

  std::size_t TakeBodyBytes(string_view text, error_code& error) {
    if (text.size() > limit_ - body.size()) {
      error = beast::error::body_limit;
      return 0;
    }
    body.append(text.data(), text.size());
    return text.size();
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
    // Fields behind the last chunk are dropped.
    if (stage == Stage::kHead) {
      request.fields.push_back({View(name), View(value)});
    }
  }
  void on_header_impl(error_code& /*error*/) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>& /*length*/,
                         error_code& /*error*/) override {}
  std::size_t on_body_impl(string_view text, error_code& error) override {
    return TakeBodyBytes(text, error);
  }
  void on_chunk_header_impl(std::uint64_t size, string_view /*extensions*/,
                            error_code& error) override {
    if (size > limit_ - body.size()) error = beast::error::body_limit;
  }
  std::size_t on_chunk_body_impl(std::uint64_t /*remain*/, string_view text,
                                 error_code& error) override {
    return TakeBodyBytes(text, error);
  }
  void on_finish_impl(error_code& /*error*/) override {}

  const Limits& limits_;
  HeadScanner scanner_;
  std::string head_;
  std::size_t limit_ = 0;
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
