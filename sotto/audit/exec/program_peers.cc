#include "sotto/audit/exec/program_peers.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "sotto/base/printable.h"

namespace sotto {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20;
constexpr std::size_t kLongestExcerpt = 80;

// The answer, printable and shortened for a message.
std::string Excerpt(std::string_view text) {
  const std::string shown(text.substr(0, kLongestExcerpt));
  return "'" + Printable(shown) + (text.size() > shown.size() ? "...'" : "'");
}

}  // namespace

ProgramPeer ProgramPeers::Borrow() {
  ProgramPeer peer(*this);
  const std::scoped_lock lock(mutex_);
  if (idle_.empty()) return peer;
  peer.child_ = std::move(idle_.back());
  idle_.pop_back();
  return peer;
}

ProgramPeer::~ProgramPeer() {
  if (!child_ || peers_->params_.fresh) return;
  const std::scoped_lock lock(peers_->mutex_);
  peers_->idle_.push_back(std::move(child_));
}

Result<Json> ProgramPeer::Ask(const Json& line) {
  if (!child_) {
    SOTTO_TRY_ASSIGN(auto child,
                     ChildProcess::Start({.command = peers_->params_.command,
                                          .timeout = peers_->params_.timeout,
                                          .max_line_bytes = kLongestLine}));
    child_ = std::move(child);
  }
  auto answer = Exchange(line.Dump());
  if (!answer) child_.reset();
  return answer;
}

Result<Json> ProgramPeer::Exchange(const std::string& line) {
  const auto more = [this] {
    return Unavailable("the program said more than it was asked for: " +
                       Excerpt(child_->Unread()));
  };
  if (!child_->Unread().empty()) return more();
  SOTTO_TRY(child_->WriteLine(line));
  SOTTO_TRY_ASSIGN(const auto came, child_->ReadLine());
  auto json = Json::Parse(came);
  if (!json || json->object() == nullptr) {
    return Unavailable("the program said " + Excerpt(came) +
                       ", which is no JSON object");
  }
  if (!child_->Unread().empty()) return more();
  if (const Json* error = json->Find("error")) {
    return Unavailable("the program refused: " + Excerpt(error->Dump()));
  }
  return json;
}

}  // namespace sotto
