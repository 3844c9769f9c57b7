#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "sotto/base/label.h"
#include "sotto/models/leader/private_leader.h"
#include "sotto/online/model_entry.h"
#include "sotto/online/non_private.h"

namespace sotto {

// The leader without privacy: the same epochs of the same fits, by a leader
// whose noise is worth less than a row and comes from a known key.
//
// Threads: not thread-safe.
class NonPrivateLeader final : public NonPrivateLearner {
 public:
  // `params`: of a leader with as much budget as fits take.
  NonPrivateLeader(PrivateLeader::Params params, PrivateLeader leader)
      : params_(std::move(params)), leader_(std::move(leader)) {}

  Label Predict(FeatureView x) const override;
  void Update(FeatureView x, const Label& y) override;
  void Save(ByteWriter& writer) const override;
  Status Load(ByteReader& reader) override;

 private:
  PrivateLeader::Params params_;
  PrivateLeader leader_;
  std::uint64_t updates_ = 0;
};

// Fails as LeaderParams and PrivateLeader::Create do.
Result<std::unique_ptr<NonPrivateLearner>> MakeNonPrivateLeader(
    const ModelRequest& request);

}  // namespace sotto
