#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include "sotto/accounting/spend.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/mirrors/jdp_mirror.h"
#include "sotto/mechanisms/selection/sparse_histogram.h"
#include "sotto/models/points/histogram_point_design.h"
#include "sotto/models/points/point_name.h"
#include "sotto/models/points/point_state.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/random/rng.h"

namespace sotto {

// Learns one point that is labelled 1, line by line as the paper prints it: a
// histogram of the first k labels 1 names the point, a delayed mirror answers
// its occurrences, and a noisy count of fake labels may end everything.
//
//   auto points = HistogramPointPredictor::Create({.design = *design});
//   if (!points) return points.error();
//   auto opened = points->Open(PointKey(x), rng);   // opened.prediction
//   points->Close(opened.round, y);                  // later, or never
//
// Paper:     [Counters] Algorithm 3 (Lemmas 1.12, C.1).
// Guarantee: spend(): for one round, what it held and when its label came, seen
//            by all but its own user, adaptively; the same for both relations.
// Proof:     histogram_point_predictor.md.
// Threads:   not thread-safe.
class HistogramPointPredictor {
 public:
  using Params = PointParams<HistogramPointDesign>;

  // Fails with kInvalidArgument for numbers out of range or a window that is
  // shorter than k, with kNotConverged for a mirror that cannot be certified.
  static Result<HistogramPointPredictor> Create(const Params& params);

  using Round = PointRound;
  // One round of the public clock: with a user, or empty. Both draw as much.
  OpenedPoint Open(const PointName& name, Rng& rng);
  void PlayEmptyRound(Rng& rng) { Tick(rng); }
  // At most once a round.
  void Close(const Round& round, bool y);

  const Spend& spend() const { return spend_; }
  const Params& params() const { return params_; }
  const SparseHistogram& histogram() const { return histogram_; }
  const JdpDesign& mirror() const { return mirror_; }
  // At the one point, if its labels are all 1 and it is not missed.
  double expected_mistakes() const;
  // Pr[the point is found and passes], each label of the point being a 1 with
  // probability `rate`.
  double SuccessProbability(double rate) const;

  // The operator's own view. The paper's Flag: 0 until k labels 1 have come, 1
  // until the first "top", 2 after it, 3 if it ended.
  int flag() const { return flag_; }

  // The state is secret, and is resumed once. Load fails with
  // kFailedPrecondition on a state of another design, with kCorruption on bytes
  // that no Save wrote.
  void Save(ByteWriter& writer) const;
  static Result<HistogramPointPredictor> Load(const Params& params,
                                              ByteReader& reader);

  // Covers all integers that are drawn with.
  std::uint64_t Digest() const;

 private:
  // Facts about a point, kept until the histogram names one.
  struct Cell {
    std::uint64_t rounds = 0;
    std::uint64_t active = 0;     // after the first D
    std::uint64_t counted = 0;    // labels 1 among the first k of the stream
    std::uint64_t positives = 0;  // labels 1 of the first W rounds, in time
    std::int64_t noise = 0;       // of its bin

    void Save(ByteWriter& writer) const;
    static Cell Load(ByteReader& reader);
  };
  struct Noise {
    FixedWorkLaplace bin;
    FixedWorkLaplace fake;
  };
  // Draws of one round.
  struct Drawn {
    bool active = false;
    std::int64_t bin = 0;
  };

  HistogramPointPredictor(const Params& params, SparseHistogram histogram,
                          JdpDesign mirror, Noise noise, Spend spend)
      : params_(params),
        histogram_(std::move(histogram)),
        mirror_(std::move(mirror)),
        noise_(std::move(noise)),
        spend_(std::move(spend)) {}

  Drawn Tick(Rng& rng);
  void RunHistogram();
  void Start(const PointName& name);
  bool Passes() const;
  Cell* Find(const PointName& name);
  std::uint64_t phase_one() const {
    return lengths_[0] + params_.design.first_count - 1;
  }
  Status LoadCells(ByteReader& reader);
  bool IsConsistent() const;

  Params params_;
  SparseHistogram histogram_;
  JdpDesign mirror_;
  Noise noise_;
  Spend spend_;

  std::uint64_t clock_ = 0;
  // Drawn in the first round: both lengths of the mirror, the noise of Fake.
  std::array<std::uint64_t, 2> lengths_ = {0, 0};
  std::int64_t fake_noise_ = 0;
  int flag_ = 0;
  std::uint64_t count_ = 0;  // labels 1, up to k
  std::unordered_map<PointName, Cell, PointNameHash> cells_;  // Flag 0
  std::optional<std::pair<PointName, Cell>> found_;           // Flag 1 and 2
};

}  // namespace sotto
