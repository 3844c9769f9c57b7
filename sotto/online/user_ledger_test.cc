#include "sotto/online/user_ledger.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "sotto/base/round.h"

namespace sotto {
namespace {

Key TestKey() {
  std::array<std::byte, Key::kBytes> bytes{};
  bytes[5] = std::byte{9};
  return Key::FromBytes(bytes);
}

// Saves one ledger and loads it into another, fresh one.
UserLedger Reload(const UserLedger& ledger, UserLedger fresh) {
  ByteWriter writer;
  ledger.Save(writer);
  ByteReader reader(writer.bytes());
  EXPECT_TRUE(fresh.Load(reader));
  EXPECT_TRUE(reader.Finish());
  return fresh;
}

TEST(UserLedgerTest, CountsEachUserAlone) {
  UserLedger ledger(TestKey(), 2);
  EXPECT_TRUE(ledger.Admit("a", 0));
  EXPECT_TRUE(ledger.Admit("a", 3));
  EXPECT_FALSE(ledger.Admit("a", 3));
  EXPECT_TRUE(ledger.Admit("b", 3));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(ledger.Admit("", 0));
  EXPECT_EQ(ledger.users(), 2U);
}

TEST(UserLedgerTest, ANameThatIsTooLongHasNoRound) {
  UserLedger ledger(TestKey(), 1);
  EXPECT_TRUE(ledger.Admit(std::string(kMaxUserBytes, 'n'), 0));
  EXPECT_FALSE(ledger.Admit(std::string(kMaxUserBytes, 'n'), 0));
  EXPECT_FALSE(ledger.Admit(std::string(kMaxUserBytes + 1, 'n'), 0));
  EXPECT_EQ(ledger.users(), 1U);
}

TEST(UserLedgerTest, CountsUpToLimitsOfAnySize) {
  for (const std::uint64_t limit : {1U, 255U, 256U, 300U, 70'000U}) {
    UserLedger ledger(TestKey(), limit);
    for (std::uint64_t i = 0; i < limit; ++i) {
      ASSERT_TRUE(ledger.Admit("a", 0)) << limit;
    }
    EXPECT_FALSE(ledger.Admit("a", 0)) << limit;
    EXPECT_FALSE(Reload(ledger, UserLedger(TestKey(), limit)).Admit("a", 0));
  }
}

TEST(UserLedgerTest, KeepsAUserInOnePhase) {
  UserLedger ledger(TestKey(), 9, true);
  EXPECT_TRUE(ledger.Admit("a", 4));
  EXPECT_TRUE(ledger.Admit("a", 4));
  EXPECT_FALSE(ledger.Admit("a", 5));
  UserLedger loaded = Reload(ledger, UserLedger(TestKey(), 9, true));
  EXPECT_FALSE(loaded.Admit("a", 5));
  EXPECT_TRUE(loaded.Admit("a", 4));
  // A phase that does not fit is not taken for another.
  EXPECT_FALSE(loaded.Admit("a", 4 + (std::uint64_t{1} << 32)));
  EXPECT_FALSE(loaded.Admit("new", std::uint64_t{1} << 32));
}

TEST(UserLedgerTest, ALoadedLedgerCountsOnWhereItWas) {
  UserLedger ledger(TestKey(), 3);
  for (int i = 0; i < 1000; ++i) {
    for (int rounds = 0; rounds <= i % 3; ++rounds) {
      ASSERT_TRUE(ledger.Admit(std::to_string(i), 0));
    }
  }
  UserLedger loaded = Reload(ledger, UserLedger(TestKey(), 3));
  EXPECT_EQ(loaded.users(), 1000U);
  for (int i = 0; i < 1000; ++i) {
    for (int rounds = 1 + i % 3; rounds < 3; ++rounds) {
      ASSERT_TRUE(loaded.Admit(std::to_string(i), 0)) << i;
    }
    ASSERT_FALSE(loaded.Admit(std::to_string(i), 0)) << i;
  }
}

TEST(UserLedgerTest, KeepsAllBitsOfTheHashAndNothingElseOfTheName) {
  UserLedger ledger(TestKey(), 2);
  ledger.Admit("somebody", 0);
  ByteWriter writer;
  ledger.Save(writer);
  const auto hash = TestKey().Hash("somebody");
  ByteWriter expected;
  expected.Number(std::uint64_t{1});
  expected.Number(hash[0]);
  expected.Number(hash[1]);
  expected.Number(std::uint8_t{1});
  EXPECT_EQ(writer.bytes(), expected.bytes());
}

TEST(UserLedgerTest, RefusesDamage) {
  UserLedger ledger(TestKey(), 2);
  ledger.Admit("a", 0);
  ledger.Admit("a", 0);
  ledger.Admit("b", 7);
  ByteWriter writer;
  ledger.Save(writer);
  const auto loads = [](const std::string& bytes) {
    ByteReader reader(bytes);
    return UserLedger(TestKey(), 2).Load(reader).has_value();
  };
  EXPECT_TRUE(loads(writer.bytes()));
  for (std::size_t size = 0; size < writer.bytes().size(); ++size) {
    EXPECT_FALSE(loads(writer.bytes().substr(0, size))) << size;
  }
  for (const char count : {'\0', '\3'}) {
    std::string damaged = writer.bytes();
    damaged.back() = count;
    EXPECT_FALSE(loads(damaged));
  }
  std::string twice = writer.bytes();
  twice.replace(8 + 17, 17, twice.substr(8, 17));
  EXPECT_FALSE(loads(twice));
}

}  // namespace
}  // namespace sotto
