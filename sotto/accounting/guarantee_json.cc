#include "sotto/accounting/guarantee_json.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/accounting/delta_schedule_json.h"

namespace sotto {
namespace {

constexpr std::string_view kRound = "round";
constexpr std::string_view kRecord = "record";

// Reads members of a JSON object and keeps the first error.
class Members {
 public:
  explicit Members(const Json& json) : json_(json) {}

  void Read(std::string_view name, double& place) {
    const auto number = At(name).number();
    number ? void(place = *number) : Fail(name);
  }
  void Read(std::string_view name, std::uint64_t& place) {
    const auto number = At(name).natural();
    number ? void(place = *number) : Fail(name);
  }
  void Read(std::string_view name, std::string& place) {
    const std::string* text = At(name).text();
    text != nullptr ? void(place = *text) : Fail(name);
  }
  template <typename Word>
  void Read(std::string_view name, Result<Word> (*parse)(std::string_view),
            Word& place) {
    std::string text;
    Read(name, text);
    const auto word = parse(text);
    word ? void(place = *word) : Fail(name);
  }
  void Read(std::string_view name, std::optional<DeltaSchedule>& place) {
    if (json_.Find(name) == nullptr) return;
    auto schedule = DeltaScheduleJson::Read(At(name));
    schedule ? void(place = *std::move(schedule)) : Fail(name);
  }

  const std::string& fault() const { return fault_; }

 private:
  const Json& At(std::string_view name) const {
    static const Json kNull;
    const Json* member = json_.Find(name);
    return member != nullptr ? *member : kNull;
  }
  void Fail(std::string_view name) {
    if (fault_.empty()) fault_ = name;
  }

  const Json& json_;
  std::string fault_;
};

Result<bool> ParseUnit(std::string_view word) {
  if (word != kRound && word != kRecord) return InvalidArgument("");
  return word == kRound;
}

}  // namespace

Json ToJson(const Guarantee& guarantee) {
  Json json;
  json["notion"] = ToString(guarantee.notion());
  json["relation"] = ToString(guarantee.relation());
  json["unit"] = guarantee.in_rounds() ? kRound : kRecord;
  json["epsilon"] = guarantee.epsilon();
  json["delta"] = guarantee.delta();
  if (guarantee.schedule()) {
    json["delta_schedule"] = DeltaScheduleJson::Write(*guarantee.schedule());
  }
  json["adversary"] = ToString(guarantee.adversary());
  json["rounds_per_user"] = guarantee.rounds_per_user();
  json["protects"] = guarantee.protects();
  json["text"] = guarantee.Describe();
  return json;
}

Result<Guarantee> GuaranteeFromJson(const Json& json) {
  Guarantee::Params params;
  Members members(json);
  members.Read("notion", ParseNotion, params.notion);
  members.Read("relation", ParseRelation, params.relation);
  if (json.Find("unit") != nullptr) {
    members.Read("unit", ParseUnit, params.in_rounds);
  }
  members.Read("epsilon", params.epsilon);
  members.Read("delta", params.delta);
  members.Read("delta_schedule", params.schedule);
  members.Read("adversary", ParseAdversary, params.adversary);
  members.Read("rounds_per_user", params.rounds_per_user);
  members.Read("protects", params.protects);
  if (!members.fault().empty()) {
    return InvalidArgument("guarantee: no '" + members.fault() +
                           "', or not one that is known here");
  }
  // It is the schedule's sum.
  if (params.schedule) params.delta = 0;
  return Guarantee::Create(std::move(params));
}

}  // namespace sotto
