#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sotto/audit/audit.h"
#include "sotto/audit/targets.h"
#include "sotto/base/json.h"
#include "sotto/base/result.h"

namespace sotto {

// A part of an audit that was played on one of several machines: its counts,
// and the identity of its audit. `version` is that of the program.
//
//   Json shard = ShardJson(result, request, choice, "1.0");
//   auto whole = MergeShards({{"1.json", shard}, {"2.json", other}}, "1.0");
//
// Threads: pure functions.
Json ShardJson(const AuditResult& result, const AuditRequest& request,
               const AuditChoice& choice, const std::string& version);

// "3/8": the third of eight parts, counted from 0.
struct AuditShard {
  std::uint64_t index = 0;
  std::uint64_t count = 1;
};
// Reads --shard. Fails with kInvalidArgument.
Result<AuditShard> ReadShard(const std::string& text);

// A shard and the name that messages give it.
struct ShardFile {
  std::string name;
  Json json;
};

// The verdict on all shards together, equal to that of an audit in one piece
// with one look. Proof: audit.md, step 5. Fails with kInvalidArgument if they
// do not belong together, if one is missing or there twice, if another version
// or a machine that fits other readings made one, or if games are missing.
Result<AuditResult> MergeShards(const std::vector<ShardFile>& shards,
                                const std::string& version);

}  // namespace sotto
