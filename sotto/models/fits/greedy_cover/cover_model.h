#pragma once

#include <cstdint>
#include <string>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/models/fits/greedy_cover/decision_list.h"
#include "sotto/models/fits/greedy_cover/greedy_cover.h"

namespace sotto {

// A decision list as it is kept and published: with its columns, the names of
// its labels and the promise under which it was made. Nothing else about the
// data is in it.
//
//   Json json = model.ToJson();
//   auto again = CoverModel::FromJson(json);
//
// The format is described in cover_model.md.
//
// Threads: a value type.
struct CoverModel {
  DecisionList list;
  DecisionList::LabelNames labels;
  std::string label_column;
  Guarantee guarantee;
  // False if the noise came from a seed: then the promise is not kept.
  bool is_private = false;
  // How it was made; all of it public.
  std::uint32_t rules = 0;
  std::uint32_t literals = 1;
  std::uint32_t penalty = 1;
  std::uint32_t reward = 0;
  std::string calibration = "practical";
  double rate = 0;  // nats for one unit of score
  // Maximum that right rows can add to a rule, and how many rows that is; 0
  // without a reward.
  double bonus = 0;
  std::int64_t cap = 0;
  // Released counts of the rows each rule catches, the "else" last; empty if
  // none were asked for. `share_scale` is the scale of their noise.
  RuleShares shares = {};
  double share_scale = 0;

  Json ToJson() const;
  Json Parameters() const;  // how it was made, as in ToJson
  // Fails with kInvalidArgument, naming the member, if it is no such model.
  static Result<CoverModel> FromJson(const Json& json);

  // Human-readable: simplified, unless there are shares, which are
  // those of a list that is simple already.
  std::string Text() const;
};

}  // namespace sotto
