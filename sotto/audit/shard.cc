#include "sotto/audit/shard.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <set>
#include <utility>

namespace sotto {
namespace {

constexpr std::uint64_t kMostShards = 1'000'000;
constexpr const char* kFormat = "sotto-audit-shard-3";

Error Broken(const std::string& what) { return InvalidArgument(what); }

// "2/3, 3/3": the missing shards.
std::string Missing(const std::set<std::uint64_t>& seen, std::uint64_t shards) {
  constexpr std::size_t kShown = 10;
  std::string text;
  std::size_t missing = 0;
  for (std::uint64_t i = 0; i < shards; ++i) {
    if (seen.contains(i)) continue;
    if (++missing > kShown) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(i + 1) + "/" +
            std::to_string(shards);
  }
  if (missing > kShown) {
    text += " and " + std::to_string(missing - kShown) + " more";
  }
  return text;
}

// Members that all shards of one audit share.
Json Common(const AuditResult& result, const AuditRequest& request,
            const AuditChoice& choice, const std::string& version) {
  return Json::Object{{"version", version},
                      {"target", result.target},
                      {"adversary", choice.adversary},
                      {"mechanism", choice.mechanism},
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

// The audit without a single game: the readings are fitted again, from the same
// games on every machine.
Result<AuditResult> Empty(const Json& common) {
  const AuditTarget* target = FindAuditTarget(Text(common, "target"));
  if (target == nullptr) return Broken("is of no target that there is here");
  SOTTO_TRY_ASSIGN(auto subject,
                   target->make({.epsilon = Maybe(common, "epsilon"),
                                 .delta = Maybe(common, "delta"),
                                 .rounds = Whole(common, "rounds"),
                                 .adversary = Text(common, "adversary")}));
  if (Status kept = KeepOnly(subject, {.adversary = Text(common, "adversary"),
                                       .mechanism = Text(common, "mechanism")});
      !kept) {
    return kept.error();
  }
  const std::uint64_t shards = Whole(common, "shards");
  if (shards == 0 || shards > kMostShards)
    return Broken("does not say of how many shards it is one");
  return Audit(subject,
               {.runs = Whole(common, "runs"),
                .confidence = Maybe(common, "confidence").value_or(0.999),
                .seed = Whole(common, "seed"),
                .looks = 1,
                .shard = shards,  // which has no games
                .shards = shards});
}

Status AddShard(const Json& shard, AuditResult& whole) {
  const Json* cases = shard.Find("duels");
  if (cases == nullptr || cases->array() == nullptr ||
      cases->array()->size() != whole.cases.size()) {
    return Broken("has other duels");
  }
  for (std::size_t i = 0; i < whole.cases.size(); ++i) {
    const Json& audit_case = (*cases->array())[i];
    if (const std::string fault = Text(audit_case, "fault"); !fault.empty()) {
      whole.cases[i].fault = fault;
      continue;
    }
    const Json* counts = audit_case.Find("counts");
    if (counts == nullptr) return Broken("has no counts");
    SOTTO_TRY_ASSIGN(auto read, Counts::FromJson(*counts));
    if (Whole(audit_case, "variant") != whole.cases[i].variant) {
      return Broken("was made by another build: its adversaries differ");
    }
    if (Whole(audit_case, "readings") !=
        whole.cases[i].readings.Fingerprint()) {
      return Broken(
          "was made by another build or kind of processor: it reads "
          "transcripts differently");
    }
    whole.cases[i].counts.Add(read);
  }
  return Ok();
}

// Fails if no shard of this version is in the file.
Status CheckFormat(const Json& shard, const std::string& version) {
  const Json* audit = shard.Find("audit");
  if (Text(shard, "format") != kFormat || audit == nullptr) {
    return Broken("is no shard of this version's `sotto audit --shard`");
  }
  if (const std::string made = Text(*audit, "version"); made != version) {
    return Broken("was made by version " + made + "; this is " + version);
  }
  return Ok();
}

// Fails if the shards together lack games, or have more than were asked for.
Status CheckGames(const AuditResult& whole) {
  for (const CaseResult& audit_case : whole.cases) {
    if (audit_case.fault) continue;
    const std::uint64_t half = std::max<std::uint64_t>(
        1, PlannedGames(audit_case.cost, whole.options.runs) / 2);
    for (const bool world : {false, true}) {
      const Counts& counts = audit_case.counts;
      const std::uint64_t chosen = counts.games(Part::kOrder, world) +
                                   counts.games(Part::kChoose, world);
      if (counts.games(Part::kCount, world) == half && chosen == half) continue;
      return Broken("the shards do not have the games of '" +
                    audit_case.mechanism + "' that --runs asks for");
    }
  }
  return Ok();
}

Error Named(const ShardFile& shard, const std::string& what) {
  return InvalidArgument(shard.name + ": " + what);
}

}  // namespace

Result<AuditShard> ReadShard(const std::string& text) {
  unsigned long long index = 0;
  unsigned long long count = 0;
  char rest = 0;
  const int read =
      std::sscanf(text.c_str(), "%llu/%llu%c", &index, &count, &rest);
  if (read != 2 || index < 1 || index > count || count > kMostShards) {
    return InvalidArgument("--shard is I/N with I from 1 to N, as 3/8");
  }
  return AuditShard{index - 1, count};
}

Json ShardJson(const AuditResult& result, const AuditRequest& request,
               const AuditChoice& choice, const std::string& version) {
  Json::Array cases;
  for (const CaseResult& audit_case : result.cases) {
    Json json = Json::Object{{"mechanism", audit_case.mechanism},
                             {"adversary", audit_case.adversary},
                             {"variant", audit_case.variant},
                             {"readings", audit_case.readings.Fingerprint()},
                             {"counts", audit_case.counts.ToJson()}};
    if (audit_case.fault) json["fault"] = *audit_case.fault;
    cases.push_back(std::move(json));
  }
  return Json::Object{{"format", kFormat},
                      {"audit", Common(result, request, choice, version)},
                      {"shard", result.options.shard},
                      {"duels", std::move(cases)}};
}

Result<AuditResult> MergeShards(const std::vector<ShardFile>& shards,
                                const std::string& version) {
  if (shards.empty()) return InvalidArgument("there are no shards to merge");
  for (const ShardFile& shard : shards) {
    if (Status known = CheckFormat(shard.json, version); !known) {
      return Named(shard, known.error().message);
    }
  }
  const Json& common = *shards.front().json.Find("audit");
  auto whole = Empty(common);
  if (!whole) return Named(shards.front(), whole.error().message);
  const std::uint64_t count = Whole(common, "shards");
  std::set<std::uint64_t> seen;
  for (const ShardFile& shard : shards) {
    if (*shard.json.Find("audit") != common) {
      return Named(shard,
                   "belongs to another audit than " + shards.front().name);
    }
    const std::uint64_t index = Whole(shard.json, "shard");
    if (index >= count) return Named(shard, "has a number that is too large");
    if (!seen.insert(index).second) {
      return Named(shard, "shard " + std::to_string(index + 1) + "/" +
                              std::to_string(count) + " is there twice");
    }
    if (Status added = AddShard(shard.json, *whole); !added) {
      return Named(shard, added.error().message);
    }
  }
  if (seen.size() < count) {
    return InvalidArgument("missing: shard " + Missing(seen, count));
  }
  SOTTO_TRY(CheckGames(*whole));
  whole->options.shard = 0;
  whole->options.shards = 1;
  SetVerdict(*whole);
  return whole;
}

}  // namespace sotto
