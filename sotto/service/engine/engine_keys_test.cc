#include "sotto/service/engine/engine_keys.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sotto/journal/postgres/engine_schema.h"
#include "sotto/journal/postgres/postgres_test_server.h"

namespace sotto::testing {
namespace {

StoredApiKey MakeKey(const std::string& name, char fill) {
  return {name, std::string(64, fill), R"({"name":")" + name + "\"}"};
}

class EngineKeysTest : public ::testing::Test {
 protected:
  // A process, and the names that it knows.
  struct Process {
    explicit Process(const std::string& url) : keys(url) {
      keys.Watch([this](const std::vector<StoredApiKey>& all) {
        names.clear();
        for (const auto& key : all) names.push_back(key.name);
        ++changes;
      });
    }
    EngineKeys keys;
    std::vector<std::string> names;
    int changes = 0;
  };
  void TearDown() override { server_.Do("DELETE FROM sotto.api_key"); }

  using Names = std::vector<std::string>;
  PostgresServer& server_ = PostgresServer::Shared();
  PostgresConnection session_ = *server_.Connect();
  Process one_{server_.url()};
  Process two_{server_.url()};
};

TEST_F(EngineKeysTest, AChangeIsKnownHereAtOnceAndElsewhereWithTheNextReading) {
  two_.keys.Read(session_);
  EXPECT_EQ(two_.names, Names{});
  ASSERT_TRUE(one_.keys.Add(MakeKey("a", 'a')));
  EXPECT_EQ(one_.names, Names{"a"});
  EXPECT_EQ(two_.names, Names{});
  two_.keys.Read(session_);
  EXPECT_EQ(two_.names, Names{"a"});
  ASSERT_TRUE(two_.keys.Remove("a"));
  one_.keys.Read(session_);
  EXPECT_EQ(one_.names, Names{});
  const int before = one_.changes;
  one_.keys.Read(session_);
  EXPECT_EQ(one_.changes, before);
}

TEST_F(EngineKeysTest, ANameIsTakenOnceWhateverTheProcess) {
  ASSERT_TRUE(one_.keys.Add(MakeKey("a", 'a')));
  const Status again = two_.keys.Add(MakeKey("a", 'b'));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kFailedPrecondition);
  const Status none = two_.keys.Remove("b");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(EngineKeysTest, ItSaysHowLongAgoItRead) {
  constexpr std::chrono::hours kHour{1};
  EXPECT_FALSE(one_.keys.ReadWithin(kHour));
  one_.keys.Read(session_);
  EXPECT_TRUE(one_.keys.ReadWithin(kHour));
  EXPECT_FALSE(one_.keys.ReadWithin(std::chrono::milliseconds(0)));
}

TEST_F(EngineKeysTest, AFrontReadsKeysAndMakesNone) {
  static_cast<void>(
      session_.Execute("CREATE ROLE visitor LOGIN IN ROLE sotto_front"));
  auto front = server_.Connect("visitor");
  ASSERT_TRUE(front);
  ASSERT_TRUE(one_.keys.Add(MakeKey("a", 'a')));
  two_.keys.Read(*front);
  EXPECT_EQ(two_.names, Names{"a"});
  EXPECT_FALSE(AddApiKey(*front, MakeKey("b", 'b')));
  EXPECT_FALSE(RemoveApiKey(*front, "a"));
}

TEST_F(EngineKeysTest, ASchemaThatWasMadeBeforeGetsItsTables) {
  server_.Do("DROP TABLE sotto.api_key, sotto.api_key_version");
  one_.keys.Read(session_);
  EXPECT_TRUE(one_.keys.ReadWithin(std::chrono::hours(1)));
  const Status refused = one_.keys.Add(MakeKey("a", 'a'));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
  ASSERT_TRUE(CreateEngineSchema(session_));
  ASSERT_TRUE(CreateEngineSchema(session_));
  EXPECT_TRUE(one_.keys.Add(MakeKey("a", 'a')));
}

}  // namespace
}  // namespace sotto::testing
