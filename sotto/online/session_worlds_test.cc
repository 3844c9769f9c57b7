// Every short stream, and every neighbour of it: what one user's rounds hold
// reaches the model at that user's admitted rounds only.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/online/session.h"
#include "sotto/online/session_test_model.h"

namespace sotto {
namespace {

using testing::RecordedCalls;
using testing::RecordingEntry;

Key TestKey() {
  std::array<std::byte, Key::kBytes> bytes{};
  bytes[0] = std::byte{7};
  return Key::FromBytes(bytes);
}

// The possible contents of a round: two values, a label or none, nothing, or a
// row that cannot be used (a feature beyond the number there are).
std::vector<Round> Contents() {
  return {{.x = {{0, 1}}, .y = Label(true)},
          {.x = {{0, 2}}},
          {.presence = Presence::kAbsent},
          {.x = {{9, 1}}, .y = Label(false)}};
}

constexpr std::array<const char*, 3> kNames = {"", "a", "b"};

// A stream: names (public), and what each round holds (private).
struct Stream {
  std::vector<std::size_t> names;
  std::vector<std::size_t> contents;
};

std::vector<Round> MakeRounds(const Stream& stream) {
  std::vector<Round> rounds;
  for (std::size_t i = 0; i < stream.names.size(); ++i) {
    Round round = Contents()[stream.contents[i]];
    round.user = kNames[stream.names[i]];
    rounds.push_back(std::move(round));
  }
  return rounds;
}

// The calls that reach the model, a list for each round.
using Calls = std::vector<std::vector<std::string>>;

Settings MakeSettings(int cap) {
  Settings settings(testing::SessionTable(RecordingEntry()));
  EXPECT_TRUE(settings.Set("epsilon", "1"));
  EXPECT_TRUE(settings.Set("delta", "1e-6"));
  EXPECT_TRUE(settings.Set("rounds-per-user", std::to_string(cap)));
  return settings;
}

Calls Play(const Stream& stream, int cap) {
  std::vector<std::string> calls;
  RecordedCalls() = &calls;
  auto session = Session::Create(RecordingEntry(), MakeSettings(cap),
                                 {.features = 3}, TestKey());
  EXPECT_TRUE(session);
  Calls ticks;
  for (Round& round : MakeRounds(stream)) {
    calls.clear();
    EXPECT_TRUE((*session)->Play(std::span(&round, 1)));
    ticks.push_back(calls);
  }
  return ticks;
}

// The same with a state after every round: saved, and loaded by the next
// session. Rounds have tickets, and labels come after the state.
Calls PlayThroughStates(const Stream& stream, int cap) {
  std::vector<std::string> calls;
  RecordedCalls() = &calls;
  auto session = Session::Create(RecordingEntry(), MakeSettings(cap),
                                 {.features = 3}, TestKey());
  EXPECT_TRUE(session);
  Calls ticks;
  for (Round& round : MakeRounds(stream)) {
    calls.clear();
    const std::optional<Label> y = round.y;
    const auto ticket = (*session)->Open(round);
    EXPECT_TRUE(ticket);
    ByteWriter state;
    EXPECT_TRUE((*session)->Save(state));
    session = Session::Load(RecordingEntry(), MakeSettings(cap),
                            {.features = 3}, state.bytes());
    EXPECT_TRUE(session);
    if (*ticket && y) {
      EXPECT_TRUE((*session)->Close(**ticket, *y));
    }
    ticks.push_back(calls);
  }
  return ticks;
}

// The broken variant: the next session is a new one, which has forgotten who
// came.
Calls PlayForgetfully(const Stream& stream, int cap) {
  Calls ticks;
  for (std::size_t i = 0; i < stream.names.size(); ++i) {
    const Stream one{{stream.names[i]}, {stream.contents[i]}};
    ticks.push_back(Play(one, cap)[0]);
  }
  return ticks;
}

// The same for a model that starts from a training set, here the first two
// rows: one call for each of them.
Calls PlayTrained(const Stream& stream, int cap) {
  std::vector<std::string> calls;
  RecordedCalls() = &calls;
  auto session = Session::Create(testing::TrainedEntry(), MakeSettings(cap),
                                 {.features = 3}, TestKey());
  EXPECT_TRUE(session);
  std::vector<Round> rounds = MakeRounds(stream);
  EXPECT_TRUE((*session)->Train(testing::MakeSource({rounds[0], rounds[1]})));
  EXPECT_EQ(calls.size(), 2U);
  Calls ticks = {{calls[0]}, {calls[1]}};
  for (Round& round : std::span(rounds).subspan(2)) {
    calls.clear();
    EXPECT_TRUE((*session)->Play(std::span(&round, 1)));
    ticks.push_back(calls);
  }
  return ticks;
}

// The broken variant: a round is charged only if it can be used.
Calls PlayCarelessly(const Stream& stream, int cap) {
  UserLedger ledger(TestKey(), static_cast<std::uint64_t>(cap));
  Calls ticks;
  for (const Round& round : MakeRounds(stream)) {
    const bool usable = round.present() && round.x.front().index < 3;
    const bool opened = usable && ledger.Admit(round.user, 0);
    ticks.push_back(
        {opened ? "open " + std::to_string(round.x.front().value) : "tick"});
  }
  return ticks;
}

int Differences(const Calls& a, const Calls& b) {
  int differences = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) ++differences;
  }
  return differences;
}

// Counts from 0 in the given base: all contents, all names.
bool Next(std::vector<std::size_t>& digits, std::size_t base) {
  for (std::size_t& digit : digits) {
    if (++digit < base) return true;
    digit = 0;
  }
  return false;
}

// The largest number of rounds at which the model's calls differ when one round
// holds other things, and in `elsewhere` all those at other rounds than that
// one.
template <typename Player>
int WorstDifference(std::size_t rounds, int cap, const Player& play,
                    int& elsewhere) {
  int worst = 0;
  Stream stream{std::vector<std::size_t>(rounds), {}};
  do {
    stream.contents.assign(rounds, 0);
    do {
      const Calls here = play(stream, cap);
      for (std::size_t i = 0; i < rounds; ++i) {
        for (std::size_t other = 0; other < Contents().size(); ++other) {
          Stream changed = stream;
          changed.contents[i] = other;
          const Calls there = play(changed, cap);
          worst = std::max(worst, Differences(here, there));
          elsewhere += Differences(here, there) - (here[i] != there[i] ? 1 : 0);
        }
      }
    } while (Next(stream.contents, Contents().size()));
  } while (Next(stream.names, kNames.size()));
  return worst;
}

TEST(SessionWorldsTest, OneChangedRoundChangesOneTickOfTheModel) {
  for (const int cap : {1, 2}) {
    int elsewhere = 0;
    EXPECT_EQ(WorstDifference(3, cap, Play, elsewhere), 1) << cap;
    EXPECT_EQ(elsewhere, 0) << cap;
  }
}

TEST(SessionWorldsTest, OneChangedRowOfALabelledSetChangesOnePlace) {
  for (const int cap : {1, 2}) {
    int elsewhere = 0;
    EXPECT_EQ(WorstDifference(3, cap, PlayTrained, elsewhere), 1) << cap;
    EXPECT_EQ(elsewhere, 0) << cap;
  }
}

TEST(SessionWorldsTest, ChargingOnlyWhatCanBeUsedChangesTwoTicks) {
  int elsewhere = 0;
  EXPECT_EQ(WorstDifference(3, 1, PlayCarelessly, elsewhere), 2);
  EXPECT_GT(elsewhere, 0);
}

TEST(SessionWorldsTest, StatesBetweenRoundsChangeNothing) {
  for (const int cap : {1, 2}) {
    int elsewhere = 0;
    EXPECT_EQ(WorstDifference(3, cap, PlayThroughStates, elsewhere), 1) << cap;
    EXPECT_EQ(elsewhere, 0) << cap;
  }
  const Stream stream{{1, 2, 1}, {0, 0, 0}};
  EXPECT_EQ(PlayThroughStates(stream, 1), Play(stream, 1));
}

// All rounds of one user changed together: the largest number of rounds that
// differ.
template <typename Player>
int WorstOfAUser(int cap, const Player& play) {
  const Stream here{{1, 1, 2, 1}, {0, 0, 0, 0}};
  const Calls calls = play(here, cap);
  Stream there = here;
  std::vector<std::size_t> digits(3);
  int worst = 0;
  do {
    there.contents = {digits[0], digits[1], 0, digits[2]};
    worst = std::max(worst, Differences(calls, play(there, cap)));
  } while (Next(digits, Contents().size()));
  return worst;
}

TEST(SessionWorldsTest, AUsersRoundsChangeAtMostTheCap) {
  for (const int cap : {1, 2, 3}) {
    EXPECT_EQ(WorstOfAUser(cap, Play), cap);
    EXPECT_EQ(WorstOfAUser(cap, PlayThroughStates), cap);
  }
  EXPECT_EQ(WorstOfAUser(1, PlayForgetfully), 3);
}

TEST(SessionWorldsTest, AllKindsOfEmptyRoundsLookAlike) {
  const Stream absent{{1, 1, 2}, {2, 0, 0}};
  const Stream unusable{{1, 1, 2}, {3, 0, 0}};
  EXPECT_EQ(Play(absent, 1), Play(unusable, 1));
  EXPECT_EQ(Play(absent, 1)[1], std::vector<std::string>{"tick"});
}

}  // namespace
}  // namespace sotto
