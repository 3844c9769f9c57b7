#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/mirrors/staircase_mirror.h"
#include "sotto/models/points/count_gate.h"
#include "sotto/models/points/lopsided_step.h"
#include "sotto/models/points/point_design.h"
#include "sotto/models/points/point_name.h"
#include "sotto/models/points/point_state.h"
#include "sotto/random/rng.h"

namespace sotto {

// Learns which points are labelled 1 and predicts it for users who bring one: 0
// at first, and 1 indefinitely after a secret number of rounds of that point,
// if enough of its first labels were 1. Mistakes at a point whose labels are
// always 1 do not depend on how long the stream is; points whose labels are
// never 1 are never answered 1.
//
//   auto points = PointPredictor::Create({.design = *design});
//   if (!points) return points.error();
//   auto opened = points->Open(PointKey(x), rng);   // opened.prediction
//   points->Close(opened.round, y);                  // later, or never
//
// Paper:     [Counters] Algorithm 3 (Lemmas 1.12, C.1), without its histogram:
//            every point has its own gate and mirror.
// Guarantee: cost(): for one round, what it held and when its label came, seen
//            by all but its own user, adaptively. UserPromise says what that is
//            worth for users of several.
// Proof:     point_predictor.md.
// Threads:   not thread-safe.
class PointPredictor {
 public:
  using Params = PointParams<PointDesign>;

  // Fails with kInvalidArgument, as CountGate and the mirrors do, and
  // for a patience above Params::kMostPatience.
  static Result<PointPredictor> Create(const Params& params);

  using Round = PointRound;
  // One round of the public clock: with a user, or empty.
  OpenedPoint Open(const PointName& name, Rng& rng);
  void PlayEmptyRound() { ++clock_; }
  // At most once a round.
  void Close(const Round& round, bool y);

  ApproximateDp cost(Relation relation) const {
    return certified_.Cost(relation);
  }
  Spend spend(Relation relation) const { return certified_.Parts(relation); }
  const Params& params() const { return params_; }
  const CountGate& gate() const { return gate_; }
  // "step" or "stairs".
  std::string_view mirror_name() const;
  // At a point whose labels are all 1 and come in time, over an endless stream;
  // and the most there can be, where there is a most.
  double expected_mistakes() const;
  std::optional<std::uint64_t> worst_mistakes() const;
  // Minimum number of rounds of every point that are answered 0.
  std::uint64_t silent_rounds() const { return silent_; }

  // The operator's own view.
  std::size_t points_seen() const { return points_.size(); }
  std::size_t points_passed() const { return passed_; }

  // The state is secret, and is resumed once. Load fails with
  // kFailedPrecondition on a state of another design, with kCorruption on bytes
  // that no Save wrote.
  void Save(ByteWriter& writer) const;
  static Result<PointPredictor> Load(const Params& params, ByteReader& reader);

  // Covers all integers that are drawn with.
  std::uint64_t Digest() const;

 private:
  struct Point {
    std::uint32_t rounds = 0;     // up to silent_ + 1
    std::uint32_t positives = 0;  // labels 1 of the first rounds, in time
    bool passed = false;
    // Points that passed: how many more rounds a step answers 0, or the index
    // of its mirror in mirrors_.
    std::uint32_t level = 0;
  };
  // Template for every point that passes: a draw of a step, or a fresh copy of
  // a mirror.
  using Prototype = std::variant<LopsidedStep, StaircaseMirror>;

  PointPredictor(const Params& params, CountGate gate, Prototype mirror);
  static Result<Prototype> MakeMirror(const PointDesign& design);
  void Pass(Point& point, Rng& rng);
  bool Next(Point& point, Rng& rng);
  void SavePoint(const Point& point, ByteWriter& writer) const;
  Status LoadPoint(ByteReader& reader);
  Status LoadLevel(Point& point, ByteReader& reader);

  Params params_;
  CountGate gate_;
  Prototype mirror_;
  PointDesign certified_;     // what the parts promise, at most the design's
  std::uint64_t silent_ = 0;  // W + D
  std::uint64_t clock_ = 0;
  std::unordered_map<PointName, Point, PointNameHash> points_;
  std::vector<StaircaseMirror> mirrors_;
  std::size_t passed_ = 0;
};

}  // namespace sotto
