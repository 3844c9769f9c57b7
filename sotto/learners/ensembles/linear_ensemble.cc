#include "sotto/learners/ensembles/linear_ensemble.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "sotto/learners/ensembles/copies.h"

namespace sotto {
namespace {

constexpr std::uint32_t kLastStep = 0xffffffff;
constexpr std::int64_t kMaxThreads = 1024;
// With this many copies for each round of a batch, corrections are a small
// part.
constexpr std::size_t kCopiesPerRound = 32;

Error Corrupt(const char* message) { return {ErrorCode::kCorruption, message}; }

double ComputeStep(const LinearRule& rule, double score, bool y) {
  return std::visit([&](const auto& r) { return r.Step(score, y); }, rule);
}

double FreshBias(std::int64_t copy) {
  return LeansToZero(copy) ? kLeanBias : 0;
}

bool HasGoodRate(const LinearRule& rule) {
  const auto* const logistic = std::get_if<LogisticRule>(&rule);
  return logistic == nullptr ||
         (std::isfinite(logistic->rate) && logistic->rate > 0);
}

}  // namespace

Result<LinearEnsemble> LinearEnsemble::Create(const Params& params) {
  if (params.copies < 1 || params.dimension < 1) {
    return InvalidArgument(
        "a linear ensemble needs at least one copy and one feature");
  }
  if (params.threads < 1 || params.threads > kMaxThreads) {
    return InvalidArgument("a linear ensemble has 1 to 1024 threads");
  }
  if (!HasGoodRate(params.rule)) {
    return InvalidArgument("the rate of logistic regression must be positive");
  }
  if (!IsSupported(params.path)) {
    return InvalidArgument("this machine lacks the instructions asked for");
  }
  // Whole blocks, in double: it cannot overflow, and rounding does not matter.
  const double blocks = std::ceil(static_cast<double>(params.copies) /
                                  static_cast<double>(kCopyLanes));
  const double bytes = blocks * (static_cast<double>(params.dimension) + 1) *
                       static_cast<double>(kCopyLanes * sizeof(double));
  if (bytes > static_cast<double>(params.max_bytes)) {
    return InvalidArgument(
        std::to_string(params.copies) + " copies of " +
        std::to_string(params.dimension) + " weights and a bias need " +
        std::to_string(static_cast<std::uint64_t>(std::min(bytes, 1e19))) +
        " bytes; the limit is " + std::to_string(params.max_bytes));
  }
  return LinearEnsemble(params);
}

LinearEnsemble::LinearEnsemble(const Params& params)
    : params_(params),
      rows_(std::size_t{params.dimension} + 1),
      blocks_((static_cast<std::size_t>(params.copies) + kCopyLanes - 1) /
              kCopyLanes),
      kernel_(FindLinearKernel(params.path)),
      weights_(blocks_ * rows_ * kCopyLanes),
      rounds_(params.dimension),
      next_of_copy_(static_cast<std::size_t>(params.copies), kLastStep) {
  for (std::int64_t copy = 0; copy < params.copies; ++copy) {
    ComputeWeights(copy)[(rows_ - 1) * kCopyLanes] = FreshBias(copy);
  }
}

Result<std::int64_t> LinearEnsemble::Votes(FeatureView x) {
  const Step step{.x = x};
  std::int64_t votes = 0;
  PlayBatch({&step, 1}, {&votes, 1});
  return votes;
}

Status LinearEnsemble::Update(std::int64_t copy, FeatureView x, bool y) {
  TeachOne(copy, x, y);
  return Ok();
}

Status LinearEnsemble::Play(std::span<const Step> steps,
                            std::span<std::int64_t> votes) {
  while (!steps.empty()) {
    const std::size_t taken = PlayBatch(steps, votes);
    steps = steps.subspan(taken);
    votes = votes.subspan(taken);
  }
  return Ok();
}

std::size_t LinearEnsemble::preferred_batch_size() const {
  const auto rounds = static_cast<std::size_t>(params_.copies) /
                      kCopiesPerRound / kRoundLanes * kRoundLanes;
  return std::clamp(rounds, kRoundLanes, LinearRounds::kMaxRounds);
}

// Step 4 of the proof: first all votes with the weights there are, then, in
// order, every lesson, each followed by new votes of the copy that learned.
std::size_t LinearEnsemble::PlayBatch(std::span<const Step> steps,
                                      std::span<std::int64_t> votes) {
  const std::size_t taken = rounds_.Pack(steps);
  steps = steps.first(taken);
  votes = votes.first(taken);
  VoteAll(votes);
  const Batch batch{steps, votes};
  for (const std::int64_t copy : not_finite_) Revote(copy, batch, 0, taken);
  FindNextLessons(steps);
  for (std::size_t i = 0; i < taken; ++i) {
    if (steps[i].copy == Step::kNobody) continue;
    const bool changed = TeachOne(steps[i].copy, steps[i].x, steps[i].y);
    if (!changed && !lessons_[i].stale) continue;
    const std::uint32_t next = lessons_[i].next;
    if (next != kLastStep) lessons_[next].stale = true;
    const std::size_t end = next == kLastStep ? taken : next + std::size_t{1};
    Revote(steps[i].copy, batch, i + 1, end);
  }
  return taken;
}

// For every lesson of the batch, when its copy has the next one: votes beyond
// that need not be computed before.
void LinearEnsemble::FindNextLessons(std::span<const Step> steps) {
  lessons_.assign(steps.size(), {.next = kLastStep, .stale = false});
  for (std::size_t i = steps.size(); i-- > 0;) {
    if (steps[i].copy == Step::kNobody) continue;
    auto& next = next_of_copy_[static_cast<std::size_t>(steps[i].copy)];
    lessons_[i].next = next;
    next = static_cast<std::uint32_t>(i);
  }
  for (const Step& step : steps) {
    if (step.copy == Step::kNobody) continue;
    next_of_copy_[static_cast<std::size_t>(step.copy)] = kLastStep;
  }
}

// Every copy in every round of the batch; threads share the blocks out.
void LinearEnsemble::VoteAll(std::span<std::int64_t> votes) {
  masks_.resize(blocks_ * votes.size());
  std::fill(votes.begin(), votes.end(), 0);
  const std::size_t threads =
      std::min(static_cast<std::size_t>(params_.threads), blocks_);
  if (threads == 1) {
    VoteBlocks(0, blocks_, votes);
    return;
  }
  std::vector<std::vector<std::int64_t>> counts(
      threads, std::vector<std::int64_t>(votes.size()));
  {
    std::vector<std::jthread> pool;
    for (std::size_t t = 0; t < threads; ++t) {
      const auto share = [this, t, threads, &counts] {
        VoteBlocks(blocks_ * t / threads, blocks_ * (t + 1) / threads,
                   counts[t]);
      };
      try {
        pool.emplace_back(share);
      } catch (const std::system_error&) {
        share();  // No more threads available.
      }
    }
  }
  for (const auto& count : counts) {
    for (std::size_t r = 0; r < votes.size(); ++r) votes[r] += count[r];
  }
}

// A block stays in the nearest cache while all tiles pass.
void LinearEnsemble::VoteBlocks(std::size_t begin, std::size_t end,
                                std::span<std::int64_t> votes) {
  const std::size_t size = rows_ * kCopyLanes;
  for (std::size_t b = begin; b < end; ++b) {
    const std::size_t present = std::min(
        kCopyLanes, static_cast<std::size_t>(params_.copies) - b * kCopyLanes);
    const WeightBlock block{
        .weights = weights_.data() + b * size,
        .next = weights_.data() + std::min(b + 1, end - 1) * size,
        .rows = rows_,
        .present = (std::uint32_t{1} << present) - 1};
    kernel_.block_votes(block, rounds_.tiles(),
                        masks_.data() + b * votes.size(), votes.data());
  }
}

// Replaces the votes of one copy in rounds begin..end-1 by those of its weights
// now.
void LinearEnsemble::Revote(std::int64_t copy, const Batch& batch,
                            std::size_t begin, std::size_t end) {
  if (begin >= end) return;
  const auto at = static_cast<std::size_t>(copy);
  const std::size_t lane = at % kCopyLanes;
  std::uint32_t* const masks =
      masks_.data() + at / kCopyLanes * batch.votes.size();
  VoteCopy(copy, batch, begin, end);
  for (std::size_t round = begin; round < end; ++round) {
    const std::uint32_t vote = copy_votes_[round - begin];
    batch.votes[round] += vote;
    batch.votes[round] -= masks[round] >> lane & 1U;
    masks[round] &= ~(std::uint32_t{1} << lane);
    masks[round] |= vote << lane;
  }
}

// Sets copy_votes_[0..end-begin-1].
void LinearEnsemble::VoteCopy(std::int64_t copy, const Batch& batch,
                              std::size_t begin, std::size_t end) {
  copy_votes_.resize(end - begin);
  if (!IsFinite(copy)) {
    for (std::size_t round = begin; round < end; ++round) {
      copy_votes_[round - begin] = Score(copy, batch.steps[round].x) >= 0;
    }
    return;
  }
  const std::size_t first = rounds_.tile_of(begin);
  const auto tiles =
      rounds_.tiles().subspan(first, rounds_.tile_of(end - 1) + 1 - first);
  tile_votes_.resize(tiles.size());
  kernel_.copy_votes(ComputeWeights(copy), tiles, tile_votes_.data());
  for (std::size_t round = begin; round < end; ++round) {
    const std::size_t t = rounds_.tile_of(round) - first;
    copy_votes_[round - begin] =
        tile_votes_[t] >> (round - tiles[t].first) & 1U;
  }
}

// The learner's own sum: the listed features, then the bias.
double LinearEnsemble::Score(std::int64_t copy, FeatureView x) const {
  const double* const weights = ComputeWeights(copy);
  double score = 0;
  for (const Feature& feature : x) {
    if (feature.index >= params_.dimension) break;
    score = std::fma(weights[feature.index * kCopyLanes], feature.value, score);
  }
  return std::fma(weights[(rows_ - 1) * kCopyLanes], 1.0, score);
}

// Returns true if the copy may vote differently now.
bool LinearEnsemble::TeachOne(std::int64_t copy, FeatureView x, bool y) {
  const double step = ComputeStep(params_.rule, Score(copy, x), y);
  if (step == 0) return false;
  double* const weights = ComputeWeights(copy);
  bool finite = true;
  const auto learn = [&](std::size_t row, double value) {
    double& weight = weights[row * kCopyLanes];
    weight = std::fma(step, value, weight);
    finite = finite && std::isfinite(weight);
  };
  for (const Feature& feature : x) {
    if (feature.index >= params_.dimension) break;
    learn(feature.index, feature.value);
  }
  learn(rows_ - 1, 1);
  if (!finite && IsFinite(copy)) not_finite_.push_back(copy);
  return true;
}

bool LinearEnsemble::IsFinite(std::int64_t copy) const {
  return std::find(not_finite_.begin(), not_finite_.end(), copy) ==
         not_finite_.end();
}

const double* LinearEnsemble::ComputeWeights(std::int64_t copy) const {
  const auto at = static_cast<std::size_t>(copy);
  return weights_.data() + at / kCopyLanes * rows_ * kCopyLanes +
         at % kCopyLanes;
}

double* LinearEnsemble::ComputeWeights(std::int64_t copy) {
  return const_cast<double*>(std::as_const(*this).ComputeWeights(copy));
}

// A copy that has learned nothing is one byte.
Status LinearEnsemble::Save(ByteWriter& out) {
  out.Number(params_.copies);
  out.Number(params_.dimension);
  for (std::int64_t copy = 0; copy < params_.copies; ++copy) {
    const double* const weights = ComputeWeights(copy);
    bool learned = false;
    for (std::size_t row = 0; row < rows_; ++row) {
      const double fresh = row + 1 == rows_ ? FreshBias(copy) : 0;
      learned =
          learned || std::bit_cast<std::uint64_t>(weights[row * kCopyLanes]) !=
                         std::bit_cast<std::uint64_t>(fresh);
    }
    out.Number(static_cast<std::uint8_t>(learned));
    if (!learned) continue;
    for (std::size_t row = 0; row < rows_; ++row) {
      out.Real(weights[row * kCopyLanes]);
    }
  }
  return Ok();
}

Status LinearEnsemble::Load(ByteReader& in) {
  const auto copies = in.Number<std::int64_t>();
  const auto dimension = in.Number<std::uint32_t>();
  if (in.failed() || copies != params_.copies ||
      dimension != params_.dimension) {
    return Corrupt("the state is of another linear ensemble");
  }
  for (std::int64_t copy = 0; copy < copies; ++copy) {
    const auto learned = in.Number<std::uint8_t>();
    if (learned > 1) return Corrupt("a copy is neither new nor taught");
    if (learned == 0) continue;
    double* const weights = ComputeWeights(copy);
    bool finite = true;
    for (std::size_t row = 0; row < rows_; ++row) {
      weights[row * kCopyLanes] = in.Real();
      finite = finite && std::isfinite(weights[row * kCopyLanes]);
    }
    if (!finite) not_finite_.push_back(copy);
    if (in.failed()) break;
  }
  if (in.failed()) return Corrupt("the state of a linear ensemble ends early");
  return Ok();
}

}  // namespace sotto
