#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sotto/durable/session_machine.h"
#include "sotto/journal/journal_test_tools.h"
#include "sotto/models/registry/every_model_test_tools.h"
#include "sotto/models/registry/registry.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

constexpr int kRounds = 150;
// Enough for a rounded gradient to differ if a function's last bit did.
constexpr int kLongRun = 4000;

Round MakeRound(int i) {
  testing::SeededRng rng(static_cast<std::uint64_t>(i));
  Round round;
  if (i % 17 == 5) round.presence = Presence::kUnusable;
  if (i % 13 == 4) round.presence = Presence::kAbsent;
  if (i % 3 != 0) {
    round.user = std::to_string(i / 2);
    round.user.resize(std::tuple_size_v<Hash16>);
  }
  if (!round.present()) return round;
  for (std::uint32_t k = 0; k < kTestFeatures; ++k) {
    round.x.push_back({k, static_cast<double>(rng.Next() % 2)});
  }
  return round;
}

std::unique_ptr<Session> MakeSession(const OnlineModelEntry& entry) {
  auto session = Session::Create(entry, MakeExample(entry), TestInputs(entry),
                                 testing::KeyOfBytes(3));
  EXPECT_TRUE(session) << (session ? "" : session.error().message);
  if (!entry.needs_training_set) return *std::move(session);
  int rows = 0;
  EXPECT_TRUE((*session)->Train([&](Round& round) -> Result<bool> {
    if (rows == 40) return false;
    round = MakeRound(rows++);
    if (round.present()) round.y = round.x[0].value > 0;
    return true;
  }));
  return *std::move(session);
}

// A run with some labels, as records, and the hash of its replies after each.
struct Transcript {
  std::vector<Record> records{};
  std::vector<ReplyHash> hashes{};
};

Transcript Play(Session& session, int rounds = kRounds) {
  Transcript transcript;
  SessionMachine machine(session);
  const LabelType& labels = session.inputs().label;
  const auto add = [&](Record record) {
    transcript.records.push_back(std::move(record));
    transcript.hashes.push_back(machine.replies());
  };
  std::vector<std::string> tickets;
  for (int i = 0; i < rounds; ++i) {
    RoundRecord round{.round = MakeRound(i)};
    Record record = EncodeRound(round);
    const auto outcome = machine.Play(round);
    EXPECT_TRUE(outcome);
    add(std::move(record));
    if (!outcome->ticket.empty()) tickets.push_back(outcome->ticket);
    if (i % 2 == 0 || tickets.empty()) continue;
    const LabelRecord label{*ReadHex16(tickets[tickets.size() / 2]),
                            labels.FromNumber(i % 4 == 1 ? 1 : 0)};
    Record said = EncodeLabel(label);
    EXPECT_TRUE(machine.Take(label));
    add(std::move(said));
  }
  return transcript;
}

class ReplayTest : public ::testing::TestWithParam<const OnlineModelEntry*> {};

TEST_P(ReplayTest, RecordsGiveTheSameRepliesFromAnySnapshot) {
  auto session = MakeSession(*GetParam());
  ByteWriter fresh;
  ASSERT_TRUE(session->Save(fresh));
  const Transcript whole = Play(*session);
  const auto load = [&](std::string_view state) {
    return *Session::Load(*GetParam(), MakeExample(*GetParam()),
                          TestInputs(*GetParam()), state);
  };
  auto replayed = load(fresh.bytes());
  SessionMachine machine(*replayed);
  std::unique_ptr<Session> resumed;
  std::unique_ptr<SessionMachine> from_snapshot;
  for (std::size_t i = 0; i < whole.records.size(); ++i) {
    const RecordView record{whole.records[i].type, whole.records[i].payload};
    ASSERT_TRUE(machine.Replay(record));
    ASSERT_EQ(machine.replies(), whole.hashes[i]) << "record " << i;
    if (from_snapshot) {
      ASSERT_TRUE(from_snapshot->Replay(record));
      ASSERT_EQ(from_snapshot->replies(), whole.hashes[i]) << "record " << i;
    }
    if (i % 60 != 30) continue;
    ByteWriter state;
    ASSERT_TRUE(replayed->Save(state));
    resumed = load(state.bytes());
    from_snapshot =
        std::make_unique<SessionMachine>(*resumed, machine.replies());
  }
}

INSTANTIATE_TEST_SUITE_P(Models, ReplayTest,
                         ::testing::ValuesIn(OnlineModels()),
                         [](const auto& tested) {
                           return std::string(tested.param->name);
                         });

std::string HashState(Session& session) {
  ByteWriter state;
  EXPECT_TRUE(session.Save(state));
  ReplyChain hash;
  hash.Add(state.bytes());
  Hash16 head{};
  std::copy_n(hash.hash().begin(), head.size(), head.begin());
  return WriteHex16(head);
}

// The state of every model after its rounds, plan, weights and noise included:
// the same on every processor.
std::string AllHashes() {
  std::string text;
  for (const OnlineModelEntry* entry : OnlineModels()) {
    const auto session = MakeSession(*entry);
    const std::string name(entry->name);
    text += "hash of the plan of " + name + ": " + HashState(*session) + "\n";
    Play(*session, !entry->publishes.empty() ? kLongRun : kRounds);
    text += "hash of " + name + ": " + HashState(*session) + "\n";
  }
  return text;
}

TEST(ProcessorTest, DISABLED_PrintsHashes) {
  std::fputs(AllHashes().c_str(), stdout);
}

TEST(ProcessorTest, RepliesAreTheSameWithoutFusedInstructions) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string command =
      "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-AVX2_Usable,-FMA,-FMA_Usable,"
      "-FMA4,-FMA4_Usable '" +
      self +
      "' --gtest_also_run_disabled_tests "
      "--gtest_filter=ProcessorTest.DISABLED_PrintsHashes";
  FILE* const pipe = ::popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string there;
  std::array<char, 256> line{};
  while (std::fgets(line.data(), line.size(), pipe) != nullptr) {
    if (std::string_view(line.data()).starts_with("hash of")) {
      there += line.data();
    }
  }
  EXPECT_EQ(::pclose(pipe), 0);
  EXPECT_EQ(there, AllHashes());
}

}  // namespace
}  // namespace sotto
