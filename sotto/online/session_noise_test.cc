// The inputs of a session's noise: tests of meaning for mistakes that recorded
// outputs alone would notice.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/online/public_mistakes.h"
#include "sotto/online/session.h"
#include "sotto/online/session_test_model.h"

namespace sotto {
namespace {

using testing::RecordedCalls;
using testing::RecordingEntry;

Key RootKey(int number) {
  std::array<std::byte, Key::kBytes> bytes{};
  bytes[0] = static_cast<std::byte>(number);
  return Key::FromBytes(bytes);
}

class SessionNoiseTest : public ::testing::Test {
 protected:
  SessionNoiseTest() : settings_(testing::SessionTable(RecordingEntry())) {
    RecordedCalls() = &calls_;
    Set("epsilon", "1");
    Set("delta", "1e-6");
    Set("horizon", "1000");
  }
  void Set(std::string_view name, std::string_view text) {
    ASSERT_TRUE(settings_.Set(name, text));
  }
  std::unique_ptr<Session> Make(int root = 3) {
    auto session =
        Session::Create(RecordingEntry(), settings_,
                        {.features = 3, .print = "p"}, RootKey(root));
    EXPECT_TRUE(session) << (session ? "" : session.error().message);
    return session ? *std::move(session) : nullptr;
  }

  Settings settings_;
  std::vector<std::string> calls_;
};

// The private count after each of some rounds without a label, hence without a
// mistake: noise alone.
std::vector<std::int64_t> ShownBy(Session& session) {
  std::vector<std::int64_t> shown;
  for (int i = 0; i < 40; ++i) {
    Round round{.x = {{0, 1}}};
    EXPECT_TRUE(session.Play(std::span(&round, 1)));
    shown.push_back(session.public_mistakes()->shown());
  }
  return shown;
}

std::vector<std::int64_t> ShownWith(const Key& key) {
  const auto shares = ShareWithMistakes({1, 1e-6});
  EXPECT_TRUE(shares);
  auto count = PublicMistakes::Create(shares->mistakes, 1000, key);
  EXPECT_TRUE(count);
  std::vector<std::int64_t> shown;
  for (int i = 0; i < 40; ++i) shown.push_back(count->Add(false));
  return shown;
}

// A use, a key: of names, of tickets, of noise, of what goes into the noise.
TEST_F(SessionNoiseTest, NoTwoUsesOfAKeyAreOfOneKey) {
  const Key root = RootKey(3);
  ByteWriter writer;
  ASSERT_TRUE(Make(3)->Save(writer));
  ByteReader reader(writer.bytes());
  reader.Number<std::uint32_t>();
  for (int text = 0; text < 3; ++text) reader.Text();
  for (int flag = 0; flag < 2; ++flag) reader.Number<std::uint8_t>();
  const std::string_view name = RecordingEntry().name;
  std::vector<Key> keys = {root, root.Derive("mistakes-v1", name, {}),
                           root.Derive("train-v1", name, {})};
  for (int key = 0; key < 4; ++key) {
    const auto loaded = Key::Load(reader);
    ASSERT_TRUE(loaded);
    keys.push_back(*loaded);
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(std::ranges::equal(keys[i].bytes(), keys[j].bytes()))
          << i << " and " << j;
    }
  }
}

// The noise of the count is no other noise, so that nothing cancels.
TEST_F(SessionNoiseTest, ThePublicCountHasAKeyOfItsOwn) {
  Set("public", "true");
  const Key root = RootKey(3);
  const std::string_view name = RecordingEntry().name;
  const auto shown = ShownBy(*Make(3));
  EXPECT_EQ(shown, ShownWith(root.Derive("mistakes-v1", name, {})));
  EXPECT_NE(shown, ShownWith(root));
  for (const char* other :
       {"noise-v1", "hash-v1", "names-v1", "tickets-v1", "train-v1"}) {
    EXPECT_NE(shown, ShownWith(root.Derive(other, name, {}))) << other;
  }
  EXPECT_NE(shown, ShownBy(*Make(4)));
}

// A state that is loaded twice and fed different data draws independent noise:
// the difference of both counts is not the difference of the data.
// Also where the count shown does not move: the place in the stream of noise is
// another after another round.
TEST(PublicMistakesNoiseTest, ContinuesFromWhatWasCounted) {
  const auto place = [](bool mistake) {
    auto count = PublicMistakes::Create({0.5, 1e-6}, 1000, RootKey(4));
    EXPECT_TRUE(count);
    count->Add(mistake);
    ByteWriter writer;
    count->Save(writer);
    ByteReader reader(writer.bytes());
    return std::string(reader.Text());
  };
  EXPECT_EQ(place(true), place(true));
  EXPECT_NE(place(true), place(false));
}

TEST(PublicMistakesNoiseTest, DependsOnTheDataItIsAddedTo) {
  int same = 0;
  constexpr int kKeys = 60;
  for (int k = 0; k < kKeys; ++k) {
    auto count = PublicMistakes::Create({0.5, 1e-6}, 1000, RootKey(k));
    ASSERT_TRUE(count);
    for (int i = 0; i < 200; ++i) count->Add(true);
    ByteWriter writer;
    count->Save(writer);
    const auto next = [&](bool mistake) {
      ByteReader reader(writer.bytes());
      auto loaded = PublicMistakes::Load({0.5, 1e-6}, 1000, reader);
      EXPECT_TRUE(loaded);
      return loaded ? loaded->Add(mistake) : 0;
    };
    EXPECT_EQ(next(true), next(true));
    same += next(true) - next(false) == 1 ? 1 : 0;
  }
  EXPECT_LT(same, kKeys / 2);
}

// The history of a label names its round: labels of different rounds lead to
// different noise, the same label of the same round to the same.
TEST_F(SessionNoiseTest, ALateLabelIsOfTheRoundItWasGivenFor) {
  const auto ticket_after = [&](std::size_t labelled) {
    auto session = Make();
    std::vector<std::string> tickets;
    for (int i = 0; i < 3; ++i) {
      Round round{.x = {{0, 1}}};
      const auto ticket = session->Open(round);
      EXPECT_TRUE(ticket && *ticket);
      tickets.push_back(**ticket);
    }
    EXPECT_TRUE(session->Close(tickets[labelled], Label(true)));
    Round next{.x = {{0, 1}}};
    const auto ticket = session->Open(next);
    EXPECT_TRUE(ticket && *ticket);
    return **ticket;
  };
  EXPECT_EQ(ticket_after(0), ticket_after(0));
  EXPECT_NE(ticket_after(0), ticket_after(1));
  EXPECT_NE(ticket_after(0), ticket_after(2));
  EXPECT_NE(ticket_after(1), ticket_after(2));
}

}  // namespace
}  // namespace sotto
