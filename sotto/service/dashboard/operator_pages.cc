#include "sotto/service/dashboard/operator_pages.h"

#include <sodium.h>

#include <array>
#include <charconv>
#include <utility>

#include "sotto/service/api/problem.h"
#include "sotto/service/api/route.h"
#include "sotto/service/dashboard/assets.h"

namespace sotto {
namespace {

constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src "
    "'self'; img-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

std::string MakeTag(std::string_view content) {
  std::array<unsigned char, 16> hash{};
  crypto_generichash(hash.data(), hash.size(),
                     reinterpret_cast<const unsigned char*>(content.data()),
                     content.size(), nullptr, 0);
  std::array<char, 33> text{};
  sodium_bin2hex(text.data(), text.size(), hash.data(), hash.size());
  return text.data();
}

std::optional<std::uint64_t> ReadNumber(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

// The last event that a reader has: a field, or part of the address for pages
// that reconnect by themselves.
std::optional<std::uint64_t> LastEvent(const http::Request& request) {
  constexpr std::string_view kName = "last_event_id=";
  if (const auto field = request.Find("Last-Event-ID")) {
    return ReadNumber(*field);
  }
  if (!request.query.starts_with(kName)) return std::nullopt;
  return ReadNumber(request.query.substr(kName.size()));
}

}  // namespace

OperatorPages::OperatorPages(ServiceWatch& watch, MetricsSources metrics)
    : watch_(watch), metrics_(std::move(metrics)) {
  for (const Asset& asset : DashboardAssets()) {
    files_.emplace(asset.path, tags_.size());
    tags_.push_back(MakeTag(asset.content));
  }
}

std::optional<http::Decision> OperatorPages::operator()(
    const http::Request& request) {
  const auto file = files_.find(request.path);
  const bool events = request.path == "/v1/events";
  const bool metrics = request.path == "/metrics";
  if (file == files_.end() && !events && !metrics) return std::nullopt;
  if (!api::IsGet(request)) return api::NotAllowed("GET, HEAD");
  if (events) return OpenEvents(request);
  if (metrics) return ShowMetrics();
  return ShowFile(request, file->second);
}

http::Response OperatorPages::ShowFile(const http::Request& request,
                                       std::size_t asset) const {
  const Asset& file = DashboardAssets()[asset];
  http::Response response =
      api::Document(request, std::string(file.content), tags_[asset]);
  if (response.status == 200) response.type = file.type;
  for (const auto& [name, value] :
       {std::pair{"Content-Security-Policy", kPolicy},
        std::pair{"X-Content-Type-Options", "nosniff"},
        std::pair{"Referrer-Policy", "no-referrer"}}) {
    response.fields.emplace_back(name, value);
  }
  return response;
}

http::Response OperatorPages::OpenEvents(const http::Request& request) const {
  return {.type = "text/event-stream",
          .fields = {{"Cache-Control", "no-store"},
                     {"X-Content-Type-Options", "nosniff"}},
          .stream = [this, last = LastEvent(request)](http::BodyWriter writer) {
            watch_.Subscribe(std::move(writer), last);
          }};
}

http::Decision OperatorPages::ShowMetrics() {
  return http::Accepted{
      .body_limit = 0, .finish = [this](const http::Body&, http::Reply reply) {
        worker_.Add([this, reply = std::move(reply)] {
          reply({.type = "text/plain; version=0.0.4; charset=utf-8",
                 .fields = {{"Cache-Control", "no-store"}},
                 .body = WriteMetrics(metrics_)});
        });
      }};
}

}  // namespace sotto
