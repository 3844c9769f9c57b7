#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "sotto/audit/random_key.h"
#include "sotto/online/session.h"

namespace sotto {

// A model that answers by its noise and leaks, if asked to, that a user came or
// a user's label.
class Teller final : public OnlineModel {
 public:
  struct Kept final : OpenRound {
    void Save(ByteWriter&) const override {}
  };
  enum class Tells : std::uint8_t {
    kNothing,
    kPresence,
    kLabels,       // in what is published
    kLabelsAtOnce  // in the phase, which every user sees
  };
  explicit Teller(Tells tells) : tells_(tells) {}

  const Guarantee& guarantee() const override { return guarantee_; }
  Json parameters() const override { return Json::Object{}; }
  std::string Summary() const override { return "teller"; }
  std::uint64_t phase() const override {
    if (tells_ == Tells::kLabelsAtOnce) return ones_;
    return tells_ == Tells::kPresence ? present_ : 0;
  }
  Result<OpenResult> Open(FeatureView, std::string_view, Rng& rng) override {
    ++present_;
    return OpenResult{.prediction = rng.Next() % 2 == 0,
                      .open = std::make_unique<Kept>()};
  }
  Result<bool> PlayEmptyRound(Rng& rng) override {
    rng.Next();
    return false;
  }
  Status Close(std::unique_ptr<OpenRound>, const Label& y) override {
    ones_ += y.positive() ? 1 : 0;
    return Ok();
  }
  std::optional<Json> hypothesis() const override {
    return Json::Object{{"ones", tells_ == Tells::kLabels ? ones_ : 0}};
  }
  Status Save(ByteWriter&) override { return Ok(); }
  Result<std::unique_ptr<OpenRound>> LoadRound(ByteReader&) override {
    return std::unique_ptr<OpenRound>(std::make_unique<Kept>());
  }

 private:
  Tells tells_;
  std::uint64_t present_ = 0;
  std::uint64_t ones_ = 0;
  Guarantee guarantee_ = *Guarantee::Create({.notion = Notion::kChallengeDp,
                                             .epsilon = 1,
                                             .delta = 0.01,
                                             .rounds_per_user = 2,
                                             .protects = "everything"});
};

// A session of it, with entries that live as long as the program.
inline std::shared_ptr<Session> TellerSession(Teller::Tells tells) {
  static Teller::Tells asked;
  static const OnlineModelEntry kEntry = {
      .name = "teller",
      .help = "",
      .example = "",
      .options = {},
      .labels = {LabelType::Kind::kTwo},
      .promise = "",
      .publishes = "",
      .prepare = nullptr,
      .plan = nullptr,
      .create =
          [](const ModelRequest&) -> Result<std::unique_ptr<OnlineModel>> {
        return std::unique_ptr<OnlineModel>(std::make_unique<Teller>(asked));
      },
      .load = nullptr};
  asked = tells;
  Settings settings(Session::Options(kEntry));
  EXPECT_TRUE(settings.Set("epsilon", "1"));
  EXPECT_TRUE(settings.Set("delta", "0.01"));
  EXPECT_TRUE(settings.Set("rounds-per-user", "2"));
  auto session =
      Session::Create(kEntry, settings, {.features = 1}, KnownKey(), true);
  if (!session) throw std::runtime_error(session.error().message);
  return *std::move(session);
}

}  // namespace sotto
