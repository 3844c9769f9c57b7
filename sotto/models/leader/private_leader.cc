#include "sotto/models/leader/private_leader.h"

namespace sotto {
namespace {

Result<Guarantee> PromiseOf(const PrivateLeader::Params& params) {
  return Guarantee::Create(
      {.notion = Notion::kDp,
       .relation = params.budget.relation,
       .epsilon = params.fit->epsilon(),
       .delta = params.fit->delta(),
       .adversary = Adversary::kAdaptive,
       .rounds_per_user = params.budget.rounds_per_user,
       .protects = "features, labels and the times of labels",
       .in_rounds = true});
}

}  // namespace

void PrivateLeader::Round::Save(ByteWriter& writer) const {
  writer.Number(static_cast<std::uint8_t>(told ? 1 : 0));
  writer.Number(epoch);
  for (const std::uint32_t code : codes) writer.Number(code);
}

Result<PrivateLeader::Round> PrivateLeader::Round::Load(
    const FitColumns& columns, ByteReader& reader) {
  Round round;
  round.told = reader.Number<std::uint8_t>() != 0;
  round.epoch = reader.Number<std::uint64_t>();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    round.codes.push_back(reader.Number<std::uint32_t>());
  }
  if (reader.failed() || !columns.CanBe(round.codes)) {
    return Error{ErrorCode::kCorruption, "a round of the leader is damaged"};
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
  auto guarantee = PromiseOf(params);
  if (!guarantee) return guarantee.error();
  return PrivateLeader(std::move(params), *std::move(guarantee));
}

PrivateLeader::PrivateLeader(Params params, Guarantee guarantee)
    : params_(std::move(params)),
      guarantee_(std::move(guarantee)),
      hypothesis_(params_.fit->First()),
      length_(params_.epochs.first),
      batch_(params_.columns.size()),
      codes_(params_.columns.size()) {}

// The end of an epoch depends on the clock alone; so does the number of places,
// unless more labels came in the epoch than it has rounds (leader.md, step 4).
void PrivateLeader::Advance(Rng& rng) {
  if (ticks_ == length_) {
    batch_.PadTo(length_);
    batch_.SetPublicPlaces(length_);
    hypothesis_ = params_.fit->Fit(batch_, rng);
    batch_.Clear();
    ++epoch_;
    length_ = params_.epochs.Next(length_);
    ticks_ = 0;
  }
  ++ticks_;
}

void PrivateLeader::Tick(Rng& rng) { Advance(rng); }

PrivateLeader::Round PrivateLeader::Open(FeatureView x, Rng& rng) {
  Advance(rng);
  Round round{.epoch = epoch_};
  round.codes.resize(params_.columns.size());
  params_.columns.Encode(x, round.codes);
  round.told = hypothesis_.Predict(round.codes);
  return round;
}

void PrivateLeader::Close(const Round& round, bool y) {
  if (round.epoch != epoch_ && !params_.fit->takes_late_labels()) return;
  batch_.Add(round.codes, y);
}

bool PrivateLeader::Play(FeatureView x, const bool* y, Rng& rng) {
  Advance(rng);
  params_.columns.Encode(x, codes_);
  const bool told = hypothesis_.Predict(codes_);
  if (y != nullptr) batch_.Add(codes_, *y);
  return told;
}

void PrivateLeader::Save(ByteWriter& writer) const {
  hypothesis_.Save(writer);
  writer.Number(epoch_);
  writer.Number(length_);
  writer.Number(ticks_);
  batch_.Save(writer);
}

Result<PrivateLeader> PrivateLeader::Load(Params params, ByteReader& reader) {
  auto leader = Create(std::move(params));
  if (!leader) return leader.error();
  auto hypothesis = FitHypothesis::Load(leader->columns(), reader);
  if (!hypothesis) return hypothesis.error();
  leader->hypothesis_ = *std::move(hypothesis);
  leader->epoch_ = reader.Number<std::uint64_t>();
  leader->length_ = reader.Number<std::uint64_t>();
  leader->ticks_ = reader.Number<std::uint64_t>();
  bool good = leader->batch_.Load(reader);
  for (std::size_t i = 0; good && i < leader->batch_.size(); ++i) {
    good = leader->columns().CanBe(leader->batch_.row(i));
  }
  if (!good || leader->length_ < 1 ||
      leader->length_ > LeaderEpochs::kLongest ||
      leader->ticks_ > leader->length_) {
    return Error{ErrorCode::kCorruption,
                 "the state of the leader makes no sense"};
  }
  return leader;
}

}  // namespace sotto
