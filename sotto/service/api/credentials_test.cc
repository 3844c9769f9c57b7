#include "sotto/service/api/credentials.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "sotto/service/api/api_test_hosts.h"
#include "sotto/service/api/user_api.h"
#include "sotto/testing/scratch_folder.h"

namespace sotto::api {
namespace {

class CredentialsTest : public ::testing::Test {
 protected:
  // The status of a prediction with that field Authorization; 200: its head is
  // accepted.
  int Ask(const std::string& authorization) {
    http::Request head;
    head.method = "POST";
    head.path = "/v1/models/m/predict";
    if (!authorization.empty()) {
      head.fields = {{"Authorization", authorization}};
    }
    const http::Decision decision = users_(head);
    const auto* const refusal = std::get_if<http::Response>(&decision);
    return refusal ? refusal->status : 200;
  }

  testing::ScratchFolder folder_;
  std::unique_ptr<Credentials> keys_ = *Credentials::Open(folder_.path());
  FakeHostSet hosts_;
  FakeHost* host_ = hosts_.Add("m");
  UserApi users_{{.hosts = hosts_}, *keys_, {}};
};

TEST_F(CredentialsTest, KeysAreKeptAsHashesAndSurviveARestart) {
  const auto secret = keys_->Add({.name = "shop", .models = {"m"}, .rate = 5});
  ASSERT_TRUE(secret);
  EXPECT_FALSE(keys_->Add({.name = "shop"}));
  EXPECT_FALSE(keys_->Add({.name = "a b"}));
  std::ifstream file(folder_.path() + "/credentials.json");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(text.find(secret->substr(6)), std::string::npos);
  const auto again = *Credentials::Open(folder_.path());
  const auto found = again->Find(*secret);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "shop");
  EXPECT_TRUE(found->Allows("m"));
  EXPECT_FALSE(found->Allows("n"));
  ASSERT_TRUE(again->Remove("shop"));
  EXPECT_FALSE(again->Find(*secret));
  EXPECT_FALSE((*Credentials::Open(folder_.path()))->Find(*secret));
}

// A table of keys that processes share, and how long ago it was read.
struct SharedTable {
  SharedKeys Use(Credentials& keys) {
    return {.key = Key::FromBytes(std::array<std::byte, Key::kBytes>{}),
            .add = [this, &keys](const SharedKey& key) -> Status {
              rows.push_back(key);
              keys.SetShared(rows);
              return Ok();
            },
            .remove = [this, &keys](const std::string& name) -> Status {
              std::erase_if(rows, [&](auto& row) { return row.name == name; });
              keys.SetShared(rows);
              return Ok();
            },
            .read_within = [this](auto time) { return age < time; }};
  }
  std::vector<SharedKey> rows;
  std::chrono::milliseconds age{0};
};

TEST_F(CredentialsTest, ASharedKeyIsAHashThatEveryProcessHonours) {
  const auto own = keys_->Add({.name = "own"});
  SharedTable table;
  keys_->Share(table.Use(*keys_));
  const testing::ScratchFolder elsewhere;
  const auto other = *Credentials::Open(elsewhere.path());
  other->Share(table.Use(*other));
  const auto secret = keys_->Add({.name = "shop", .user = "u", .rate = 2});
  ASSERT_TRUE(secret);
  EXPECT_EQ(table.rows[0].hash.find(secret->substr(6)), std::string::npos);
  EXPECT_FALSE(other->Find(*secret));
  other->SetShared(table.rows);
  const auto found = other->Find(*secret);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "shop");
  EXPECT_EQ(found->user, "u");
  // Keys of the file stay keys of their process, and names are taken once.
  EXPECT_TRUE(keys_->Find(*own));
  EXPECT_FALSE(other->Find(*own));
  EXPECT_FALSE(keys_->Add({.name = "own"}));
  EXPECT_FALSE(other->Add({.name = "shop"}));
  // A rate that was used up is used up after another key was made.
  const auto now = std::chrono::steady_clock::now();
  EXPECT_TRUE(keys_->Spend(*found, 2, now));
  ASSERT_TRUE(keys_->Add({.name = "next"}));
  EXPECT_FALSE(keys_->Spend(*found, 1, now));
  ASSERT_TRUE(keys_->Remove("shop"));
  EXPECT_FALSE(keys_->Find(*secret));
  // Other processes may have that file, too, and honour the key.
  const Status kept = keys_->Remove("own");
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_TRUE(keys_->Find(*own));
}

TEST_F(CredentialsTest, SharedKeysThatAreNotKnownAreUnavailableAndNotRefused) {
  SharedTable table;
  table.age = std::chrono::hours(1);
  keys_->Share(table.Use(*keys_));
  // Without any key this listener would be open: there may be one by now.
  EXPECT_EQ(Ask(""), 503);
  table.age = std::chrono::milliseconds(0);
  EXPECT_EQ(Ask(""), 200);
  const std::string good = "Bearer " + *keys_->Add({.name = "shop"});
  EXPECT_EQ(Ask(good), 200);
  EXPECT_EQ(Ask("Bearer other"), 401);
  // Known keys count for a while; an unknown one may have been made meanwhile.
  table.age = std::chrono::seconds(5);
  EXPECT_EQ(Ask(good), 200);
  EXPECT_EQ(Ask("Bearer other"), 503);
  // By now it may have been removed.
  table.age = std::chrono::seconds(15);
  EXPECT_EQ(Ask(good), 503);
}

TEST_F(CredentialsTest, AFrontMakesAndRemovesNoKeys) {
  keys_->Share({.key = Key::FromBytes(std::array<std::byte, Key::kBytes>{}),
                .read_within = [](auto) { return true; }});
  const auto made = keys_->Add({.name = "k"});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_FALSE(keys_->Remove("k"));
}

TEST_F(CredentialsTest, AKeyWithARateIsHeldToIt) {
  const std::string secret = *keys_->Add({.name = "slow", .rate = 2});
  const auto who = *keys_->Find(secret);
  auto now = std::chrono::steady_clock::now();
  EXPECT_TRUE(keys_->Spend(who, 1, now));
  EXPECT_TRUE(keys_->Spend(who, 1, now));
  EXPECT_FALSE(keys_->Spend(who, 1, now));
  now += std::chrono::milliseconds(600);
  EXPECT_TRUE(keys_->Spend(who, 1, now));
  keys_->Charge(who, 4);  // the lines of a bulk request
  now += std::chrono::seconds(1);
  EXPECT_FALSE(keys_->Spend(who, 1, now));
  int refused = 0;
  for (int i = 0; i < 9; ++i) {
    if (Ask("Bearer " + secret) == 429) ++refused;
  }
  EXPECT_GE(refused, 7);
}

}  // namespace
}  // namespace sotto::api
