#pragma once

#include <string>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/models/fits/greedy_cover/decision_list.h"

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
  FitLabels labels;
  Guarantee guarantee;
  // False if the noise came from a seed: then the promise is not kept.
  bool is_private = false;
  Json parameters = {};  // GreedyCover's
  // Released counts of the rows each rule catches, the "else" last; empty if
  // none were asked for. `share_scale` is the scale of their noise.
  RuleShares shares = {};
  double share_scale = 0;

  Json ToJson() const;
  // Fails with kInvalidArgument, naming the member, if it is no such model.
  static Result<CoverModel> FromJson(const Json& json);

  // Human-readable: simplified, unless there are shares, which are
  // those of a list that is simple already.
  std::string Text() const;
};

}  // namespace sotto
