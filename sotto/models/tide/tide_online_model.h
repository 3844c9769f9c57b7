#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/models/tide/private_tide.h"
#include "sotto/online/model_entry.h"
#include "sotto/online/online_model.h"

namespace sotto {

// What was chosen, for reports and for people.
Json TideParameters(const PrivateTide& tide);
std::string TideInWords(const PrivateTide& tide);

// Tide as a session drives it.
//
//   auto model = TideOnlineModel::Create({settings, inputs, {1, 1e-6}});
//
// Guarantee: PrivateTide's; the session keeps its preconditions.
// Threads:   not thread-safe.
class TideOnlineModel final : public OnlineModel {
 public:
  // As OnlineModelEntry::create and OnlineModelEntry::load.
  static Result<std::unique_ptr<OnlineModel>> Create(
      const ModelRequest& request);
  static Result<std::unique_ptr<OnlineModel>> Load(const ModelRequest& request,
                                                   ByteReader& reader);

  const Guarantee& guarantee() const override { return tide_.guarantee(); }
  Json parameters() const override { return TideParameters(tide_); }
  std::string Summary() const override { return TideInWords(tide_); }
  std::vector<std::string> caveats() const override;
  Forecast forecast() const override { return outlook_; }

  // How many gradients have been released.
  std::uint64_t phase() const override { return tide_.steps(); }

  Result<OpenResult> Open(FeatureView x, std::string_view user,
                          Rng& rng) override;
  Result<bool> PlayEmptyRound(Rng& rng) override;
  Status Close(std::unique_ptr<OpenRound> open, const Label& y) override;
  Result<std::size_t> Play(std::span<Round> rounds,
                           NoiseHistory& history) override;
  std::size_t preferred_batch_size() const override { return 256; }

  std::optional<Json> hypothesis() const override;

  Status Save(ByteWriter& writer) override;
  Result<std::unique_ptr<OpenRound>> LoadRound(ByteReader& reader) override;

 private:
  class PendingRound;  // a round of Tide

  TideOnlineModel(PrivateTide tide, const ModelRequest& request);

  PrivateTide tide_;
  std::shared_ptr<const Schema> schema_;  // may be absent
  Forecast outlook_;  // of the settings, so that no state need keep it
};

}  // namespace sotto
