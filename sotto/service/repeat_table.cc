#include "sotto/service/repeat_table.h"

#include <cstring>

namespace sotto {
namespace {

// The fewest bytes of a saved entry.
constexpr std::uint64_t kLeastBytes = 32;

}  // namespace

Hash16 RepeatTable::MakeName(const Key& key, std::string_view credential,
                             std::string_view user, std::string_view repeat,
                             std::string_view body) {
  const Key name =
      key.Derive("repeat-v1", "request", {credential, user, repeat, body});
  Hash16 hash{};
  std::memcpy(hash.data(), name.bytes().data(), hash.size());
  return hash;
}

std::size_t RepeatTable::Spread::operator()(const Hash16& name) const {
  std::size_t spread = 0;
  std::memcpy(&spread, name.data(), sizeof(spread));
  return spread;
}

const std::string* RepeatTable::Find(const Key& key, const HostRequest& request,
                                     std::optional<Hash16>& name) const {
  if (request.idempotency_key.empty()) return nullptr;
  name = MakeName(key, request.credential, request.user,
                  request.idempotency_key, request.body);
  return Find(name);
}

const std::string* RepeatTable::Find(const std::optional<Hash16>& name) const {
  if (!name) return nullptr;
  const auto place = replies_.find(*name);
  return place == replies_.end() ? nullptr : &place->second;
}

void RepeatTable::Keep(const Hash16& name, std::uint64_t now,
                       std::string reply) {
  replies_.emplace(name, std::move(reply));
  order_.emplace_back(now, name);
}

void RepeatTable::Expire(std::uint64_t now) {
  if (lifetime_ == 0) return;
  while (!order_.empty() && order_.front().first + lifetime_ < now) {
    replies_.erase(order_.front().second);
    order_.pop_front();
  }
}

void RepeatTable::Save(ByteWriter& writer) const {
  writer.Number(static_cast<std::uint64_t>(order_.size()));
  for (const auto& [round, name] : order_) {
    writer.Number(round);
    writer.Raw({reinterpret_cast<const char*>(name.data()), name.size()});
    writer.Text(replies_.at(name));
  }
}

Status RepeatTable::Load(ByteReader& reader) {
  const auto size = reader.Number<std::uint64_t>();
  if (size > reader.RoomFor(kLeastBytes)) {
    return Corruption("the saved replies make no sense");
  }
  for (std::uint64_t i = 0; i < size; ++i) {
    const auto round = reader.Number<std::uint64_t>();
    Hash16 name{};
    const std::string_view bytes = reader.Raw(name.size());
    bytes.copy(reinterpret_cast<char*>(name.data()), name.size());
    Keep(name, round, std::string(reader.Text()));
  }
  if (!reader.failed() && replies_.size() == order_.size()) return Ok();
  return Corruption("the saved replies make no sense");
}

}  // namespace sotto
