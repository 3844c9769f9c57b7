#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/mirrors/staircase_mirror.h"
#include "sotto/models/points/count_gate.h"
#include "sotto/models/points/lopsided_step.h"
#include "sotto/models/points/point_design.h"
#include "sotto/random/rng.h"

namespace sotto {

// The name of a point, 128 bits.
using PointName = std::array<std::uint64_t, 2>;

// Name of a row: a hash, under a public key, of its features that are not 0.
// Two rows out of n have one name with a probability of about n^2 / 2^129.
PointName PointKey(FeatureView x);

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
  struct Params {
    PointDesign design = {};
    // D: labels that come within this many further rounds count. Each adds one
    // more round of each point that is answered 0.
    std::uint64_t patience = 0;
  };
  static constexpr std::uint64_t kMostPatience = 1'000'000'000;

  // Fails with kInvalidArgument, as CountGate and the mirrors do, and
  // for a patience above kMostPatience.
  static Result<PointPredictor> Create(const Params& params);

  // State of a round until its label comes.
  struct Round {
    PointName name = {};
    bool counts = false;  // among the first rounds of its point
    std::uint64_t tick = 0;

    void Save(ByteWriter& writer) const;
    // Fails with kCorruption.
    static Result<Round> Load(ByteReader& reader);
    friend bool operator==(const Round&, const Round&) = default;
  };
  struct OpenResult {
    bool prediction = false;
    Round round = {};
  };
  // One round of the public clock: with a user, or empty.
  OpenResult Open(const PointName& name, Rng& rng);
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

 private:
  // The first 64 bits of a name are as good as random, unless an adversary
  // chose them, who can then slow us down.
  struct NameHash {
    std::size_t operator()(const PointName& name) const {
      return static_cast<std::size_t>(name[0]);
    }
  };
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
  std::uint64_t Digest() const;

  Params params_;
  CountGate gate_;
  Prototype mirror_;
  PointDesign certified_;     // what the parts promise, at most the design's
  std::uint64_t silent_ = 0;  // W + D
  std::uint64_t clock_ = 0;
  std::unordered_map<PointName, Point, NameHash> points_;
  std::vector<StaircaseMirror> mirrors_;
  std::size_t passed_ = 0;
};

}  // namespace sotto
