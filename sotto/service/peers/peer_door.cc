#include "sotto/service/peers/peer_door.h"

#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "sotto/base/bytes.h"
#include "sotto/service/reply_text.h"

namespace sotto {
namespace {

// A bulk request of 4 MiB with its names; a lane is two connections of a model
// of another process.
constexpr std::size_t kLongestAsk = std::size_t{32} << 20;
constexpr std::size_t kMostLanes = 1 << 14;
constexpr std::size_t kPlaceBytes = kLaneBytes + sizeof(std::uint64_t);

http::Response Sealed(int status, std::string bytes) {
  return {.status = status,
          .type = "application/octet-stream",
          .body = std::move(bytes)};
}

// A model that starts still has the publication of the time before.
bool IsReplayed(Host::State state) {
  return state == Host::State::kReady || state == Host::State::kHalted ||
         state == Host::State::kDraining;
}

// Everything the asker may know of the model beside its replies.
PeerAnswer Show(const Host& host, const std::string& known, bool configured) {
  PeerAnswer answer{.state = host.condition().state,
                    .longest_body = host.longest_body(),
                    .estimate = host.Estimate()};
  if (!configured) answer.configuration = host.Configuration();
  auto publication = IsReplayed(answer.state)
                         ? host.Hypothesis()
                         : std::optional<Host::Publication>();
  answer.publishes = publication.has_value();
  if (publication && publication->version != known) {
    answer.publication = std::move(publication);
  }
  return answer;
}

}  // namespace

http::Decision PeerDoor::operator()(const http::Request& request) {
  const bool lane = request.path == kPeerLanePath;
  if (request.method != "POST" || (!lane && request.path != kPeerAskPath)) {
    return http::Problem(404);
  }
  return http::Accepted{
      .body_limit = kLongestAsk,
      .finish = [this, lane](const http::Body& body, const http::Reply& reply) {
        if (body.end != http::BodyEnd::kWhole) return reply(http::Problem(400));
        if (lane) return reply(OpenLane(body.text));
        Answer(body.text, reply);
      }};
}

http::Response PeerDoor::OpenLane(std::string_view body) {
  const std::string name(body.substr(0, kLaneBytes));
  body.remove_prefix(name.size());
  if (!seal_.Open("open", name, body)) return http::Problem(403);
  if (lanes_.size() >= kMostLanes) {
    places_.erase(lanes_.front().name);
    lanes_.pop_front();
  }
  lanes_.push_back({.name = RandomLane()});
  places_[lanes_.back().name] = std::prev(lanes_.end());
  return Sealed(200, seal_.Close("lane", name, lanes_.back().name));
}

bool PeerDoor::Take(std::string_view lane, std::uint64_t number, bool& again) {
  const auto found = places_.find(std::string(lane));
  if (found == places_.end()) return false;
  lanes_.splice(lanes_.end(), lanes_, found->second);
  again = number <= found->second->last;
  if (!again) found->second->last = number;
  return true;
}

void PeerDoor::Answer(std::string_view body, const http::Reply& reply) {
  std::string place(body.substr(0, kPlaceBytes));
  body.remove_prefix(place.size());
  const auto plain = seal_.Open("ask", place, body);
  if (!plain || place.size() != kPlaceBytes) return reply(http::Problem(403));
  ByteReader reader(place);
  const std::string_view lane = reader.Raw(kLaneBytes);
  bool again = false;
  if (!Take(lane, reader.Number<std::uint64_t>(), again)) {
    return reply(Sealed(409, seal_.Close("forgotten", place, "")));
  }
  if (again) return reply(http::Problem(403));
  auto ask = DecodeAsk(*plain);
  if (!ask) return reply(http::Problem(400));
  Submit(*std::move(ask), std::move(place), reply);
}

void PeerDoor::Submit(PeerAsk ask, std::string place,
                      const http::Reply& reply) const {
  Host* const host = hosts_.Find(ask.model);
  const auto send = [this, host, known = std::move(ask.known),
                     configured = ask.configured, place = std::move(place),
                     reply](std::vector<HostReply> replies) {
    PeerAnswer answer = host ? Show(*host, known, configured) : PeerAnswer{};
    answer.replies = std::move(replies);
    reply(Sealed(200, seal_.Close("answer", place, EncodeAnswer(answer))));
  };
  if (ask.requests.empty()) return send({});
  if (host == nullptr) {
    return send(std::vector(ask.requests.size(), UnavailableReply()));
  }
  host->SubmitAll(std::move(ask.requests), send);
}

}  // namespace sotto
