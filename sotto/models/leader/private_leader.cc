#include "sotto/models/leader/private_leader.h"

#include <algorithm>

#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"

namespace sotto {
namespace {

// Epsilon of one round for the watch.
double WatchEpsilon(const PrivateLeader::Params& params) {
  const auto rounds = static_cast<double>(params.budget.rounds_per_user);
  return rounds > 1 ? DownDiv(params.drift_epsilon, rounds)
                    : params.drift_epsilon;
}

// A round is counted in one window of the watch, as a mistake or not.
Spend Watching(const PrivateLeader::Params& params) {
  return ForSteps(PurePart("watch over mistakes", SamplerKind::kSelection,
                           WatchEpsilon(params), 1),
                  params.budget.rounds_per_user);
}

Result<Guarantee> ComputeGuarantee(const PrivateLeader::Params& params) {
  const bool watch = params.drift_epsilon > 0;
  const ApproximateDp& fit = params.budget.user;
  return MakeGuarantee(
      {.notion = Notion::kDp,
       .relation = params.budget.relation,
       .adversary = Adversary::kAdaptive,
       .rounds_per_user = params.budget.rounds_per_user,
       .protects = "features, labels and the times of labels",
       .in_rounds = true,
       .spend =
           watch ? AddParts("leader", {params.fit->spend(), Watching(params)})
                 : params.fit->spend()},
      {LeastUpAdd(fit.epsilon, params.drift_epsilon), fit.delta});
}

}  // namespace

void PrivateLeader::Round::Save(ByteWriter& writer) const {
  writer.Number(static_cast<std::uint8_t>(prediction ? 1 : 0));
  writer.Number(epoch);
  writer.Number(block);
  writer.Number(static_cast<std::uint8_t>(held_out ? 1 : 0));
  for (const std::uint32_t code : codes) writer.Number(code);
}

Result<PrivateLeader::Round> PrivateLeader::Round::Load(
    const FitColumns& columns, ByteReader& reader) {
  Round round;
  round.prediction = reader.Number<std::uint8_t>() != 0;
  round.epoch = reader.Number<std::uint64_t>();
  round.block = reader.Number<std::uint64_t>();
  round.held_out = reader.Number<std::uint8_t>() != 0;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    round.codes.push_back(reader.Number<std::uint32_t>());
  }
  if (reader.failed() || !columns.CanBe(round.codes)) {
    return Corruption("a round of the leader is damaged");
  }
  return round;
}

Result<PrivateLeader> PrivateLeader::Create(Params params) {
  const LeaderEpochs& epochs = params.epochs;
  if (epochs.first < 1 || epochs.first > LeaderEpochs::kLongest ||
      !(epochs.growth >= 1) || epochs.growth > 16) {
    return InvalidArgument(
        "the first epoch has 1 to 2^32 rounds, and they grow by 1 to 16");
  }
  SOTTO_TRY_ASSIGN(auto guarantee, ComputeGuarantee(params));
  std::optional<DriftWatch> watch;
  if (params.drift_epsilon > 0) {
    SOTTO_TRY_ASSIGN(auto made,
                     DriftWatch::Create({.epsilon = WatchEpsilon(params),
                                         .block = params.drift_block}));
    watch = std::move(made);
  }
  return PrivateLeader(std::move(params), std::move(watch),
                       std::move(guarantee));
}

PrivateLeader::PrivateLeader(Params params, std::optional<DriftWatch> watch,
                             Guarantee guarantee)
    : params_(std::move(params)),
      guarantee_(std::move(guarantee)),
      hypothesis_(params_.fit->First()),
      length_(params_.epochs.first),
      watch_(std::move(watch)),
      batch_(params_.columns.size()),
      codes_(params_.columns.size()) {}

void PrivateLeader::BeginEpoch(std::uint64_t length) {
  ++epoch_;
  length_ = length;
  ticks_ = 0;
  batch_.Clear();
  marks_.clear();
}

// The end of an epoch depends on the clock alone; so does the number of places,
// unless more labels came in the epoch than it has rounds (leader.md, step 4).
void PrivateLeader::EndByClock(Rng& rng) {
  batch_.PadTo(length_);
  batch_.SetPublicPlaces(length_);
  hypothesis_ = params_.fit->Fit(batch_, rng);
  BeginEpoch(params_.epochs.Next(length_));
  if (watch_) watch_->Begin(length_, true, rng);
}

std::uint64_t PrivateLeader::fresh_blocks() const {
  const std::uint64_t rounds = watch_->block_rounds();
  return std::max<std::uint64_t>(2,
                                 (params_.epochs.first + rounds - 1) / rounds);
}

// Rows from before the hypothesis went wrong are useless: fits only the rows of
// the last blocks, and forgets the others. A fit that takes no delayed labels
// needs a place for every row that can be there, so it gets them all.
void PrivateLeader::EndByWatch(Rng& rng) {
  const bool late = params_.fit->takes_late_labels();
  const std::uint64_t places =
      late ? fresh_blocks() * watch_->block_rounds() : ticks_;
  const std::uint64_t begin = late && !marks_.empty() ? marks_.front() : 0;
  FitBatch fresh = batch_.Part(begin, batch_.size());
  fresh.PadTo(places);
  fresh.SetPublicPlaces(places);
  hypothesis_ = params_.fit->Fit(fresh, rng);
  BeginEpoch(params_.epochs.first);
  watch_->Begin(length_, false, rng);
}

// Called in every round: a block that has just begun leaves a mark.
void PrivateLeader::NoteBlock() {
  if (ticks_ % watch_->block_rounds() != 0) return;
  marks_.push_back(batch_.size());
  if (marks_.size() > fresh_blocks()) marks_.erase(marks_.begin());
}

void PrivateLeader::Advance(Rng& rng) {
  if (watch_ && !begun_) watch_->Begin(length_, true, rng);
  begun_ = true;
  if (ticks_ == length_) EndByClock(rng);
  if (watch_) {
    if (watch_->Advance(rng)) {
      EndByWatch(rng);
      watch_->Advance(rng);  // the first of its window: never fires
    }
    NoteBlock();
  }
  ++ticks_;
  ++clock_;
}

void PrivateLeader::PlayEmptyRound(Rng& rng) { Advance(rng); }

PrivateLeader::Round PrivateLeader::Open(FeatureView x, Rng& rng) {
  Advance(rng);
  Round round{.epoch = epoch_,
              .block = watch_ ? watch_->block() : 0,
              .held_out = FitBatch::HeldOut(clock_)};
  round.codes.resize(params_.columns.size());
  params_.columns.Encode(x, round.codes);
  round.prediction = hypothesis_.Predict(round.codes);
  return round;
}

void PrivateLeader::Close(const Round& round, bool y) {
  if (watch_) watch_->Count(round.block, round.prediction != y);
  if (round.epoch != epoch_ && !params_.fit->takes_late_labels()) return;
  batch_.Add(round.codes, y, round.held_out);
}

bool PrivateLeader::Play(FeatureView x, const bool* y, Rng& rng) {
  Advance(rng);
  params_.columns.Encode(x, codes_);
  const bool prediction = hypothesis_.Predict(codes_);
  if (y == nullptr) return prediction;
  batch_.Add(codes_, *y, FitBatch::HeldOut(clock_));
  if (watch_) watch_->Count(watch_->block(), prediction != *y);
  return prediction;
}

void PrivateLeader::Save(ByteWriter& writer) const {
  hypothesis_.Save(writer);
  writer.Number(epoch_);
  writer.Number(length_);
  writer.Number(ticks_);
  writer.Number(clock_);
  batch_.Save(writer);
  if (!watch_) return;
  writer.Number(static_cast<std::uint8_t>(begun_ ? 1 : 0));
  writer.Number(static_cast<std::uint64_t>(marks_.size()));
  for (const std::uint64_t mark : marks_) writer.Number(mark);
  watch_->Save(writer);
}

bool PrivateLeader::LoadWatch(ByteReader& reader) {
  begun_ = reader.Number<std::uint8_t>() != 0;
  const auto marks = reader.Number<std::uint64_t>();
  if (marks > fresh_blocks()) return false;
  for (std::uint64_t i = 0; i < marks; ++i) {
    marks_.push_back(reader.Number<std::uint64_t>());
    if (marks_.back() > batch_.size()) return false;
  }
  return watch_->Load(reader);
}

Result<PrivateLeader> PrivateLeader::Load(Params params, ByteReader& reader) {
  auto leader = Create(std::move(params));
  if (!leader) return leader.error();
  SOTTO_TRY_ASSIGN(auto hypothesis,
                   FitHypothesis::Load(leader->columns(), reader));
  leader->hypothesis_ = std::move(hypothesis);
  leader->epoch_ = reader.Number<std::uint64_t>();
  leader->length_ = reader.Number<std::uint64_t>();
  leader->ticks_ = reader.Number<std::uint64_t>();
  leader->clock_ = reader.Number<std::uint64_t>();
  bool good = leader->batch_.Load(reader);
  for (std::size_t i = 0; good && i < leader->batch_.size(); ++i) {
    good = leader->columns().CanBe(leader->batch_.row(i));
  }
  if (good && leader->watch_) good = leader->LoadWatch(reader);
  if (!good || leader->length_ < 1 ||
      leader->length_ > LeaderEpochs::kLongest ||
      leader->ticks_ > leader->length_) {
    return Corruption("the state of the leader makes no sense");
  }
  return leader;
}

}  // namespace sotto
