#include "sotto/audit/shard.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

namespace sotto {
namespace {

constexpr const char* kFormat = "sotto-audit-shard-1";

Error Broken(const std::string& what) {
  return InvalidArgument("a shard " + what);
}

// What all shards of one audit have in common.
Json Common(const AuditResult& result, const AuditRequest& request,
            const std::string& adversary) {
  return Json::Object{{"target", result.target},
                      {"only", adversary},
                      {"runs", result.options.runs},
                      {"seed", result.options.seed},
                      {"confidence", result.options.confidence},
                      {"shards", result.options.shards},
                      {"rounds", request.rounds},
                      {"epsilon", Json(request.epsilon)},
                      {"delta", Json(request.delta)}};
}

std::optional<double> Maybe(const Json& json, std::string_view name) {
  const Json* member = json.Find(name);
  return member == nullptr ? std::nullopt : member->number();
}

std::uint64_t Whole(const Json& json, std::string_view name) {
  const Json* member = json.Find(name);
  return member == nullptr ? 0 : member->natural().value_or(0);
}

std::string Text(const Json& json, std::string_view name) {
  const Json* member = json.Find(name);
  return member == nullptr || member->text() == nullptr ? "" : *member->text();
}

// The audit without a single game: the readings are fitted anew, from the same
// games as everywhere.
Result<AuditResult> Empty(const Json& common) {
  const AuditTarget* target = FindAuditTarget(Text(common, "target"));
  if (target == nullptr) return Broken("names no target");
  auto subject = target->make({.epsilon = Maybe(common, "epsilon"),
                               .delta = Maybe(common, "delta"),
                               .rounds = Whole(common, "rounds")});
  if (!subject) return subject.error();
  if (const std::string only = Text(common, "only"); !only.empty()) {
    if (Status kept = KeepAdversary(*subject, only); !kept) {
      return kept.error();
    }
  }
  const std::uint64_t shards = Whole(common, "shards");
  if (shards == 0) return Broken("has no number of shards");
  return Audit(*subject,
               {.runs = Whole(common, "runs"),
                .confidence = Maybe(common, "confidence").value_or(0.999),
                .seed = Whole(common, "seed"),
                .looks = 1,
                .shard = shards,  // which has no games
                .shards = shards});
}

Status AddShard(const Json& shard, AuditResult& whole) {
  const Json* duels = shard.Find("duels");
  if (duels == nullptr || duels->array() == nullptr ||
      duels->array()->size() != whole.duels.size()) {
    return Broken("has other duels");
  }
  for (std::size_t i = 0; i < whole.duels.size(); ++i) {
    const Json& duel = (*duels->array())[i];
    if (const std::string fault = Text(duel, "fault"); !fault.empty()) {
      whole.duels[i].fault = fault;
      continue;
    }
    const Json* counts = duel.Find("counts");
    if (counts == nullptr) return Broken("has no counts");
    auto read = Counts::FromJson(*counts);
    if (!read) return read.error();
    if (Whole(duel, "variant") != whole.duels[i].variant) {
      return Broken("was made by another build: its adversaries differ");
    }
    whole.duels[i].counts.Add(*read);
  }
  return Ok();
}

}  // namespace

Json ShardJson(const AuditResult& result, const AuditRequest& request,
               const std::string& adversary) {
  Json::Array duels;
  for (const DuelResult& duel : result.duels) {
    Json json = Json::Object{{"mechanism", duel.mechanism},
                             {"adversary", duel.adversary},
                             {"variant", duel.variant},
                             {"counts", duel.counts.ToJson()}};
    if (duel.fault) json["fault"] = *duel.fault;
    duels.push_back(std::move(json));
  }
  return Json::Object{{"format", kFormat},
                      {"audit", Common(result, request, adversary)},
                      {"shard", result.options.shard},
                      {"duels", std::move(duels)}};
}

Result<AuditResult> MergeShards(const std::vector<Json>& shards) {
  if (shards.empty()) return InvalidArgument("there are no shards to merge");
  const Json* common = shards.front().Find("audit");
  if (common == nullptr) return Broken("does not say of which audit");
  auto whole = Empty(*common);
  if (!whole) return whole;
  std::set<std::uint64_t> seen;
  for (const Json& shard : shards) {
    if (Text(shard, "format") != kFormat) return Broken("is something else");
    if (shard.Find("audit") == nullptr || *shard.Find("audit") != *common) {
      return Broken("belongs to another audit");
    }
    if (!seen.insert(Whole(shard, "shard")).second) {
      return Broken("is there twice");
    }
    if (Status added = AddShard(shard, *whole); !added) return added.error();
  }
  if (seen.size() != Whole(*common, "shards") ||
      *seen.rbegin() >= Whole(*common, "shards")) {
    return Broken("is missing");
  }
  whole->options.shard = 0;
  whole->options.shards = 1;
  Judge(*whole);
  return whole;
}

}  // namespace sotto
