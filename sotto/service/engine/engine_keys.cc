#include "sotto/service/engine/engine_keys.h"

namespace sotto {
namespace {

constexpr std::chrono::milliseconds kDeadline{5'000};

}  // namespace

void EngineKeys::Watch(OnChange on_change) {
  const std::lock_guard lock(mutex_);
  on_change_ = std::move(on_change);
  if (on_change_ && table_) on_change_(table_->keys);
}

void EngineKeys::Read(PostgresConnection& session) {
  const std::lock_guard lock(mutex_);
  Refresh(session);
}

// The time is that of the question: the answer is true for it.
void EngineKeys::Refresh(PostgresConnection& session) {
  const auto asked = Clock::now();
  const auto version = ReadApiKeyVersion(session);
  if (!version) return;
  if (!table_ || table_->version != *version) {
    auto table = ReadApiKeys(session);
    if (!table) return;
    table_ = *std::move(table);
    if (on_change_) on_change_(table_->keys);
  }
  const std::lock_guard lock(time_mutex_);
  read_ = asked;
}

Status EngineKeys::Change(
    const std::function<Status(PostgresConnection&)>& change) {
  SOTTO_TRY_ASSIGN(auto session, PostgresConnection::Open(url_, kDeadline));
  const std::lock_guard lock(mutex_);
  SOTTO_TRY(change(session));
  Refresh(session);
  return Ok();
}

Status EngineKeys::Add(const StoredApiKey& key) {
  return Change(
      [&](PostgresConnection& session) { return AddApiKey(session, key); });
}

Status EngineKeys::Remove(const std::string& name) {
  return Change(
      [&](PostgresConnection& session) { return RemoveApiKey(session, name); });
}

bool EngineKeys::ReadWithin(std::chrono::milliseconds time) const {
  const auto now = Clock::now();
  const std::lock_guard lock(time_mutex_);
  return read_ && now < *read_ + time;
}

}  // namespace sotto
