#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/online/model_entry.h"
#include "sotto/online/session.h"
#include "sotto/online/shared_options.h"

namespace sotto::testing {

// A model that answers by its noise and writes down every call it gets: what a
// session lets a model see.
class RecordingModel : public OnlineModel {
 public:
  struct Kept final : OpenRound {
    explicit Kept(std::string text) : label(std::move(text)) {}
    void Save(ByteWriter& writer) const override { writer.Text(label); }
    std::string label;
  };

  RecordingModel(std::vector<std::string>* calls, const Settings& settings)
      : calls_(calls),
        halt_after_(settings.GetInt("halt-after")),
        guarantee_(*Guarantee::Create(
            {.notion = Notion::kChallengeDp,
             .relation = *ParseRelation(settings.Text("relation")),
             .epsilon = 0.5,
             .delta = 1e-7,
             .rounds_per_user = settings.GetInt("rounds-per-user"),
             .protects = "everything"})) {}

  const Guarantee& guarantee() const override { return guarantee_; }
  Json parameters() const override { return Json::Object{}; }
  std::string Summary() const override { return "writes down its calls"; }
  bool halted() const override {
    return halt_after_ > 0 && ticks_ >= halt_after_;
  }
  std::uint64_t phase() const override { return ticks_ / 100; }

  Status Train(const RoundSource& rows, Rng& rng) override {
    rng.Next();
    Round round;
    while (true) {
      const auto more = rows(round);
      if (!more) return more.error();
      if (!*more) return Ok();
      std::string text = "row";
      for (const Feature& f : round.x) text += ' ' + std::to_string(f.value);
      if (round.y) text += " y " + std::to_string(round.y->number());
      calls_->push_back(text);
    }
  }
  Result<OpenResult> Open(FeatureView x, std::string_view user,
                          Rng& rng) override {
    ++ticks_;
    std::string text = "open ";
    text += user;
    for (const Feature& f : x) {
      text += ' ';
      text += std::to_string(f.index);
      text += ':';
      text += std::to_string(f.value);
    }
    calls_->push_back(text);
    return OpenResult{.prediction = rng.Next() % 2 == 0,
                      .open = std::make_unique<Kept>(text)};
  }
  Result<bool> PlayEmptyRound(Rng& rng) override {
    ++ticks_;
    rng.Next();
    calls_->emplace_back("tick");
    return false;
  }
  Status Close(std::unique_ptr<OpenRound> open, const Label& y) override {
    std::string text = "close ";
    text += dynamic_cast<Kept&>(*open).label;
    text += ' ';
    text += std::to_string(y.number());
    calls_->push_back(std::move(text));
    return Ok();
  }
  std::optional<Json> hypothesis() const override {
    return Json::Object{{"rounds", 0}};
  }
  Status Save(ByteWriter& writer) override {
    writer.Number(ticks_);
    return Ok();
  }
  Result<std::unique_ptr<OpenRound>> LoadRound(ByteReader& reader) override {
    return std::unique_ptr<OpenRound>(
        std::make_unique<Kept>(std::string(reader.Text())));
  }
  void set_ticks(std::uint64_t ticks) { ticks_ = ticks; }

 private:
  std::vector<std::string>* calls_;
  std::uint64_t halt_after_;
  std::uint64_t ticks_ = 0;
  Guarantee guarantee_;
};

// Where the next model of RecordingEntry writes its calls.
inline std::vector<std::string>*& RecordedCalls() {
  static std::vector<std::string>* calls = nullptr;
  return calls;
}

inline const OnlineModelEntry& RecordingEntry() {
  static const OnlineModelEntry kRow = {
      .name = "recording",
      .help = "writes down its calls",
      .example = "",
      .options = {{.name = "halt-after",
                   .type = OptionType::kWhole,
                   .fallback = "0"}},
      .labels = {LabelType::Kind::kTwo},
      .promise = "any stream",
      .publishes = "nothing",
      .prepare = [](const Settings&, ReaderParams&) { return Ok(); },
      .plan = [](const Settings&, const InputSpec*) -> Result<Plan> {
        return InvalidArgument("nothing to plan");
      },
      .create = [](const ModelRequest& request)
          -> Result<std::unique_ptr<OnlineModel>> {
        return std::unique_ptr<OnlineModel>(std::make_unique<RecordingModel>(
            RecordedCalls(), request.settings));
      },
      .load = [](const ModelRequest& request,
                 ByteReader& reader) -> Result<std::unique_ptr<OnlineModel>> {
        auto model =
            std::make_unique<RecordingModel>(RecordedCalls(), request.settings);
        model->set_ticks(reader.Number<std::uint64_t>());
        return std::unique_ptr<OnlineModel>(std::move(model));
      }};
  return kRow;
}

// The same, from a training set.
inline const OnlineModelEntry& TrainedEntry() {
  static const OnlineModelEntry kRow = [] {
    OnlineModelEntry entry = RecordingEntry();
    entry.name = "trained";
    entry.needs_training_set = true;
    return entry;
  }();
  return kRow;
}

// The rounds one after the other.
inline RoundSource MakeSource(std::vector<Round> rounds) {
  return [rounds = std::move(rounds),
          next = std::size_t{0}](Round& round) mutable -> Result<bool> {
    if (next == rounds.size()) return false;
    round = rounds[next++];
    return true;
  };
}

inline OptionTable SessionTable(const OnlineModelEntry& entry) {
  return Session::Options(entry);
}

}  // namespace sotto::testing
