#include "sotto/models/leader/non_private_leader.h"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "sotto/models/leader/leader_options.h"
#include "sotto/random/chacha_rng.h"
#include "sotto/random/key.h"

namespace sotto {
namespace {

// The largest epsilon that fits take. A row taken out costs all of it, so that
// a worse rule is drawn e^16 times as seldom for each row it gets wrong.
constexpr double kEpsilon = 16;

// Depends on the number of updates alone: a resumed learner draws the same.
ChaChaRng MakeRng(std::uint64_t updates) {
  constexpr std::array<std::byte, Key::kBytes> kKnown = {};
  return ChaChaRng(
      Key::FromBytes(kKnown).Derive("compare-v1", "leader", {updates}));
}

}  // namespace

Label NonPrivateLeader::Predict(FeatureView x) const {
  std::vector<std::uint32_t> codes(params_.columns.size());
  params_.columns.Encode(x, codes);
  return Label(leader_.hypothesis().Predict(codes));
}

void NonPrivateLeader::Update(FeatureView x, const Label& y) {
  ChaChaRng rng = MakeRng(updates_++);
  const bool positive = y.positive();
  leader_.Play(x, &positive, rng);
}

void NonPrivateLeader::Save(ByteWriter& writer) const {
  writer.Number(updates_);
  leader_.Save(writer);
}

Status NonPrivateLeader::Load(ByteReader& reader) {
  updates_ = reader.Number<std::uint64_t>();
  SOTTO_TRY_ASSIGN(auto leader, PrivateLeader::Load(params_, reader));
  leader_ = std::move(leader);
  return Ok();
}

Result<std::unique_ptr<NonPrivateLearner>> MakeNonPrivateLeader(
    const ModelRequest& request) {
  Settings settings = request.settings;
  SOTTO_TRY(settings.Set("relation", "add-remove"));
  SOTTO_TRY(settings.Set("rounds-per-user", "1"));
  SOTTO_TRY_ASSIGN(auto params,
                   LeaderParams(settings, request.inputs,
                                {.epsilon = kEpsilon, .delta = 0}));
  SOTTO_TRY_ASSIGN(auto leader, PrivateLeader::Create(params));
  return std::unique_ptr<NonPrivateLearner>(
      std::make_unique<NonPrivateLeader>(std::move(params), std::move(leader)));
}

}  // namespace sotto
