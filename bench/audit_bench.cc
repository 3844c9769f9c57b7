// How many games can be played in a minute, how near do bounds come to claims
// that are tight, and are all broken mechanisms caught?
//
//   audit_bench                 speed and tightness, JSON
//   audit_bench teeth 100 5001  every mutant, 100 seeds from 5001 on: a table
//                               in Markdown for tools/fill_table.py
//
// Asked: a million games of 100 rounds per world and minute on two cores for
// the sparse vector, 100,000 for POP with 64 copies; nine tenths of a tight
// claim at 99.9 %; each mutant caught in 99 of 100.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "sotto/audit/audit.h"
#include "sotto/audit/games/adversaries.h"
#include "sotto/audit/mutants/mutant.h"
#include "sotto/audit/players.h"
#include "sotto/audit/pop_player.h"
#include "sotto/audit/targets.h"
#include "sotto/base/json.h"
#include "sotto/learners/ensembles/naive_ensemble.h"
#include "sotto/learners/point_learner.h"
#include "sotto/mechanisms/thresholds/sparse_vector.h"

namespace sotto {
namespace {

unsigned Cores() { return std::max(1u, std::thread::hardware_concurrency()); }

// Queries far below: every game has all its rounds.
AuditSubject LongSparseVector() {
  const auto test = std::make_shared<const SparseVector>(
      *SparseVector::Create({.epsilon = 1, .delta = 1e-6, .reports = 30}));
  AuditSubject subject{"sparse-vector", {}};
  subject.cases.push_back({"parking",
                           "100 rounds",
                           {1, 1e-6},
                           MakeGamePair<std::int64_t>(
                               game::AdaptiveQuery{.rounds = 100},
                               [test] { return ThresholdPlayer(*test); },
                               std::vector<Parking>{{-1'000'000, 1}})});
  return subject;
}

// Points that no copy knows: every game has all its rounds.
AuditSubject LongPop() {
  const EnsembleFactory factory =
      [](std::uint64_t,
         std::int64_t copies) -> Result<std::unique_ptr<Ensemble>> {
    return std::unique_ptr<Ensemble>(
        std::make_unique<NaiveEnsemble<PointLearner>>(PointLearner(), copies));
  };
  auto made = PrivateOnlineProcedure::Create(
      {.epsilon = 16,
       .schedule =
           {.handover = PhaseEnd::kStandby,
            .stopper = 0.5,
            .phases = {{.copies = 64, .rate = 0.2, .gap = 4, .reports = 30}}}},
      factory);
  if (!made) {
    std::fprintf(stderr, "%s\n", made.error().message.c_str());
    std::exit(1);
  }
  const auto pop =
      std::make_shared<const PrivateOnlineProcedure>(*std::move(made));
  AuditSubject subject{"pop", {}};
  subject.cases.push_back(
      {"isolated-copy",
       "64 copies, 100 rounds",
       {16, 0},
       MakeGamePair<PointInput>(
           game::Online{.rounds = 100},
           [pop] {
             return PopPlayer<PrivateOnlineProcedure>(*pop->Restarted());
           },
           std::vector<IsolatedCopy>{
               {1, {.point = 1, .label = true}, {.point = 1}}})});
  return subject;
}

Json Speed(const AuditSubject& subject, std::uint64_t runs, double asked) {
  const auto start = std::chrono::steady_clock::now();
  const AuditResult result =
      Audit(subject, {.runs = runs, .looks = 1, .threads = Cores()});
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  const double rate = static_cast<double>(result.worst().runs) / seconds * 60;
  return Json::Object{{"subject", subject.target},
                      {"games_per_world_per_minute", rate},
                      {"asked", asked},
                      {"ratio", rate / asked},
                      {"cores", Cores()}};
}

Json Tightness(const char* target, const char* adversary, std::uint64_t runs,
               double asked) {
  auto subject = *FindAuditTarget(target)->make({});
  if (!KeepOnly(subject, {.adversary = adversary})) return Json();
  const AuditResult result =
      Audit(subject, {.runs = runs, .looks = 1, .threads = Cores()});
  Json::Array cases;
  for (const CaseResult& audit_case : result.cases) {
    cases.push_back(Json::Object{
        {"mechanism", audit_case.mechanism},
        {"epsilon_lower", audit_case.epsilon_lower()},
        {"claimed", audit_case.claim.epsilon},
        {"delta", audit_case.claim.delta},
        {"ratio", audit_case.epsilon_lower() / audit_case.claim.epsilon}});
  }
  return Json::Object{{"target", target},
                      {"adversary", adversary},
                      {"runs", runs},
                      {"asked", asked},
                      {"duels", std::move(cases)}};
}

int Measure() {
  Json report = Json::Object{};
  report["speed"].Add(Speed(LongSparseVector(), 400'000, 1e6));
  report["speed"].Add(Speed(LongPop(), 40'000, 1e5));
  report["tightness"].Add(
      Tightness("laplace", "extremal-pair", 1'000'000, 0.9));
  report["tightness"].Add(
      Tightness("above-threshold", "extremal-pair", 2'000'000, 0.9));
  report["tightness"].Add(
      Tightness("stopper", "extremal-pair", 1'000'000, 0.9));
  report["tightness"].Add(Tightness("mirrors", "hidden-step", 400'000, 0));
  report["tightness"].Add(Tightness("pop", "isolated-copy", 400'000, 0.5));
  std::printf("%s\n", report.Dump().c_str());
  return 0;
}

// Prints for each mutant the fraction of seeds that is caught, and the games
// needed.
int Teeth(std::uint64_t seeds, std::uint64_t first, std::string_view only) {
  std::printf(
      "| mutant | what is broken | games per world | caught | games "
      "needed |\n| --- | --- | --- | --- | --- |\n");
  int missed = 0;
  for (const Mutant& mutant : Mutants()) {
    if (!only.empty() && mutant.name != only) continue;
    const AuditSubject subject = mutant.make();
    std::uint64_t caught = 0;
    std::uint64_t games = 0;
    for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
      const AuditResult result = Audit(
          subject, {.runs = mutant.runs, .seed = seed, .threads = Cores()});
      caught += result.violation() ? 1 : 0;
      games += result.worst().runs;
    }
    std::printf("| `%s` | %s | %llu | %llu of %llu | %llu |\n",
                mutant.name.c_str(), mutant.broken.c_str(),
                static_cast<unsigned long long>(mutant.runs),
                static_cast<unsigned long long>(caught),
                static_cast<unsigned long long>(seeds),
                static_cast<unsigned long long>(games / seeds));
    std::fflush(stdout);
    missed += 100 * caught < 99 * seeds ? 1 : 0;
  }
  return missed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace sotto

int main(int argc, char** argv) {
  if (argc >= 3 && std::string_view(argv[1]) == "teeth") {
    return sotto::Teeth(std::strtoull(argv[2], nullptr, 10),
                        argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1,
                        argc > 4 ? argv[4] : "");
  }
  return sotto::Measure();
}
