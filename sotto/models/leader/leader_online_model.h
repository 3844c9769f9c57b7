#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/models/fits/fit_file.h"
#include "sotto/models/leader/private_leader.h"
#include "sotto/online/model_entry.h"
#include "sotto/online/online_model.h"

namespace sotto {

// What was chosen, for reports and for people.
Json LeaderParameters(const PrivateLeader& leader, std::string_view fit);
std::string LeaderInWords(const PrivateLeader& leader);

// A leader as a session drives it.
//
//   auto model = LeaderOnlineModel::Create({settings, inputs, {1, 0}});
//
// Guarantee: PrivateLeader's; the session keeps its preconditions.
// Threads:   not thread-safe.
class LeaderOnlineModel final : public OnlineModel {
 public:
  // As OnlineModelEntry::create and OnlineModelEntry::load.
  static Result<std::unique_ptr<OnlineModel>> Create(
      const ModelRequest& request);
  static Result<std::unique_ptr<OnlineModel>> Load(const ModelRequest& request,
                                                   ByteReader& reader);

  const Guarantee& guarantee() const override { return leader_.guarantee(); }
  Json parameters() const override {
    return LeaderParameters(leader_, file_.fit);
  }
  std::string Summary() const override { return LeaderInWords(leader_); }
  std::vector<std::string> caveats() const override;

  // How many hypotheses have been fitted.
  std::uint64_t phase() const override { return leader_.epoch(); }

  Result<OpenResult> Open(FeatureView x, std::string_view user,
                          Rng& rng) override;
  Result<bool> PlayEmptyRound(Rng& rng) override;
  Status Close(std::unique_ptr<OpenRound> open, const Label& y) override;
  Result<std::size_t> Play(std::span<sotto::Round> rounds,
                           NoiseHistory& history) override;
  std::size_t preferred_batch_size() const override { return 256; }

  std::optional<Json> hypothesis() const override;

  Status Save(ByteWriter& writer) override;
  Result<std::unique_ptr<OpenRound>> LoadRound(ByteReader& reader) override;

 private:
  class PendingRound;  // a round of the leader

  LeaderOnlineModel(PrivateLeader leader, FitFile file)
      : leader_(std::move(leader)), file_(std::move(file)) {}
  static Result<std::unique_ptr<OnlineModel>> Wrap(
      const ModelRequest& request, Result<PrivateLeader> leader);

  PrivateLeader leader_;
  FitFile file_;  // without a hypothesis
};

}  // namespace sotto
