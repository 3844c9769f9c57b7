#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/models/points/point_name.h"

namespace sotto {

// Parts that both predictors of points share: parameters, answers and the form
// of a state.

template <typename Design>
struct PointParams {
  static constexpr std::uint64_t kMostPatience = 1'000'000'000;

  Design design = {};
  // D: labels that come within this many further rounds count. Each adds one
  // more round of each point that is answered 0.
  std::uint64_t patience = 0;

  Status CheckPatience() const {
    if (patience <= kMostPatience) return Ok();
    return InvalidArgument("points waits for labels at most 1e9 rounds");
  }
};

struct OpenedPoint {
  bool prediction = false;
  PointRound round = {};
};

inline Error CorruptPoints() {
  return {ErrorCode::kCorruption, "the saved points make no sense"};
}

// The beginning of a state. `digest` is of all integers that are drawn with: a
// state resumes only under the distributions it began with.
template <typename Params>
void SavePointHead(std::string_view tag, const Params& params,
                   std::uint64_t digest, ByteWriter& writer) {
  writer.Text(tag);
  params.design.Save(writer);
  writer.Number(params.patience);
  writer.Number(digest);
}

// A fresh predictor for the state that begins here. Fails with kCorruption, and
// with kFailedPrecondition on a state of another design or other tables.
template <typename Predictor>
Result<Predictor> LoadPointHead(std::string_view tag,
                                const typename Predictor::Params& params,
                                ByteReader& reader) {
  const bool tagged = reader.Text() == tag;
  const auto design = decltype(params.design)::Load(reader);
  const auto patience = reader.Number<std::uint64_t>();
  const auto digest = reader.Number<std::uint64_t>();
  if (reader.failed() || !tagged) return CorruptPoints();
  SOTTO_TRY_ASSIGN(auto points, Predictor::Create(params));
  if (!(design == params.design) || patience != params.patience ||
      digest != points.Digest()) {
    return FailedPrecondition(
        "the state belongs to points of another design or to other "
        "tables than this build has");
  }
  return points;
}

// Saves every point by save(value), in an order that tells nothing of how the
// table came to be.
template <typename Value, typename Save>
void SavePointTable(
    const std::unordered_map<PointName, Value, PointNameHash>& table,
    ByteWriter& writer, const Save& save) {
  std::vector<PointName> names;
  names.reserve(table.size());
  for (const auto& [name, value] : table) names.push_back(name);
  std::ranges::sort(names);
  writer.Number(static_cast<std::uint64_t>(names.size()));
  for (const PointName& name : names) {
    SavePointName(name, writer);
    save(table.at(name));
  }
}

}  // namespace sotto
