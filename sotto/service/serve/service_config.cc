#include "sotto/service/serve/service_config.h"

#include <chrono>
#include <functional>
#include <map>
#include <utility>

#include "sotto/data/files/file_system.h"

namespace sotto {
namespace {

constexpr std::uint64_t kLongestFile = 16U << 20;
using Setter = std::function<bool(const Json&)>;
using Setters = std::map<std::string, Setter, std::less<>>;

Setter SetText(std::string& to) {
  return [&to](const Json& value) {
    if (value.text() == nullptr) return false;
    to = *value.text();
    return true;
  };
}

template <typename Number>
Setter SetCount(Number& to) {
  return [&to](const Json& value) {
    const auto number = value.natural();
    if (!number || *number == 0) return false;
    to = static_cast<Number>(*number);
    return true;
  };
}

Setter SetSeconds(std::chrono::milliseconds& to) {
  return [&to](const Json& value) {
    const auto seconds = value.number();
    if (!seconds || !(*seconds > 0) || *seconds > 1e6) return false;
    to = std::chrono::milliseconds(static_cast<std::int64_t>(*seconds * 1e3));
    return true;
  };
}

// Sets each member of the object. Fails with the name of one that cannot be.
Status SetMembers(const Json& json, const Setters& setters,
                  const std::string& where) {
  if (json.object() == nullptr) {
    return InvalidArgument("the configuration" + where + " must be an object");
  }
  for (const auto& [name, value] : *json.object()) {
    const auto found = setters.find(name);
    if (found == setters.end()) {
      std::string known;
      for (const auto& [other, setter] : setters) known += " " + other;
      return InvalidArgument("the configuration" + where + " has no member '" +
                             name + "'; it has" + known);
    }
    if (found->second(value)) continue;
    return InvalidArgument("the configuration" + where + ": the value of '" +
                           name + "' is of another type or out of range");
  }
  return Ok();
}

Setters LimitSetters(ServiceConfig& config) {
  http::Limits& limits = config.limits;
  return {{"connections", SetCount(limits.connections)},
          {"header", SetCount(limits.header)},
          {"fields", SetCount(limits.fields)},
          {"buffered", SetCount(limits.buffered)},
          {"body", SetCount(config.body)},
          {"bulk_body", SetCount(config.bulk_body)},
          {"bulk_lines", SetCount(config.bulk_lines)},
          {"idle_seconds", SetSeconds(limits.idle)},
          {"request_seconds", SetSeconds(limits.request)},
          {"work_seconds", SetSeconds(limits.work)},
          {"write_seconds", SetSeconds(limits.write)},
          {"drain_seconds", SetSeconds(limits.drain)}};
}

}  // namespace

Status ServiceConfig::Take(const Json& document) {
  Status nested = Ok();
  const auto take_nested = [&](const Setters& setters, std::string where) {
    return [&nested, setters, where = std::move(where)](const Json& value) {
      if (nested) nested = SetMembers(value, setters, where);
      return true;
    };
  };
  const Setter take_models = [this](const Json& value) {
    if (value.array() == nullptr) return false;
    models.insert(models.end(), value.array()->begin(), value.array()->end());
    return true;
  };
  const Setter take_populations = [this](const Json& value) {
    populations = value;
    return value.object() != nullptr;
  };
  SOTTO_TRY(
      SetMembers(document,
                 {{"dir", SetText(folder)},
                  {"listen", SetText(listen)},
                  {"operator", SetText(operator_address)},
                  {"anchor", SetText(anchor)},
                  {"key", SetText(key)},
                  {"engine", SetText(engine)},
                  {"role", SetText(role)},
                  {"peer", SetText(peer)},
                  {"advertise", SetText(advertise)},
                  {"peer_key", SetText(peer_key)},
                  {"operator_token_file", SetText(operator_token_file)},
                  {"budget", SetText(budget)},
                  {"budget_group", SetText(budget_group)},
                  {"snapshot_every", SetCount(snapshot_every)},
                  {"reply_grid", SetCount(reply_grid)},
                  {"tls", take_nested({{"certificate", SetText(certificate)},
                                       {"private_key", SetText(private_key)}},
                                      " of tls")},
                  {"limits", take_nested(LimitSetters(*this), " of limits")},
                  {"populations", take_populations},
                  {"models", take_models}},
                 ""));
  return nested;
}

Status ServiceConfig::TakeFile(const std::string& path) {
  const auto text = RealFiles().Read(path, kLongestFile);
  if (!text) return InvalidArgument(text.error().message);
  const auto json = Json::Parse(*text);
  if (!json) return InvalidArgument(path + ": " + json.error().message);
  if (const Status taken = Take(*json); !taken) {
    return InvalidArgument(path + ": " + taken.error().message);
  }
  return Ok();
}

}  // namespace sotto
