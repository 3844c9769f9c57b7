#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/mechanisms/boundaries/boundary_phases.h"
#include "sotto/models/boundary_models/boundary_plan.h"
#include "sotto/online/model_entry.h"
#include "sotto/online/online_model.h"

namespace sotto {

// A predictor on boundary sets as a session drives it. A Family says which:
//
//   struct Boxes {
//     using Params = ...;     // what MakeParams makes of a request
//     using Training = ...;   // Create, Add(x, y), Finish(rng), phases()
//     using Predictor = ...;  // Answer, Tick, phase, halted, Save, Load
//     static Result<Params> MakeParams(const ModelRequest&);
//     static std::string Summary(const Params&);        // its name first
//     static Json Parameters(const Params&);
//   };
//
// Labels of the stream are for the operator alone: rounds are questions.
//
// Guarantee: the Predictor's; the session keeps its preconditions.
// Threads:   not thread-safe.
template <typename Family>
class BoundaryOnlineModel final : public OnlineModel {
 public:
  using Params = typename Family::Params;
  using Training = typename Family::Training;
  using Predictor = typename Family::Predictor;

  // As OnlineModelEntry::create and OnlineModelEntry::load.
  static Result<std::unique_ptr<OnlineModel>> Create(
      const ModelRequest& request) {
    SOTTO_TRY_ASSIGN(const auto params, Family::MakeParams(request));
    SOTTO_TRY_ASSIGN(auto training, Training::Create(params));
    std::unique_ptr<BoundaryOnlineModel> model(new BoundaryOnlineModel(
        params, training.phases(), training.guarantee(),
        BoundaryForecast(training.phases(), request.settings)));
    model->training_ = std::move(training);
    model->settings_ = request.settings;
    return std::unique_ptr<OnlineModel>(std::move(model));
  }
  static Result<std::unique_ptr<OnlineModel>> Load(const ModelRequest& request,
                                                   ByteReader& reader) {
    SOTTO_TRY_ASSIGN(const auto params, Family::MakeParams(request));
    const Forecast forecast = Forecast::Load(reader);
    SOTTO_TRY_ASSIGN(auto predictor, Predictor::Load(params, reader));
    std::unique_ptr<BoundaryOnlineModel> model(new BoundaryOnlineModel(
        params, predictor.phases(), predictor.guarantee(), forecast));
    model->predictor_ = std::move(predictor);
    return std::unique_ptr<OnlineModel>(std::move(model));
  }

  const Guarantee& guarantee() const override { return guarantee_; }
  Json parameters() const override {
    return BoundaryParameters(phases_, Family::Parameters(params_));
  }
  std::string Summary() const override {
    return Family::Summary(params_) + "; " + BoundaryInWords(phases_);
  }
  std::vector<std::string> caveats() const override {
    return BoundaryCaveats(phases_);
  }
  Forecast forecast() const override { return outlook_; }

  Status Train(const RoundSource& rows, Rng& rng) override {
    Round row;
    for (std::uint64_t places = 0;; ++places) {
      SOTTO_TRY_ASSIGN(const auto more, rows(row));
      if (!more) {
        Foresee(places);
        break;
      }
      if (row.present() && row.y) training_->Add(row.x, row.y->positive());
    }
    SOTTO_TRY_ASSIGN(auto predictor, std::move(*training_).Finish(rng));
    predictor_ = std::move(predictor);
    training_.reset();
    settings_.reset();
    return Ok();
  }

  bool halted() const override { return predictor_ && predictor_->halted(); }
  std::uint64_t phase() const override {
    return predictor_ ? predictor_->phase() : 0;
  }

  Result<OpenResult> Open(FeatureView x, std::string_view, Rng& rng) override {
    const auto answered = predictor_->Answer(x, rng);
    OpenResult opened;
    opened.prediction = answered.inside;
    opened.paid = answered.undecided;
    opened.open = std::make_unique<Question>();
    return opened;
  }
  Result<bool> PlayEmptyRound(Rng& rng) override {
    predictor_->PlayEmptyRound(rng);
    return false;
  }
  Status Close(std::unique_ptr<OpenRound>, const Label&) override {
    return Ok();
  }
  Result<std::size_t> Play(std::span<Round> rounds,
                           NoiseHistory& history) override {
    std::size_t played = 0;
    for (Round& round : rounds) {
      if (predictor_->halted()) break;
      round.phase = predictor_->phase();
      const auto answered = predictor_->Answer(round.x, history.Begin(round));
      if (round.y) history.AddLabel(history.rounds(), *round.y);
      round.prediction = Label(answered.inside);
      round.paid = answered.undecided;
      ++played;
    }
    return played;
  }
  std::size_t preferred_batch_size() const override { return 256; }

  Status Save(ByteWriter& writer) override {
    outlook_.Save(writer);
    predictor_->Save(writer);
    return Ok();
  }
  Result<std::unique_ptr<OpenRound>> LoadRound(ByteReader&) override {
    return std::unique_ptr<OpenRound>(std::make_unique<Question>());
  }

 private:
  // Nothing is kept of a round for its label.
  class Question final : public OpenRound {
   public:
    void Save(ByteWriter&) const override {}
  };

  BoundaryOnlineModel(Params params, BoundaryPhases phases, Guarantee guarantee,
                      Forecast forecast)
      : params_(std::move(params)),
        phases_(std::move(phases)),
        guarantee_(std::move(guarantee)),
        outlook_(std::move(forecast)) {}

  // The number of places is public: a plan that was not told it knows it now.
  void Foresee(std::uint64_t places) {
    if (settings_->SetByUser("training-rows") || places == 0) return;
    if (!settings_->Set("training-rows", std::to_string(places))) return;
    outlook_ = BoundaryForecast(phases_, *settings_);
  }

  Params params_;
  BoundaryPhases phases_;
  Guarantee guarantee_;
  Forecast outlook_;
  std::optional<Training> training_;  // until it was trained
  std::optional<Settings> settings_;  // likewise
  std::optional<Predictor> predictor_;
};

}  // namespace sotto
