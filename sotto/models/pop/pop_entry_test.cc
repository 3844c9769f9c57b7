#include "sotto/models/pop/pop_entry.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "sotto/models/adapter/entries.h"
#include "sotto/models/pop/pop_test_tools.h"
#include "sotto/online/shared_options.h"
#include "sotto/testing/scratch_folder.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using Said = std::vector<std::pair<std::string, std::string>>;

// A brisk pop with phases of about a hundred rounds.
const Said kByHand = {{"epsilon", "16"}, {"delta", "0.4"}, {"copies", "15"},
                      {"gap", "2"},      {"reports", "8"}, {"stopper", "1"}};

Settings ParseSettings(const Said& said) {
  Settings settings(
      ConcatOptions({PrivacyOptions(), StreamOptions(), PopEntry().options}));
  for (const auto& [name, text] : said) {
    const Status set = settings.Set(name, text);
    EXPECT_TRUE(set) << set.error().message;
  }
  return settings;
}

Settings ExplicitSettings(const Said& more = {}) {
  Said said = kByHand;
  said.insert(said.end(), more.begin(), more.end());
  return ParseSettings(said);
}

const InputSpec kOneNumber = {.features = 1, .dense = 1};

ModelRequest MakeRequest(const Settings& settings,
                         const InputSpec& inputs = kOneNumber) {
  return {settings,
          inputs,
          {settings.GetDouble("epsilon"), settings.GetDouble("delta")}};
}

std::unique_ptr<OnlineModel> MustCreate(const Settings& settings) {
  auto model = PopEntry().create(MakeRequest(settings));
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

// Every `named`-th round has a name, every `unlabelled`-th no label.
std::vector<Round> Stream(std::size_t rounds, std::size_t named,
                          std::size_t unlabelled) {
  testing::SeededRng rng(11);
  std::vector<Round> stream(rounds);
  for (std::size_t i = 0; i < rounds; ++i) {
    const double value = static_cast<double>(rng.Next() >> 11) * 0x1p-53;
    stream[i].x = {{0, value}};
    if (named != 0 && i % named == 0) stream[i].user = std::to_string(i);
    if (unlabelled == 0 || i % unlabelled != 0) stream[i].y = value >= 0.37;
  }
  return stream;
}

std::string Saved(OnlineModel& model, const NoiseHistory& history) {
  ByteWriter writer;
  EXPECT_TRUE(model.Save(writer));
  history.Save(writer);
  return std::move(writer).bytes();
}

// One after the other, by Open and Close.
void PlayOneByOne(OnlineModel& model, std::span<Round> rounds,
                  NoiseHistory& history) {
  for (Round& round : rounds) {
    round.phase = model.phase();
    auto opened = model.Open(round.x, round.user, history.Begin(round));
    ASSERT_TRUE(opened);
    round.prediction = opened->prediction;
    round.paid = opened->paid;
    if (!round.y) continue;
    history.AddLabel(history.rounds(), *round.y);
    ASSERT_TRUE(model.Close(std::move(opened->open), *round.y));
  }
}

TEST(PopEntryTest, PlayEqualsOpenAndCloseInTurn) {
  for (const bool pinned : {false, true}) {
    const Settings settings =
        pinned
            ? ExplicitSettings({{"pin-users", "on"}, {"hand-over", "restart"}})
            : ExplicitSettings({{"agnostic", "20"}});
    const auto stream = Stream(1500, 9, 7);
    auto single = MustCreate(settings);
    ByteWriter fresh;
    ASSERT_TRUE(single->Save(fresh));
    auto expected = stream;
    NoiseHistory single_history = MakeHistory(1);
    PlayOneByOne(*single, expected, single_history);
    EXPECT_GE(single->phase(), 5U);
    for (const std::size_t batch : {1U, 3U, 200U, 1500U}) {
      ByteReader reader(fresh.bytes());
      auto loaded = PopEntry().load(MakeRequest(settings), reader);
      ASSERT_TRUE(loaded);
      const auto model = *std::move(loaded);
      auto rounds = stream;
      NoiseHistory history = MakeHistory(1);
      for (std::size_t done = 0; done < rounds.size();) {
        const auto rest = std::span(rounds).subspan(done);
        const auto played =
            model->Play(rest.first(std::min(batch, rest.size())), history);
        ASSERT_TRUE(played);
        done += *played;
      }
      EXPECT_EQ(rounds, expected) << batch;
      EXPECT_EQ(Saved(*model, history), Saved(*single, single_history));
    }
  }
}

TEST(PopEntryTest, AResumedModelGoesOnAsIfItHadNeverStopped) {
  const Settings settings = ExplicitSettings({{"horizon", "1000"}});
  auto stream = Stream(600, 0, 5);
  auto again = stream;
  auto whole = MustCreate(settings);
  auto parts = MustCreate(settings);
  NoiseHistory first = MakeHistory(2);
  NoiseHistory second = MakeHistory(2);
  PlayOneByOne(*whole, stream, first);
  for (std::size_t i = 0; i < again.size(); ++i) {
    Round& round = again[i];
    auto opened = parts->Open(round.x, round.user, second.Begin(round));
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->prediction, *stream[i].prediction);
    if (i % 40 == 13) {
      ByteWriter writer;
      ASSERT_TRUE(parts->Save(writer));
      opened->open->Save(writer);
      const auto forecast = parts->forecast();
      ByteReader reader(writer.bytes());
      auto loaded = PopEntry().load(MakeRequest(settings), reader);
      ASSERT_TRUE(loaded) << loaded.error().message;
      parts = *std::move(loaded);
      auto open = parts->LoadRound(reader);
      ASSERT_TRUE(open);
      ASSERT_TRUE(reader.Finish());
      opened->open = *std::move(open);
      EXPECT_EQ(parts->forecast(), forecast);
    }
    if (!round.y) continue;
    second.AddLabel(second.rounds(), *round.y);
    ASSERT_TRUE(parts->Close(std::move(opened->open), *round.y));
  }
  EXPECT_EQ(Saved(*parts, second), Saved(*whole, first));
}

// The library's own threshold learner, as a host would bring it.
HostLearner MakeHostLearner(const std::string& text) {
  return {.text = text,
          .assumption = "Assumption: none.",
          .copies = [](const InputSpec&) -> Result<EnsembleFactory> {
            return PlainThresholds();
          }};
}

TEST(PopEntryTest, ALearnerOfTheHostsIsAnsweredForAsOneOfOurs) {
  const OnlineModelEntry entry =
      PopEntryOver(MakeHostLearner("python:Thresholds"));
  const Said same = {{"noise-scale", "1.5"}, {"active-share", "0.5"}};
  Said hosted = same;
  hosted.emplace_back("learner", "python:Thresholds");
  auto model = entry.create(MakeRequest(ExplicitSettings(hosted)));
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ((*model)->caveats(), std::vector<std::string>{"Assumption: none."});
  auto expected = Stream(600, 0, 5);
  auto rounds = expected;
  NoiseHistory first = MakeHistory(3);
  NoiseHistory second = MakeHistory(3);
  auto ours = MustCreate(ExplicitSettings(same));
  PlayOneByOne(*ours, expected, first);
  PlayOneByOne(**model, rounds, second);
  EXPECT_GE((*model)->phase(), 2U);
  EXPECT_EQ(rounds, expected);
}

TEST(PopEntryTest, ALearnerOfTheHostsIsRefusedWithoutIt) {
  const Settings settings =
      ExplicitSettings({{"learner", "python:Thresholds"}});
  const auto alone = PopEntry().create(MakeRequest(settings));
  ASSERT_FALSE(alone);
  EXPECT_NE(alone.error().message.find("sotto.Pop(learner=...)"),
            std::string::npos);
  const OnlineModelEntry entry = PopEntryOver(MakeHostLearner("python:Others"));
  EXPECT_FALSE(entry.create(MakeRequest(settings)));
}

TEST(PopEntryTest, ADamagedStateIsRefused) {
  const Settings settings = ExplicitSettings();
  auto model = MustCreate(settings);
  ByteWriter writer;
  ASSERT_TRUE(model->Save(writer));
  for (std::size_t size = 0; size < writer.bytes().size(); size += 7) {
    const std::string cut = writer.bytes().substr(0, size);
    ByteReader reader(cut);
    EXPECT_FALSE(PopEntry().load(MakeRequest(settings), reader)) << size;
  }
  const Settings other = ExplicitSettings({{"learner", "interval"}});
  ByteReader reader(writer.bytes());
  const auto loaded = PopEntry().load(MakeRequest(other), reader);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().message, "the state was made with another learner");
}

TEST(PopEntryTest, AForgedRoundWithMoreFeaturesThanTheStreamIsRefused) {
  const Settings settings = ExplicitSettings({{"learner", "stump"}});
  const InputSpec narrow = {.features = 1, .dense = 1};
  const InputSpec wide = {.features = 9, .dense = 9};
  NoiseHistory history = MakeHistory(4);
  auto model = PopEntry().create(MakeRequest(settings, wide));
  ASSERT_TRUE(model) << model.error().message;
  const Round round{.x = {{8, 0.5}}};
  auto opened = (*model)->Open(round.x, "", history.Begin(round));
  ASSERT_TRUE(opened);
  ByteWriter writer;
  opened->open->Save(writer);
  ByteReader again(writer.bytes());
  EXPECT_TRUE((*model)->LoadRound(again));
  auto other = PopEntry().create(MakeRequest(settings, narrow));
  ASSERT_TRUE(other) << other.error().message;
  ByteReader forged(writer.bytes());
  const auto loaded = (*other)->LoadRound(forged);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kCorruption);
}

// Fifteen copies that always say no.
constexpr const char* kProgram = R"(
while read -r line; do
  case "$line" in
    *predict*) echo '{"votes":"000000000000000"}' ;;
    *save*) echo '{"state":"s"}' ;;
    *) echo '{"ok":true}' ;;
  esac
done
)";

TEST(PopEntryTest, ACommandThatIsNotUtf8IsKeptByteForByte) {
  const testing::ScratchFolder folder;
  folder.Write("learner.sh", kProgram);
  const std::string command =
      "exec:sh " + folder.path("learner.sh") + " caf\xe9";
  const Settings settings = ExplicitSettings({{"learner", command}});
  auto model = MustCreate(settings);
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->caveats().size(), 1U);
  ByteWriter writer;
  ASSERT_TRUE(model->Save(writer));
  EXPECT_NE(writer.bytes().find("caf\xe9"), std::string::npos);
  const auto kept = Json::Parse(settings.ToSavedJson().Dump());
  ASSERT_TRUE(kept);
  Settings adopted(settings.table());
  ASSERT_TRUE(adopted.Adopt(*kept));
  EXPECT_NE(adopted.Text("learner"), command);
  ByteReader reader(writer.bytes());
  const auto loaded = PopEntry().load(MakeRequest(adopted), reader);
  ASSERT_TRUE(loaded) << loaded.error().message;
  ByteWriter again;
  ASSERT_TRUE((*loaded)->Save(again));
  EXPECT_EQ(again.bytes(), writer.bytes());
}

TEST(PopEntryTest, PinningUsersSaysWhatElseToSay) {
  const auto model = PopEntry().create(MakeRequest(
      ExplicitSettings({{"pin-users", "on"}, {"rounds-per-user", "10"}})));
  ASSERT_FALSE(model);
  EXPECT_NE(model.error().message.find("say --handover restart, or halt"),
            std::string::npos);
}

TEST(PopEntryTest, AnEmptyRoundIsNeverPaidFor) {
  auto model = MustCreate(ExplicitSettings());
  NoiseHistory history = MakeHistory(3);
  for (int i = 0; i < 50; ++i) {
    const auto paid =
        model->PlayEmptyRound(history.Begin({.presence = Presence::kAbsent}));
    ASSERT_TRUE(paid);
    EXPECT_FALSE(*paid);
  }
}

TEST(PopEntryTest, TheGuaranteeSpeaksOfTheRelationThatWasAskedFor) {
  EXPECT_EQ(MustCreate(ExplicitSettings())->guarantee().relation(),
            Relation::kReplace);
  const auto empty = MustCreate(ExplicitSettings({{"relation", "add-remove"}}));
  EXPECT_EQ(empty->guarantee().relation(), Relation::kAddRemove);
  EXPECT_EQ(empty->guarantee().epsilon(), 16);
}

}  // namespace
}  // namespace sotto
