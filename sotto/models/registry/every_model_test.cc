// Tests of every online model, by its entry of the registry alone: a new model
// joins by being listed.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "sotto/models/batch/table_predictor.h"
#include "sotto/models/registry/every_model_test_tools.h"
#include "sotto/models/registry/registry.h"
#include "sotto/online/session.h"
#include "sotto/online/shared_options.h"
#include "sotto/testing/scratch_folder.h"

namespace sotto {
namespace {

constexpr std::size_t kRounds = 400;

Key TestKey() {
  std::array<std::byte, Key::kBytes> bytes{};
  bytes[0] = std::byte{9};
  return Key::FromBytes(bytes);
}

// Features in {-1, 1}; sometimes an empty round, a bad row, a user who came
// before, a missing label.
std::vector<Round> Stream() {
  std::vector<Round> rounds;
  for (std::size_t i = 0; i < kRounds; ++i) {
    Round round;
    for (std::uint32_t j = 0; j < kTestFeatures; ++j) {
      round.x.push_back({j, (i * 2654435761U >> (7 + j)) % 2 == 0 ? 1. : -1.});
    }
    if (i % 5 != 0) round.y = Label(round.x[0].value > 0);
    if (i % 7 == 0) round.user = "user" + std::to_string(i / 14);
    if (i % 11 == 0) round.presence = Presence::kAbsent;
    if (i % 13 == 0) round.presence = Presence::kUnusable;
    if (!round.present()) {
      round.x.clear();
      round.y.reset();
    }
    rounds.push_back(std::move(round));
  }
  return rounds;
}

// Training set for models that take one: every kind of row.
RoundSource LabelledSet() {
  return [rounds = Stream(),
          next = std::size_t{0}](Round& round) mutable -> Result<bool> {
    if (next == rounds.size()) return false;
    round = rounds[next++];
    round.user.clear();
    return true;
  };
}

class EveryModelTest
    : public ::testing::TestWithParam<const OnlineModelEntry*> {
 protected:
  const OnlineModelEntry& entry() const { return *GetParam(); }
  // A new session. Planning takes time, so only the first of its kind is made;
  // the others are read from its state, which says the same.
  std::unique_ptr<Session> Make(const Settings& settings) {
    std::string& fresh = fresh_[settings.ToSavedJson().Dump()];
    auto made =
        fresh.empty()
            ? Session::Create(entry(), settings, TestInputs(entry()), TestKey())
            : Session::Load(entry(), settings, TestInputs(entry()), fresh);
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
    if (!made) return nullptr;
    if (entry().needs_training_set && fresh.empty()) {
      EXPECT_TRUE((*made)->Train(LabelledSet()));
    }
    ByteWriter writer;
    EXPECT_TRUE((*made)->Save(writer));
    fresh = writer.bytes();
    return *std::move(made);
  }
  std::unique_ptr<Session> Reload(Session& session) const {
    ByteWriter writer;
    EXPECT_TRUE(session.Save(writer));
    const auto head = Session::ReadHead(writer.bytes());
    EXPECT_TRUE(head);
    Settings settings(MakeExample(entry()).table());
    EXPECT_TRUE(settings.Adopt(head->settings));
    auto loaded =
        Session::Load(entry(), settings, TestInputs(entry()), writer.bytes());
    EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().message);
    return loaded ? *std::move(loaded) : nullptr;
  }

 private:
  std::map<std::string, std::string> fresh_;
};

TEST_P(EveryModelTest, ItsExampleMakesASessionThatKnowsItsGuarantee) {
  auto session = Make(MakeExample(entry()));
  ASSERT_NE(session, nullptr);
  EXPECT_FALSE(session->guarantee().Describe().empty());
  EXPECT_FALSE(session->model().Summary().empty());
}

TEST_P(EveryModelTest, SaysOfARoundThatItIsLeftEmptyNeverThatItIsRemoved) {
  Settings settings = MakeExample(entry());
  ASSERT_TRUE(settings.Set("relation", "add-remove"));
  auto session = Make(settings);
  ASSERT_NE(session, nullptr);
  const std::string promise = session->guarantee().Describe();
  EXPECT_NE(promise.find("left empty in its place"), std::string::npos)
      << promise;
  EXPECT_EQ(promise.find("removed"), std::string::npos) << promise;
  EXPECT_TRUE(session->model().guarantee().in_rounds());
}

TEST_P(EveryModelTest, AResumedRunEqualsOneThatWasNeverStopped) {
  for (const char* delay : {"0", "3"}) {
    Settings settings = MakeExample(entry());
    ASSERT_TRUE(settings.Set("label-delay", delay));
    std::vector<Round> whole = Stream();
    auto uninterrupted = Make(settings);
    ASSERT_NE(uninterrupted, nullptr);
    const auto played = uninterrupted->Play(whole);
    ASSERT_TRUE(played);
    for (const std::size_t stop :
         {std::size_t{0}, std::size_t{1}, std::size_t{77}, kRounds - 1}) {
      std::vector<Round> rounds = Stream();
      auto session = Make(settings);
      ASSERT_TRUE(session->Play(std::span(rounds).first(stop)));
      session = Reload(*session);
      ASSERT_NE(session, nullptr);
      ASSERT_TRUE(session->Play(std::span(rounds).subspan(stop)));
      EXPECT_EQ(rounds, whole) << "stopped at " << stop;
      EXPECT_EQ(session->stats(), uninterrupted->stats());
      EXPECT_EQ(session->Hypothesis(), uninterrupted->Hypothesis());
    }
  }
}

TEST_P(EveryModelTest, RoundsPlayedTogetherEqualRoundsPlayedOneByOne) {
  const Settings settings = MakeExample(entry());
  std::vector<Round> together = Stream();
  std::vector<Round> alone = Stream();
  auto a = Make(settings);
  auto b = Make(settings);
  ASSERT_TRUE(a->Play(together));
  for (Round& round : alone) ASSERT_TRUE(b->Play(std::span(&round, 1)));
  EXPECT_EQ(together, alone);
}

TEST_P(EveryModelTest, EmptyRoundsOfAllKindsAreTheSameToEverybodyElse) {
  const Settings settings = MakeExample(entry());
  std::vector<Round> first = Stream();
  first[100] = {.presence = Presence::kAbsent};
  auto a = Make(settings);
  ASSERT_TRUE(a->Play(first));
  for (int kind = 0; kind < 3; ++kind) {
    std::vector<Round> second = Stream();
    if (kind == 0) second[100] = {.presence = Presence::kUnusable};
    if (kind == 1) second[100] = {.x = {{kTestFeatures, 1}}};
    if (kind == 2) second[100] = {.x = {{0, std::nan("")}}, .y = Label(true)};
    auto b = Make(settings);
    ASSERT_TRUE(b->Play(second));
    for (std::size_t i = 0; i < kRounds; ++i) {
      if (i != 100) {
        EXPECT_EQ(first[i], second[i]) << i;
      }
    }
    EXPECT_EQ(a->rounds(), b->rounds());
    EXPECT_EQ(a->phase(), b->phase());
    EXPECT_EQ(a->Hypothesis(), b->Hypothesis());
  }
}

TEST_P(EveryModelTest, TheClockCountsEveryRoundAndSoDoesWhatIsPublished) {
  auto session = Make(MakeExample(entry()));
  std::vector<Round> rounds = Stream();
  const auto played = session->Play(rounds);
  ASSERT_TRUE(played);
  EXPECT_EQ(session->rounds(), *played);
  const auto published = session->Hypothesis();
  if (!published) return;
  const Json* clock = published->Find("rounds");
  ASSERT_NE(clock, nullptr);
  EXPECT_EQ(clock->natural(), *played);
  EXPECT_NE(published->Find("guarantee"), nullptr);
  for (const ModelFileFormat* reader : PublishedModels()) {
    if (reader->name == entry().name) {
      EXPECT_TRUE(reader->show(*published));
    }
  }
}

// The rows of the stream as a table.
std::string WriteTable(const InputSpec& inputs,
                       const testing::ScratchFolder& folder) {
  std::ostringstream text;
  for (std::uint32_t j = 0; j < inputs.features; ++j) {
    text << (j == 0 ? "" : ",");
    if (j < inputs.names.size()) {
      text << inputs.names[j];
    } else {
      text << 'c' << j + 1;
    }
  }
  text << '\n';
  for (const Round& round : Stream()) {
    for (std::uint32_t j = 0; j < inputs.features && round.present(); ++j) {
      text << (j == 0 ? "" : ",") << ValueAt(round.x, j);
    }
    text << '\n';
  }
  folder.Write("t.csv", text.str());
  return folder.path("t.csv");
}

TEST_P(EveryModelTest, FreeAnswersAreThoseOfTheFileItPublishes) {
  auto session = Make(MakeExample(entry()));
  std::vector<Round> rounds = Stream();
  ASSERT_TRUE(session->Play(rounds));
  const FeatureVector x = {{0, 1}};
  const bool publishes = entry().file != nullptr;
  EXPECT_EQ(session->model().PredictPublished(x).has_value(), publishes);
  if (!publishes) return;
  EXPECT_FALSE(session->halted());
  const auto model = entry().file->read(*session->Hypothesis());
  ASSERT_TRUE(model) << model.error().message;
  const testing::ScratchFolder folder;
  const std::string path = WriteTable(TestInputs(entry()), folder);
  auto table = TablePredictor::Open(*model, {.path = path, .skip_bad = true},
                                    /*with_labels=*/false);
  ASSERT_TRUE(table) << table.error().message;
  TablePredictor::Row row;
  for (const Round& round : Stream()) {
    ASSERT_TRUE(table->Next(row));
    if (!row.answer) continue;
    const auto answer = session->model().PredictPublished(round.x);
    EXPECT_EQ(row.answer->prediction, answer->prediction);
    EXPECT_EQ(row.answer->probability, answer->probability);
  }
}

TEST_P(EveryModelTest, AnswersHaveProbabilitiesIfItsEntrySaysSo) {
  auto session = Make(MakeExample(entry()));
  std::vector<Round> rounds = Stream();
  ASSERT_TRUE(session->Play(std::span(rounds).first(200)));
  ASSERT_TRUE(session->Open(rounds[200]));
  for (const Round& round : std::span(rounds).first(201)) {
    EXPECT_EQ(round.probability.has_value(),
              round.prediction.has_value() && entry().probabilities);
  }
}

TEST_P(EveryModelTest, LabelsByTicketTeachInAnyOrder) {
  auto session = Make(MakeExample(entry()));
  std::vector<std::string> tickets;
  for (Round& round : Stream()) {
    if (session->halted()) break;
    const auto ticket = session->Open(round);
    ASSERT_TRUE(ticket);
    if (*ticket) tickets.push_back(**ticket);
  }
  session = Reload(*session);
  for (std::size_t i = tickets.size(); i-- > 0;) {
    const auto closed = session->Close(tickets[i], Label(i % 2 == 0));
    ASSERT_TRUE(closed);
    EXPECT_EQ(*closed, TicketedRounds::Outcome::kTaken);
  }
}

// Asks about every round and labels it at once, the first one in the end; with
// `play`, every other run of rounds is played instead.
std::vector<Round> AskAndPlay(Session& session, bool play) {
  std::vector<Round> rounds = Stream();
  std::string waiting;
  for (std::size_t i = 0; i < rounds.size() && !session.halted(); ++i) {
    const bool as_row = play && i > 20 && i / 40 % 2 == 1;
    if (as_row) {
      EXPECT_TRUE(session.Play(std::span(&rounds[i], 1)));
      continue;
    }
    const std::optional<Label> y = rounds[i].y;
    const auto ticket = session.Open(rounds[i]);
    EXPECT_TRUE(ticket);
    rounds[i].y = rounds[i].prediction ? y : std::nullopt;
    if (!*ticket) continue;
    if (waiting.empty()) {
      waiting = **ticket;
    } else if (y) {
      EXPECT_TRUE(session.Close(**ticket, *y));
    }
  }
  EXPECT_TRUE(session.Close(waiting, Label(true)));
  return rounds;
}

TEST_P(EveryModelTest, RowsThatArePlayedAndTicketsMayAlternate) {
  auto a = Make(MakeExample(entry()));
  auto b = Make(MakeExample(entry()));
  EXPECT_EQ(AskAndPlay(*a, false), AskAndPlay(*b, true));
  EXPECT_EQ(a->Hypothesis(), b->Hypothesis());
  EXPECT_EQ(a->stats().now.mistakes, b->stats().now.mistakes);
}

TEST_P(EveryModelTest, DamagedStatesAreRefusedOrLoadedButNeverCrash) {
  auto session = Make(MakeExample(entry()));
  std::vector<Round> rounds = Stream();
  ASSERT_TRUE(session->Play(std::span(rounds).first(50)));
  ByteWriter writer;
  ASSERT_TRUE(session->Save(writer));
  const std::string& state = writer.bytes();
  const Settings settings = MakeExample(entry());
  const std::size_t step = std::max<std::size_t>(1, state.size() / 40);
  for (std::size_t i = 0; i < state.size(); i += step) {
    EXPECT_FALSE(Session::Load(entry(), settings, TestInputs(entry()),
                               std::string_view(state).substr(0, i)));
    std::string damaged = state;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    const auto loaded =
        Session::Load(entry(), settings, TestInputs(entry()), damaged);
    static_cast<void>(loaded.has_value());
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryModelTest,
                         ::testing::ValuesIn(OnlineModels()),
                         [](const auto& tested) {
                           std::string name(tested.param->name);
                           for (char& c : name) {
                             if (c == '-') c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace sotto
