#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/models/adapter/entries.h"
#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/models/batch/predicted_text.h"
#include "sotto/models/tide/tide_model_file.h"
#include "sotto/online/shared_options.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using Said = std::vector<std::pair<std::string, std::string>>;

Settings ParseSettings(const Said& said) {
  Settings settings(
      ConcatOptions({PrivacyOptions(), StreamOptions(), TideEntry().options}));
  for (const auto& [name, text] : said) {
    const Status set = settings.Set(name, text);
    EXPECT_TRUE(set) << set.error().message;
  }
  return settings;
}

const Said kQuick = {{"epsilon", "16"},
                     {"delta", "0.001"},
                     {"start-rows", "50"},
                     {"batch", "10"}};

InputSpec Table() {
  InputSpec inputs{.features = 4, .dense = 4};
  inputs.schema = std::make_shared<Schema>(*Schema::Parse(
      R"({"columns": [
          {"name": "kind", "type": "category", "values": ["a", "b", "c"]},
          {"name": "size", "type": "number", "range": [0, 1]}]})",
      "schema"));
  return inputs;
}

ModelRequest MakeRequest(const Settings& settings, const InputSpec& inputs) {
  return {settings,
          inputs,
          {settings.GetDouble("epsilon"), settings.GetDouble("delta")}};
}

NoiseHistory MakeHistory(std::uint64_t seed) {
  testing::SeededRng rng(seed);
  std::array<std::byte, Key::kBytes> bytes{};
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(rng.Next());
  const Key key = Key::FromBytes(bytes);
  return NoiseHistory(key.Derive("noise-v1", "test", {}),
                      key.Derive("hash-v1", "test", {}));
}

std::vector<Round> Stream(std::size_t rounds) {
  testing::SeededRng rng(11);
  std::vector<Round> stream(rounds);
  for (std::size_t i = 0; i < rounds; ++i) {
    const double u = std::ldexp(static_cast<double>(rng.Next() >> 11), -53);
    const auto kind = static_cast<std::uint32_t>(rng.Next() % 3);
    stream[i].x = {{kind, 1}, {3, u}};
    if (i % 7 != 0) stream[i].y = kind == 0 || u > 0.8;
  }
  return stream;
}

std::string Saved(OnlineModel& model) {
  ByteWriter writer;
  EXPECT_TRUE(model.Save(writer));
  return std::move(writer).bytes();
}

TEST(TideEntryTest, PlayEqualsOpenAndCloseInTurn) {
  const Settings settings = ParseSettings(kQuick);
  const InputSpec inputs = Table();
  auto one = TideEntry().create(MakeRequest(settings, inputs));
  auto other = TideEntry().create(MakeRequest(settings, inputs));
  ASSERT_TRUE(one && other);
  auto played = Stream(400);
  auto opened = played;
  NoiseHistory history = MakeHistory(1);
  EXPECT_EQ(*(*one)->Play(played, history), played.size());
  NoiseHistory same = MakeHistory(1);
  for (Round& round : opened) {
    round.phase = (*other)->phase();
    auto open = (*other)->Open(round.x, "", same.Begin(round));
    ASSERT_TRUE(open);
    round.prediction = open->prediction;
    round.probability = open->probability;
    round.paid = open->paid;
    if (!round.y) continue;
    same.AddLabel(same.rounds(), *round.y);
    ASSERT_TRUE((*other)->Close(std::move(open->open), *round.y));
  }
  EXPECT_EQ(played, opened);
  EXPECT_EQ(Saved(**one), Saved(**other));
  const std::string state = Saved(**one);
  ByteReader reader(state);
  auto loaded = TideEntry().load(MakeRequest(settings, inputs), reader);
  ASSERT_TRUE(loaded && reader.Finish());
  EXPECT_EQ(Saved(**loaded), state);
}

Json Learned(const InputSpec& inputs) {
  const Settings settings = ParseSettings(kQuick);
  auto model = TideEntry().create(MakeRequest(settings, inputs));
  auto stream = Stream(2000);
  NoiseHistory history = MakeHistory(2);
  EXPECT_TRUE((*model)->Play(stream, history));
  Json json = *(*model)->hypothesis();
  json["model"] = "tide";
  return *Json::Parse(json.Dump());
}

TEST(TideEntryTest, PublishedWeightsAreReadBackAndShown) {
  const Json json = Learned(Table());
  const auto model = TideFromJson(json);
  ASSERT_TRUE(model) << model.error().message;
  const FeatureVector yes = {{0, 1}, {3, 0.3}};
  const FeatureVector no = {{1, 1}, {3, 0.3}};
  EXPECT_TRUE(model->hypothesis.Predict(yes).prediction.positive());
  EXPECT_FALSE(model->hypothesis.Predict(no).prediction.positive());
  const auto text = TideEntry().file->show(json);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("kind"), std::string::npos);
  EXPECT_NE(text->find("####"), std::string::npos);
  const double epsilon = *json.Find("guarantee")->Find("epsilon")->number();
  EXPECT_EQ(epsilon, 16);
}

TEST(TideEntryTest, PublishedWeightsPredictATable) {
  const Json json = Learned(Table());
  const std::string path = ::testing::TempDir() + "tide_row_test.csv";
  std::ofstream(path) << "size,kind,y\n0.3,a,1\n0.3,b,0\n0.3,c,1\n";
  const ModelFileFormat& tide = *TideEntry().file;
  EXPECT_EQ(PredictedText(tide, json, {.path = path}), "1 0 0!");
  EXPECT_EQ(PredictedText(tide, json, {.path = path}, false), "1 0 0");
  EXPECT_EQ(PredictedText(tide, json, {.path = path, .labels = "no,yes"}),
            "yes no no");  // the table has other labels
  std::ofstream(path) << "size,kind,y\n0.3,z,1\n";
  EXPECT_NE(PredictedText(tide, json, {.path = path}).find("column 'kind'"),
            std::string::npos);
  // A blank row and a skipped one get no prediction.
  std::ofstream(path) << "size,kind,y\n0.3,z,1\n\n0.3,a,1\n";
  EXPECT_EQ(PredictedText(tide, json, {.path = path, .skip_bad = true}),
            "? ? 1");
  // The labels of the table in all their spellings, and one that is none.
  std::ofstream(path) << "size,kind,y\n0.3,a,true\n0.3,b,false\n0.3,a,-1\n"
                         "0.3,a,maybe\n";
  EXPECT_EQ(PredictedText(tide, json, {.path = path}), "1 0 1! 1");
  std::remove(path.c_str());
}

TEST(TideEntryTest, WithoutASchemaColumnsGoByTheirPlaces) {
  const Json json = Learned({.features = 4, .dense = 4});
  const auto model = TideFromJson(json);
  ASSERT_TRUE(model);
  const std::string path = ::testing::TempDir() + "tide_places_test.csv";
  std::ofstream(path) << "p,q,y,r,s\n1,0,1,0,0.3\n0,1,1,0,0.3\n";
  const ModelFileFormat& tide = *TideEntry().file;
  EXPECT_EQ(PredictedText(tide, json, {.path = path}), "1 0!");
  std::ofstream(path) << "p,q,r,y\n1,0,0,1\n";
  EXPECT_NE(PredictedText(tide, json, {.path = path}).find("these rows have 3"),
            std::string::npos);
  std::ofstream(path) << "p,q,r,s\n1,0,0,red\n";
  EXPECT_NE(PredictedText(tide, json, {.path = path}).find("column 's'"),
            std::string::npos);
  std::remove(path.c_str());
}

TEST(TideEntryTest, DamagedModelsAreRefused) {
  Json json = Learned(Table());
  json["groups"] = Json::Array{};
  EXPECT_FALSE(TideFromJson(json));
  EXPECT_FALSE(TideFromJson(Json::Object{}));
}

TEST(TideEntryTest, AFileSaysItsVersionAndOthersAreRefused) {
  Json json = Learned(Table());
  ASSERT_NE(json.Find("version"), nullptr);
  EXPECT_EQ(json.Find("version")->natural(), 1U);
  for (const Json& other : {Json(0), Json(2), Json(99), Json("1")}) {
    json["version"] = other;
    const auto refused = TideFromJson(json);
    ASSERT_FALSE(refused) << other.Dump();
    EXPECT_NE(refused.error().message.find("this program reads version 1"),
              std::string::npos);
  }
  // Files of earlier programs have none.
  std::string old = Learned(Table()).Dump();
  const std::string member = "\"version\":1,";
  ASSERT_NE(old.find(member), std::string::npos);
  old.erase(old.find(member), member.size());
  EXPECT_TRUE(TideFromJson(*Json::Parse(old)));
}

TEST(TideEntryTest, PairsDoNotDependOnTheHorizon) {
  InputSpec inputs = Table();
  const auto pairs = [&](const std::string& horizon, const std::string& word) {
    Said said = kQuick;
    said.emplace_back("horizon", horizon);
    said.emplace_back("pairs", word);
    const auto plan = TideEntry().plan(ParseSettings(said), &inputs);
    EXPECT_TRUE(plan);
    return *plan->parameters.Find("pairs")->boolean();
  };
  EXPECT_TRUE(pairs("1000", "auto"));
  EXPECT_TRUE(pairs("20000", "auto"));
  EXPECT_TRUE(pairs("1000", "on"));
  EXPECT_FALSE(pairs("20000", "off"));
  inputs.label = {.kind = LabelType::Kind::kClasses, .names = {"a", "b", "c"}};
  EXPECT_FALSE(pairs("20000", "auto"));
  EXPECT_TRUE(pairs("20000", "on"));
  inputs.label = {.kind = LabelType::Kind::kNumber, .low = 0, .high = 1};
  EXPECT_FALSE(pairs("20000", "auto"));
}

TEST(TideEntryTest, APlanSaysWhatCannotBeForecast) {
  const InputSpec inputs = Table();
  const auto plan = TideEntry().plan(
      ParseSettings({{"epsilon", "1"}, {"delta", "1e-6"}, {"horizon", "500"}}),
      &inputs);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->verdict, Verdict::kHopeless);
  EXPECT_FALSE(plan->mistakes_expected);
  EXPECT_EQ(plan->caveats.size(), 1U);
  EXPECT_FALSE(TideEntry().plan(
      ParseSettings({{"epsilon", "1"}, {"delta", "0"}}), &inputs));
}

}  // namespace
}  // namespace sotto
