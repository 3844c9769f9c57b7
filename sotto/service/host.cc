#include "sotto/service/host.h"

#include <utility>

namespace sotto {

void Host::Submit(HostRequest request, Done done) {
  std::vector<HostRequest> requests;
  requests.push_back(std::move(request));
  SubmitAll(std::move(requests),
            [done = std::move(done)](std::vector<HostReply> replies) {
              done(std::move(replies.front()));
            });
}

std::string_view Host::StateName(State state) {
  switch (state) {
    case State::kStarting:
      return "starting";
    case State::kReady:
      return "ready";
    case State::kHalted:
      return "halted";
    case State::kDraining:
      return "draining";
    case State::kEnded:
      return "ended";
    case State::kFrozen:
      break;
  }
  return "frozen";
}

}  // namespace sotto
