#pragma once

#include <string>
#include <vector>

#include "sotto/audit/audit.h"
#include "sotto/audit/targets.h"
#include "sotto/base/json.h"
#include "sotto/base/result.h"

namespace sotto {

// A part of an audit that was played on one of several machines: its counts,
// and the identity of its audit.
//
//   Json shard = ShardJson(result, request, choice);
//   auto whole = MergeShards({{"1.json", shard}, {"2.json", other}});
//
// Threads: pure functions.
Json ShardJson(const AuditResult& result, const AuditRequest& request,
               const AuditChoice& choice);

// A shard and the name that messages give it.
struct ShardFile {
  std::string name;
  Json json;
};

// The verdict on all shards together, equal to that of an audit in one piece
// with one look. Fails with kInvalidArgument if they do not belong together, or
// if one is missing or there twice.
Result<AuditResult> MergeShards(const std::vector<ShardFile>& shards);

}  // namespace sotto
