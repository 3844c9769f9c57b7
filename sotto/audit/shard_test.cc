#include "sotto/audit/shard.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "sotto/audit/audit_report.h"

namespace sotto {
namespace {

constexpr AuditRequest kRequest{.epsilon = 0.7};

AuditResult Part(std::uint64_t shard, std::uint64_t shards) {
  const auto subject = FindAuditTarget("laplace")->make(kRequest);
  return Audit(*subject,
               {.runs = 4000, .looks = 1, .shard = shard, .shards = shards});
}

std::vector<Json> Shards(std::uint64_t count) {
  std::vector<Json> shards;
  for (std::uint64_t i = 0; i < count; ++i) {
    // By way of a file.
    const std::string text = ShardJson(Part(i, count), kRequest, "").Dump();
    shards.push_back(*Json::Parse(text));
  }
  return shards;
}

TEST(ShardTest, ShardsTogetherAreTheAuditInOnePiece) {
  const auto merged = MergeShards(Shards(3));
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(AuditJson(*merged), AuditJson(Part(0, 1)));
}

TEST(ShardTest, AMissingDoubleOrForeignShardIsRefused) {
  std::vector<Json> shards = Shards(2);
  EXPECT_FALSE(MergeShards({}));
  EXPECT_FALSE(MergeShards({shards[0]}));
  EXPECT_FALSE(MergeShards({shards[0], shards[0]}));
  EXPECT_FALSE(MergeShards({shards[0], Shards(3)[1]}));
  EXPECT_FALSE(MergeShards({Json(Json::Object{})}));
  shards[1]["format"] = "something";
  EXPECT_FALSE(MergeShards(shards));
}

}  // namespace
}  // namespace sotto
