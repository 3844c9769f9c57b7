#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/models/points/point_predictor.h"
#include "sotto/online/model_entry.h"
#include "sotto/online/online_model.h"

namespace sotto {

// What was chosen, for reports and for people.
Json PointsParameters(const PointPredictor& points);
std::string PointsInWords(const PointPredictor& points);

// What is to be expected of a stream that is as the settings say.
struct PointsOutlook {
  double mistakes = 0;
  // Never more, where every label comes in time and is right.
  std::optional<double> bound = {};
  double positives = 0;  // rounds that bring a point that is labelled 1
  // That a point passes its gate, with labels that come and are right as often
  // as the settings say.
  double passes = 1;
  Verdict verdict = Verdict::kComfortable;
};
PointsOutlook ForecastPoints(const Settings& settings,
                             const PointPredictor& points);

// A point predictor as a session drives it.
//
// Guarantee: PointPredictor's; the session keeps its preconditions.
// Threads:   not thread-safe.
class PointsOnlineModel final : public OnlineModel {
 public:
  // As OnlineModelEntry::create and OnlineModelEntry::load.
  static Result<std::unique_ptr<OnlineModel>> Create(
      const ModelRequest& request);
  static Result<std::unique_ptr<OnlineModel>> Load(const ModelRequest& request,
                                                   ByteReader& reader);

  const Guarantee& guarantee() const override { return guarantee_; }
  Json parameters() const override { return PointsParameters(points_); }
  std::string Summary() const override { return PointsInWords(points_); }
  std::vector<std::string> caveats() const override;
  Forecast forecast() const override { return outlook_; }

  std::uint64_t phase() const override { return 0; }

  Result<OpenResult> Open(FeatureView x, std::string_view user,
                          Rng& rng) override;
  Result<bool> PlayEmptyRound(Rng& rng) override;
  Status Close(std::unique_ptr<OpenRound> open, const Label& y) override;
  Result<std::size_t> Play(std::span<Round> rounds,
                           NoiseHistory& history) override;
  std::size_t preferred_batch_size() const override { return 256; }

  Status Save(ByteWriter& writer) override;
  Result<std::unique_ptr<OpenRound>> LoadRound(ByteReader& reader) override;

 private:
  class PendingRound;  // a round of the predictor

  PointsOnlineModel(PointPredictor points, Guarantee guarantee,
                    Forecast forecast)
      : points_(std::move(points)),
        guarantee_(std::move(guarantee)),
        outlook_(std::move(forecast)) {}
  static Result<std::unique_ptr<OnlineModel>> Wrap(
      const ModelRequest& request, Result<PointPredictor> points,
      Forecast forecast);

  PointPredictor points_;
  Guarantee guarantee_;
  Forecast outlook_;
};

}  // namespace sotto
