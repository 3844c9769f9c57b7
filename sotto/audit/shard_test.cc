#include "sotto/audit/shard.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sotto/audit/audit_report.h"

namespace sotto {
namespace {

const AuditRequest kRequest{.epsilon = 0.7};

AuditResult Part(std::uint64_t shard, std::uint64_t shards) {
  const auto subject = FindAuditTarget("laplace")->make(kRequest);
  return Audit(*subject,
               {.runs = 4000, .looks = 1, .shard = shard, .shards = shards});
}

std::vector<ShardFile> Shards(std::uint64_t count) {
  std::vector<ShardFile> shards;
  for (std::uint64_t i = 0; i < count; ++i) {
    // By way of a file.
    const std::string text = ShardJson(Part(i, count), kRequest, {}).Dump();
    shards.push_back({"file" + std::to_string(i), *Json::Parse(text)});
  }
  return shards;
}

TEST(ShardTest, ShardsTogetherAreTheAuditInOnePiece) {
  const auto merged = MergeShards(Shards(3));
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(AuditJson(*merged), AuditJson(Part(0, 1)));
}

std::string Refusal(const std::vector<ShardFile>& shards) {
  const auto merged = MergeShards(shards);
  return merged ? "" : merged.error().message;
}

TEST(ShardTest, AMissingDoubleOrForeignShardIsRefusedByItsName) {
  const std::vector<ShardFile> shards = Shards(3);
  EXPECT_NE(Refusal({}), "");
  EXPECT_EQ(Refusal({shards[1]}), "missing: shard 1/3, 3/3");
  EXPECT_EQ(Refusal({shards[0], shards[0]}), "file0: shard 1/3 is there twice");
  EXPECT_EQ(Refusal({shards[0], Shards(2)[1]}),
            "file1: belongs to another audit than file0");
  const std::string none =
      "x: is no shard of this version's `sotto audit --shard`";
  EXPECT_EQ(Refusal({{"x", Json(Json::Object{})}}), none);
  EXPECT_EQ(Refusal({shards[0], {"x", Json(3)}}), none);
  ShardFile other = shards[1];
  other.name = "x";
  other.json["format"] = "something";
  EXPECT_EQ(Refusal({shards[0], other}), none);
}

}  // namespace
}  // namespace sotto
