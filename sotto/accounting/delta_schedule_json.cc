#include "sotto/accounting/delta_schedule_json.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace sotto {
namespace {

const Error kNoSchedule = InvalidArgument("not a delta schedule");

std::optional<double> Real(const Json& json, std::string_view name) {
  const Json* member = json.Find(name);
  return member != nullptr ? member->number() : std::nullopt;
}

template <typename T, typename Read>
std::optional<std::vector<T>> List(const Json& json, std::string_view name,
                                   Read read) {
  const Json* member = json.Find(name);
  if (member == nullptr || member->array() == nullptr) return std::nullopt;
  std::vector<T> list;
  for (const Json& element : *member->array()) {
    const std::optional<T> value = read(element);
    if (!value) return std::nullopt;
    list.push_back(*value);
  }
  return list;
}

Json ToArray(const auto& list) { return Json::Array(list.begin(), list.end()); }

Result<DeltaSchedule> ReadConstant(const Json& json) {
  const auto delta = Real(json, "delta");
  const Json* horizon = json.Find("horizon");
  if (!delta || horizon == nullptr || !horizon->natural()) return kNoSchedule;
  return DeltaSchedule::Constant(*delta, *horizon->natural());
}

Result<DeltaSchedule> ReadPhases(const Json& json) {
  const auto total = Real(json, "total");
  auto lengths = List<std::uint64_t>(
      json, "lengths", [](const Json& element) { return element.natural(); });
  if (!total || !lengths) return kNoSchedule;
  return DeltaSchedule::Phases(*total, *std::move(lengths));
}

Result<DeltaSchedule> ReadInverseSquare(const Json& json) {
  const auto total = Real(json, "total");
  if (!total) return kNoSchedule;
  return DeltaSchedule::InverseSquare(*total);
}

Result<DeltaSchedule> ReadTable(const Json& json) {
  auto values = List<double>(
      json, "values", [](const Json& element) { return element.number(); });
  if (!values) return kNoSchedule;
  return DeltaSchedule::Table(*std::move(values));
}

struct Reader {
  std::string_view kind;
  Result<DeltaSchedule> (*read)(const Json&);
};
// In the order of DeltaSchedule::Kind.
constexpr std::array<Reader, 4> kReaders = {
    {{"constant", ReadConstant},
     {"phases", ReadPhases},
     {"inverse-square", ReadInverseSquare},
     {"table", ReadTable}}};

}  // namespace

Json DeltaScheduleJson::Write(const DeltaSchedule& schedule) {
  using Kind = DeltaSchedule::Kind;
  const Kind kind = schedule.kind_;
  Json json;
  json["kind"] = kReaders[static_cast<std::size_t>(kind)].kind;
  if (kind == Kind::kConstant) {
    json["delta"] = schedule.value_;
    json["horizon"] = schedule.horizon_;
  } else if (kind == Kind::kTable) {
    json["values"] = ToArray(schedule.table_);
  } else {
    json["total"] = schedule.value_;
    if (kind == Kind::kPhases) json["lengths"] = ToArray(schedule.lengths_);
  }
  if (schedule.factor_ != 1) json["factor"] = schedule.factor_;
  return json;
}

Result<DeltaSchedule> DeltaScheduleJson::Read(const Json& json) {
  const Json* kind = json.Find("kind");
  if (kind == nullptr || kind->text() == nullptr) return kNoSchedule;
  for (const Reader& reader : kReaders) {
    if (*kind->text() != reader.kind) continue;
    auto schedule = reader.read(json);
    if (!schedule || json.Find("factor") == nullptr) return schedule;
    const auto factor = Real(json, "factor");
    return factor ? schedule->ScaledBy(*factor) : kNoSchedule;
  }
  return kNoSchedule;
}

}  // namespace sotto
