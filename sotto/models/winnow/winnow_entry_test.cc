#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "sotto/data/streams/schema.h"
#include "sotto/models/adapter/entries.h"
#include "sotto/online/shared_options.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using Said = std::vector<std::pair<std::string, std::string>>;

Settings ParseSettings(const Said& more = {}) {
  Settings settings(ConcatOptions(
      {PrivacyOptions(), StreamOptions(), WinnowEntry().options}));
  Said said = {{"epsilon", "8"},
               {"delta", "1e-3"},
               {"horizon", "3000"},
               {"margin", "0.5"}};
  said.insert(said.end(), more.begin(), more.end());
  for (const auto& [name, text] : said) {
    const Status set = settings.Set(name, text);
    EXPECT_TRUE(set) << set.error().message;
  }
  return settings;
}

const InputSpec kInputs = {
    .features = 4, .dense = 4, .names = {"a", "b", "c", "d"}};

ModelRequest MakeRequest(const Settings& settings,
                         const InputSpec& inputs = kInputs) {
  return {settings,
          inputs,
          {settings.GetDouble("epsilon"), settings.GetDouble("delta")}};
}

std::unique_ptr<OnlineModel> MustCreate(const Settings& settings,
                                        const InputSpec& inputs = kInputs) {
  auto model = WinnowEntry().create(MakeRequest(settings, inputs));
  if (!model) {
    ADD_FAILURE() << model.error().message;
    return nullptr;
  }
  return *std::move(model);
}

NoiseHistory MakeHistory(std::uint64_t seed) {
  testing::SeededRng rng(seed);
  std::array<std::byte, Key::kBytes> bytes{};
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(rng.Next());
  const Key key = Key::FromBytes(bytes);
  return NoiseHistory(key.Derive("noise-v1", "test", {}),
                      key.Derive("hash-v1", "test", {}));
}

// The label is the sign of the second feature.
std::vector<Round> Stream(std::size_t rounds) {
  testing::SeededRng rng(11);
  std::vector<Round> stream(rounds);
  for (Round& round : stream) {
    for (std::uint32_t j = 0; j < 4; ++j) {
      round.x.push_back({j, (rng.Next() & 1) != 0 ? 1.0 : -1.0});
    }
    if (rng.Next() % 7 != 0) round.y = round.x[1].value > 0;
  }
  return stream;
}

std::string Saved(OnlineModel& model, const NoiseHistory& history) {
  ByteWriter writer;
  EXPECT_TRUE(model.Save(writer));
  history.Save(writer);
  return std::move(writer).bytes();
}

const std::vector<Said> kForms = {
    {}, {{"bias", "on"}, {"max-nonzeros", "3"}}, {{"nonnegative", "on"}}};

TEST(WinnowEntryTest, ASchemaStandsForTheMarginAndTheNorm) {
  Settings settings(ConcatOptions(
      {PrivacyOptions(), StreamOptions(), WinnowEntry().options}));
  for (const auto& [name, text] :
       Said{{"epsilon", "8"}, {"delta", "1e-3"}, {"horizon", "3000"}}) {
    ASSERT_TRUE(settings.Set(name, text));
  }
  EXPECT_FALSE(WinnowEntry().create(MakeRequest(settings)));
  // Four columns of three values each: examples are no longer than 2.
  Schema schema;
  for (const char* name : {"a", "b", "c", "d"}) {
    schema.columns.push_back({.name = name,
                              .type = SchemaColumn::Type::kCategory,
                              .values = {"1", "2", "3"},
                              .range = {}});
  }
  InputSpec inputs{.features = 12, .dense = 12};
  inputs.schema = std::make_shared<const Schema>(schema);
  const auto model = MustCreate(settings, inputs);
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->parameters().Find("margin")->number(), 0.5);
  EXPECT_NEAR(*model->parameters().Find("max_norm")->number(), 2, 0.01);
  // An explicit setting takes precedence.
  ASSERT_TRUE(settings.Set("margin", "0.25"));
  ASSERT_TRUE(settings.Set("max-norm", "1.5"));
  const auto said = MustCreate(settings, inputs);
  ASSERT_NE(said, nullptr);
  EXPECT_EQ(said->parameters().Find("margin")->number(), 0.25);
  EXPECT_NEAR(*said->parameters().Find("max_norm")->number(), 1.5, 0.01);
}

TEST(WinnowEntryTest, PlayEqualsOpenAndCloseInTurn) {
  for (const Said& form : kForms) {
    const Settings settings = ParseSettings(form);
    auto single = MustCreate(settings);
    auto many = MustCreate(settings);
    auto expected = Stream(2000);
    auto rounds = expected;
    NoiseHistory first = MakeHistory(1);
    NoiseHistory second = MakeHistory(1);
    for (Round& round : expected) {
      ASSERT_TRUE(single->OnlineModel::Play(std::span(&round, 1), first));
    }
    const auto played = many->Play(rounds, second);
    ASSERT_TRUE(played);
    EXPECT_EQ(*played, rounds.size());
    EXPECT_EQ(rounds, expected);
    EXPECT_GE(single->phase(), 1U);
    EXPECT_EQ(Saved(*many, second), Saved(*single, first));
  }
}

TEST(WinnowEntryTest, AResumedModelGoesOnAsIfItHadNeverStopped) {
  for (const Said& form : kForms) {
    const Settings settings = ParseSettings(form);
    auto whole = MustCreate(settings);
    auto parts = MustCreate(settings);
    auto stream = Stream(1000);
    NoiseHistory first = MakeHistory(2);
    NoiseHistory second = MakeHistory(2);
    ASSERT_TRUE(whole->Play(stream, first));
    for (std::size_t i = 0; i < stream.size(); ++i) {
      const Round& round = stream[i];
      auto opened = parts->Open(round.x, round.user, second.Begin(round));
      ASSERT_TRUE(opened);
      EXPECT_EQ(opened->prediction, *round.prediction);
      if (i % 200 == 13) {
        ByteWriter writer;
        ASSERT_TRUE(parts->Save(writer));
        opened->open->Save(writer);
        ByteReader reader(writer.bytes());
        auto loaded = WinnowEntry().load(MakeRequest(settings), reader);
        ASSERT_TRUE(loaded) << loaded.error().message;
        EXPECT_EQ((*loaded)->forecast(), parts->forecast());
        parts = *std::move(loaded);
        auto open = parts->LoadRound(reader);
        ASSERT_TRUE(open);
        ASSERT_TRUE(reader.Finish());
        opened->open = *std::move(open);
      }
      if (!round.y) continue;
      second.AddLabel(second.rounds(), *round.y);
      ASSERT_TRUE(parts->Close(std::move(opened->open), *round.y));
    }
    EXPECT_EQ(Saved(*parts, second), Saved(*whole, first));
    EXPECT_EQ(parts->hypothesis(), whole->hypothesis());
  }
}

TEST(WinnowEntryTest, AnEmptyRoundTicksTheClockAndMayPublish) {
  const Settings settings = ParseSettings();
  auto model = MustCreate(settings);
  auto stream = Stream(400);
  NoiseHistory history = MakeHistory(3);
  ASSERT_TRUE(model->Play(stream, history));
  const std::uint64_t before = model->phase();
  std::uint64_t paid = 0;
  for (int i = 0; i < 4000 && paid == 0; ++i) {
    const auto ticked =
        model->PlayEmptyRound(history.Begin({.presence = Presence::kAbsent}));
    ASSERT_TRUE(ticked);
    paid += *ticked ? 1 : 0;
  }
  EXPECT_EQ(model->phase(), before + paid);
}

TEST(WinnowEntryTest, TheHypothesisNamesItsFeaturesAndItsEncoding) {
  auto model = MustCreate(ParseSettings({{"bias", "on"}}));
  auto stream = Stream(2000);
  NoiseHistory history = MakeHistory(4);
  ASSERT_TRUE(model->Play(stream, history));
  const auto json = model->hypothesis();
  ASSERT_TRUE(json);
  const Json::Array& weights = *json->Find("weights")->array();
  ASSERT_EQ(weights.size(), 4U);
  EXPECT_EQ(*weights[1].Find("name")->text(), "b");
  EXPECT_EQ(*weights[1].Find("index")->natural(), 1U);
  EXPECT_GT(*weights[1].Find("weight")->number(), 0);
  EXPECT_TRUE(json->Find("bias")->number());
  EXPECT_EQ(json->Find("encoding")->Dump(),
            R"({"numbers":4,"hash_bits":0,"columns":["a","b","c","d"]})");
  EXPECT_EQ(json->Find("rounds"), nullptr);  // the session's clock says it
}

TEST(WinnowEntryTest, ASchemaIsPublishedWithTheWeights) {
  InputSpec inputs = kInputs;
  Schema schema;
  schema.columns = {{.name = "a",
                     .type = SchemaColumn::Type::kNumber,
                     .values = {},
                     .range = std::pair(0.0, 2.0)},
                    {.name = "b",
                     .type = SchemaColumn::Type::kBoolean,
                     .values = {},
                     .range = {}},
                    {.name = "c",
                     .type = SchemaColumn::Type::kCategory,
                     .values = {"x", "y"},
                     .range = {}}};
  inputs.schema = std::make_shared<const Schema>(schema);
  const auto json = MustCreate(ParseSettings(), inputs)->hypothesis();
  ASSERT_TRUE(json);
  const Json* published = json->Find("encoding")->Find("schema");
  ASSERT_NE(published, nullptr);
  const auto again = Schema::Parse(published->Dump(), "the model");
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ(again->columns.size(), 3U);
  EXPECT_EQ(again->columns[0].range, std::pair(0.0, 2.0));
  EXPECT_EQ(again->columns[1].type, SchemaColumn::Type::kBoolean);
  EXPECT_EQ(again->columns[2].values, (std::vector<std::string>{"x", "y"}));
}

TEST(WinnowEntryTest, ThePapersFormRefusesWhatItDoesNotHave) {
  const Said paper = {{"calibration", "paper"}};
  EXPECT_TRUE(WinnowEntry().create(MakeRequest(ParseSettings(paper))));
  for (const auto& [name, text] : Said{{"bias", "on"},
                                       {"batch", "5"},
                                       {"relation", "add-remove"},
                                       {"aim", "proven"},
                                       {"rounds-per-user", "2"}}) {
    const auto refused = WinnowEntry().create(
        MakeRequest(ParseSettings({{"calibration", "paper"}, {name, text}})));
    ASSERT_FALSE(refused) << name;
    EXPECT_NE(refused.error().message.find("--calibration paper"),
              std::string::npos);
  }
}

TEST(WinnowEntryTest, APlanNeedsToKnowHowManyFeaturesThereAre) {
  const auto unknown = WinnowEntry().plan(ParseSettings(), nullptr);
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("--features"), std::string::npos);
  EXPECT_TRUE(WinnowEntry().plan(ParseSettings(), &kInputs));
  const auto said =
      WinnowEntry().plan(ParseSettings({{"features", "4"}}), nullptr);
  ASSERT_TRUE(said);
  EXPECT_TRUE(said->mistakes_expected);
  const auto other =
      WinnowEntry().plan(ParseSettings({{"features", "5"}}), &kInputs);
  EXPECT_FALSE(other);
}

TEST(WinnowEntryTest, ThePapersBoundFailsTwiceAsOften) {
  const auto failure = [](const Said& said) {
    const auto plan = WinnowEntry().plan(ParseSettings(said), &kInputs);
    if (!plan) return -1.0;
    return *plan->parameters.Find("failure")->number();
  };
  EXPECT_EQ(failure({}), 0.05);
  EXPECT_EQ(failure({{"failure", "0.2"}}), 0.2);
  EXPECT_EQ(failure({{"calibration", "paper"}}), 0.1);
}

}  // namespace
}  // namespace sotto
