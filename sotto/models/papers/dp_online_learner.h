#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/selection/sparse_sample.h"
#include "sotto/mechanisms/thresholds/multi_above_threshold.h"
#include "sotto/models/papers/teacher_lists.h"
#include "sotto/online/pending_rounds.h"
#include "sotto/random/rng.h"

namespace sotto {

// The Littlestone paper's online learner, DP-OL, line by line: teachers share
// the mistakes of what is published between them, and jointly train the next
// hypothesis, a majority of draws from the hypotheses that most of them find
// essential. Where they agree on none, the next stage begins.
//
//   auto learner = DpOnlineLearner::Create(params);
//   auto round = learner->Open(point, rng);     // round.prediction
//   learner->Close(round, y);
//
// It needs far more mistakes than FiniteClassLearner wherever both run; it is
// here to be compared with.
//
// Paper:     [Littlestone] Algorithms 3 and 4, with the corrections of
//            docs/papers.md.
// Guarantee: params.user, as DP of all hypotheses and of when they changed, for
//            features, label and the time of the label; every other round
//            chosen adaptively. The times of rounds are public.
// Proof:     dp_online_learner.md.
// Threads:   not thread-safe.
class DpOnlineLearner {
 public:
  using Round = PendingRounds::Round;
  static constexpr int kStageDivisor = 5;
  static constexpr std::uint64_t kMaxCalls = 1 << 16;
  static constexpr std::uint64_t kMaxVotes = 1 << 16;

  struct Params {
    std::shared_ptr<const FiniteClass> functions = nullptr;
    ApproximateDp user = {};
    Relation relation = Relation::kReplace;
    std::uint64_t rounds_per_user = 1;
    std::uint64_t delay = 0;
    int dimension = 0;           // d: at least the class's
    std::uint64_t teachers = 1;  // k
    std::uint64_t p = 1;         // stage j = 1, 2, ... has 2^j p
    std::uint64_t stages = 1;    // d + 1
    double tolerance = 0.1;      // in stage j times (1 - 1/(5d))^j
    std::size_t list_size = 1;
    TeacherLists::Form form = TeacherLists::Form::kExact;
    std::int64_t limit = 1;      // U: more noisy mistakes than this: a call
    std::uint64_t period = 1;    // rounds between two tests of the mistakes
    std::uint64_t calls = 1;     // K, of the training, after the first
    std::uint64_t votes = 1;     // draws a call
    double mistake_rate = 0;     // rate of the noise of the test of mistakes
    double agreement = 0;        // rate of the noise of the test of agreement
    std::int64_t threshold = 0;  // more noisy teachers agree than this: 4k/5
    double sample_rate = 0;      // of Sparse Sample's weights
    double sample_delta = 0;     // of each draw
    // Whose streams the votes are meant for; nothing else depends on it.
    Adversary streams = Adversary::kAdaptive;
  };

  // Fails with kInvalidArgument on parameters out of range, with
  // kBudgetExhausted if they cost more than params.user, as DpOnlineGuarantee
  // and CheckDpOnlineSize do.
  static Result<DpOnlineLearner> Create(Params params);
  DpOnlineLearner(DpOnlineLearner&&) = default;
  DpOnlineLearner& operator=(DpOnlineLearner&&) = default;
  DpOnlineLearner(const DpOnlineLearner&) = delete;
  DpOnlineLearner& operator=(const DpOnlineLearner&) = delete;

  // As FiniteClassLearner's.
  Round Open(std::uint32_t point, Rng& rng);
  void PlayEmptyRound(Rng& rng) { Advance(rng); }
  void Close(const Round& round, bool y) { waiting_.Close(round, y); }

  const std::vector<bool>& hypothesis() const { return hypothesis_; }
  std::uint64_t changes() const { return changes_; }  // calls but the first
  // Hypotheses that were trained: the first one before the first round.
  std::uint64_t releases() const { return changes_ + (begun_ ? 1U : 0U); }
  std::uint64_t stage() const { return stage_; }
  // Functions drawn by the last call. Empty draws are not included.
  const std::vector<TeacherLists::Labels>& drawn() const { return drawn_; }
  // The teachers' lists in the stage of now: those of the last call, until the
  // next. Secret.
  std::vector<std::vector<SparseSample::Item>> MakeLists() const;
  // All calls or all stages are used up: the hypothesis stays.
  bool halted() const {
    return changes_ == params_.calls || stage_ > params_.stages;
  }
  const Params& params() const { return params_; }
  const SparseSample& sample() const { return sample_; }
  const Guarantee& guarantee() const { return guarantee_; }

  // The state holds mistakes. Bit-equal from there on.
  void Save(ByteWriter& writer) const;
  // Fails as Create does, and with kCorruption.
  static Result<DpOnlineLearner> Load(Params params, ByteReader& reader);

 private:
  struct Mistake {
    std::uint32_t point = 0;
    bool label = false;
    std::size_t teacher = 0;
  };

  DpOnlineLearner(Params params, Guarantee guarantee,
                  MultiAboveThreshold mistake_test,
                  MultiAboveThreshold agreement, SparseSample sample);

  static MultiAboveThreshold::Params MakeMistakeParams(const Params& params);
  static MultiAboveThreshold::Params MakeAgreementParams(const Params& params);
  void Advance(Rng& rng);
  void HandOut();
  void JointTrain(Rng& rng);
  FiniteClass::Set DefineClass(std::size_t teacher) const;
  void DrawMajority(std::vector<std::vector<SparseSample::Item>> lists,
                    Rng& rng);
  void Publish();
  bool LoadSecrets(ByteReader& reader);

  Params params_;
  Guarantee guarantee_;
  MultiAboveThreshold mistake_test_;
  MultiAboveThreshold agreement_;
  SparseSample sample_;
  std::unique_ptr<TeacherLists> lists_;
  std::vector<bool> hypothesis_;             // public
  std::vector<TeacherLists::Labels> drawn_;  // public
  std::uint64_t changes_ = 0;                // public
  std::uint64_t stage_ = 1;                  // public
  bool begun_ = false;                       // public
  PendingRounds waiting_;
  std::vector<Mistake> mistakes_;  // since the last call: secret
  // What each teacher was handed out, call by call: secret.
  std::vector<std::vector<TeacherRows>> handed_;
};

// The delta that all of it costs one round at its epsilon, from the parameters
// in use: dp_online_learner.md, step 6.
double DpOnlineDelta(const DpOnlineLearner::Params& params, double epsilon);

// The guarantee, whether it can be run or not. Fails with kBudgetExhausted
// if it costs more than params.user.
Result<Guarantee> DpOnlineGuarantee(const DpOnlineLearner::Params& params);

// Fails with kInvalidArgument where it is more than is run, saying how many
// teachers and mistakes it would take.
Status CheckDpOnlineSize(const DpOnlineLearner::Params& params);

}  // namespace sotto
