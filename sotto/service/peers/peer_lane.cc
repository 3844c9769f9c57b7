#include "sotto/service/peers/peer_lane.h"

#include <utility>

#include "sotto/service/peers/peer_door.h"

namespace sotto {
namespace {

constexpr int kPause = 1;  // seconds to connect and to send a part

HttpClient::Request Post(const char* path, std::string body) {
  return {.method = "POST",
          .path = path,
          .fields = {{"Content-Type", "application/octet-stream"}},
          .body = std::move(body)};
}

std::string MakeUrl(const std::string& address) {
  return address.starts_with("unix:") ? address : "http://" + address;
}

}  // namespace

PeerLane::Outcome PeerLane::Fail(Outcome outcome) {
  client_.reset();
  lane_.clear();
  return outcome;
}

bool PeerLane::Open(const std::string& address, const Patient& patient) {
  if (client_ && address == address_ && !lane_.empty()) return true;
  if (!client_ || address != address_) {
    auto client = HttpClient::Open(MakeUrl(address), kPause);
    if (!client) return false;
    client_.emplace(*std::move(client));
    address_ = address;
  }
  client_->WaitWhile(patient);
  const std::string name = RandomLane();
  const auto response =
      client_->Ask(Post(kPeerLanePath, name + seal_.Close("open", name, "")));
  const auto lane = response && response->status == 200
                        ? seal_.Open("lane", name, response->body)
                        : std::nullopt;
  if (!lane || lane->size() != kLaneBytes) return false;
  lane_ = *lane;
  number_ = 0;
  return true;
}

PeerLane::Outcome PeerLane::Ask(const std::string& address, const PeerAsk& ask,
                                const Patient& patient, PeerAnswer& answer) {
  const std::string body = EncodeAsk(ask);
  // The other side may have forgotten the lane: a second one is fresh.
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (!Open(address, patient)) return Fail(Outcome::kNotSent);
    client_->WaitWhile(patient);
    bool retry = false;
    const Outcome outcome = AskOnce(body, answer, retry);
    if (!retry) return outcome;
    lane_.clear();
  }
  return Fail(Outcome::kNotSent);
}

PeerLane::Outcome PeerLane::AskOnce(const std::string& body, PeerAnswer& answer,
                                    bool& retry) {
  const std::string place = LanePlace(lane_, ++number_);
  bool sent = false;
  const auto response = client_->Ask(
      Post(kPeerAskPath, place + seal_.Close("ask", place, body)), &sent);
  if (!response) return Fail(sent ? Outcome::kLost : Outcome::kNotSent);
  if (const auto plain = seal_.Open("answer", place, response->body)) {
    auto decoded = DecodeAnswer(*plain);
    if (!decoded) return Fail(Outcome::kLost);
    answer = *std::move(decoded);
    return Outcome::kDone;
  }
  retry = seal_.Open("forgotten", place, response->body).has_value();
  return retry ? Outcome::kNotSent : Fail(Outcome::kLost);
}

}  // namespace sotto
