#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/models/winnow/winnow_publication.h"
#include "sotto/models/winnow/winnow_request.h"
#include "sotto/online/model_entry.h"
#include "sotto/online/online_model.h"

namespace sotto {

// Winnow as a session drives it. A phase lasts from one hypothesis to the next;
// the round that begins with a new one is paid.
//
// Guarantee: PrivateWinnow's, or with --calibration paper DpWinnow's.
// Threads:   not thread-safe.
class WinnowOnlineModel final : public OnlineModel {
 public:
  // As OnlineModelEntry::create and OnlineModelEntry::load.
  static Result<std::unique_ptr<OnlineModel>> Create(
      const ModelRequest& request);
  static Result<std::unique_ptr<OnlineModel>> Load(const ModelRequest& request,
                                                   ByteReader& reader);

  const Guarantee& guarantee() const override { return GetGuarantee(winnow_); }
  Json parameters() const override { return parameters_; }
  std::string Summary() const override { return words_; }
  std::vector<std::string> caveats() const override { return caveats_; }
  Forecast forecast() const override { return outlook_; }

  std::uint64_t phase() const override { return Releases(winnow_); }

  Result<OpenResult> Open(FeatureView x, std::string_view user,
                          Rng& rng) override;
  Result<bool> PlayEmptyRound(Rng& rng) override;
  Status Close(std::unique_ptr<OpenRound> open, const Label& y) override;
  Result<std::size_t> Play(std::span<Round> rounds,
                           NoiseHistory& history) override;
  std::size_t preferred_batch_size() const override { return 64; }

  std::optional<Json> hypothesis() const override {
    return publication_.Of(GetHypothesis(winnow_));
  }

  Status Save(ByteWriter& writer) override;
  Result<std::unique_ptr<OpenRound>> LoadRound(ByteReader& reader) override;

 private:
  class PendingRound;  // a round of winnow

  WinnowOnlineModel(const ModelRequest& request, AnyWinnow winnow,
                    Forecast forecast);

  AnyWinnow winnow_;
  Forecast outlook_;
  Json parameters_;
  std::string words_;
  std::vector<std::string> caveats_;
  WinnowPublication publication_;
};

}  // namespace sotto
