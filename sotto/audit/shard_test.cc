#include "sotto/audit/shard.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sotto/audit/audit_report.h"

namespace sotto {
namespace {

const std::string kVersion = "1.0";
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
    const std::string text =
        ShardJson(Part(i, count), kRequest, {}, kVersion).Dump();
    shards.push_back({"file" + std::to_string(i), *Json::Parse(text)});
  }
  return shards;
}

TEST(ShardTest, ShardsTogetherAreTheAuditInOnePiece) {
  const auto merged = MergeShards(Shards(3), kVersion);
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(AuditJson(*merged), AuditJson(Part(0, 1)));
}

std::string Refusal(const std::vector<ShardFile>& shards) {
  const auto merged = MergeShards(shards, kVersion);
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

// The shards with one member of the first shard's first case replaced.
std::vector<ShardFile> Altered(std::vector<ShardFile> shards,
                               const std::string& member, Json value) {
  Json::Array cases = *shards[0].json["duels"].array();
  cases.front()[member] = std::move(value);
  shards[0].json["duels"] = std::move(cases);
  return shards;
}

TEST(ShardTest, AShardOfAnotherVersionOrWithOtherOptionsIsRefused) {
  std::vector<ShardFile> shards = Shards(2);
  const auto newer = MergeShards(shards, "1.1");
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().message,
            "file0: was made by version 1.0; this is 1.1");
  const char* const options[] = {"seed", "runs", "epsilon", "confidence"};
  for (const char* option : options) {
    std::vector<ShardFile> other = shards;
    other[1].json["audit"][option] = 0.25;
    EXPECT_EQ(Refusal(other), "file1: belongs to another audit than file0")
        << option;
  }
}

TEST(ShardTest, AShardWithOtherReadingsIsRefused) {
  EXPECT_EQ(Refusal(Altered(Shards(2), "readings", 1)),
            "file0: was made by another build or kind of processor: it reads "
            "transcripts differently");
}

TEST(ShardTest, AShardThatLacksGamesIsRefused) {
  const std::vector<ShardFile> shards = Shards(2);
  const Json empty = Counts().ToJson();
  EXPECT_EQ(Refusal(Altered(shards, "counts", empty)),
            "the shards do not have the games of 'one release' that --runs "
            "asks for");
  const Json& first = (*shards[0].json.Find("duels")->array())[0];
  Json counts = *first.Find("counts");
  Json::Array cells = *counts["cells"].array();
  cells[1] = *cells[1].natural() + 1;
  counts["cells"] = std::move(cells);
  EXPECT_EQ(Refusal(Altered(shards, "counts", counts)),
            "file0: the counts of a shard make no sense");
}

TEST(ShardTest, AFaultOfOneShardBreaksTheWhole) {
  const auto merged =
      MergeShards(Altered(Shards(2), "fault", "round 3"), kVersion);
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(ChooseVerdict(*merged), "broken");
}

}  // namespace
}  // namespace sotto
