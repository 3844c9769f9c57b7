#include "sotto/online/user_ledger.h"

#include <gtest/gtest.h>

namespace sotto {
namespace {

TEST(UserLedgerTest, CountsEachUserAlone) {
  UserLedger ledger(2);
  EXPECT_TRUE(ledger.Admit("a", 0));
  EXPECT_TRUE(ledger.Admit("a", 3));
  EXPECT_FALSE(ledger.Admit("a", 3));
  EXPECT_TRUE(ledger.Admit("b", 3));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(ledger.Admit("", 0));
}

TEST(UserLedgerTest, KeepsAUserInOnePhase) {
  UserLedger ledger(9, true);
  EXPECT_TRUE(ledger.Admit("a", 4));
  EXPECT_TRUE(ledger.Admit("a", 4));
  EXPECT_FALSE(ledger.Admit("a", 5));
}

TEST(UserLedgerTest, SurvivesSavingAndRefusesDamage) {
  UserLedger ledger(2);
  ledger.Admit("a", 0);
  ledger.Admit("a", 0);
  ledger.Admit("b", 7);
  ByteWriter writer;
  ledger.Save(writer);
  UserLedger loaded(2);
  ByteReader reader(writer.bytes());
  ASSERT_TRUE(loaded.Load(reader));
  EXPECT_TRUE(reader.Finish());
  EXPECT_FALSE(loaded.Admit("a", 0));
  EXPECT_TRUE(loaded.Admit("b", 0));
  for (std::size_t size = 0; size < writer.bytes().size(); ++size) {
    const std::string cut = writer.bytes().substr(0, size);
    ByteReader short_reader(cut);
    EXPECT_FALSE(UserLedger(2).Load(short_reader)) << size;
  }
}

}  // namespace
}  // namespace sotto
