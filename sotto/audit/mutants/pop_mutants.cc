// A small POP: eight copies that each remember one bit a point, and a few
// answers by noisy majority, epsilon 1 each.
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sotto/audit/games/oblivious.h"
#include "sotto/audit/games/rules.h"
#include "sotto/audit/mutants/mutant.h"
#include "sotto/audit/mutants/noise_of.h"
#include "sotto/audit/pop_player.h"

namespace sotto {
namespace {

constexpr std::size_t kCopies = 8;

struct SmallPop {
  FixedWorkLaplace noise;
  bool index_by_state = false;  // teaches the first copy that is wrong
  bool two_copies = false;      // teaches two
  bool cached = false;          // caches its answers
  bool no_stopper = false;      // halts at the second answer, hidden or not
  std::array<std::array<bool, kCopies>, 3> bits = {};
  std::array<std::optional<std::int64_t>, 3> prediction = {};
  int answers = 0;

  void Teach(std::size_t point, bool label, Rng& rng) {
    std::size_t copy = rng.Next() % kCopies;
    if (index_by_state) {
      copy = 0;
      while (copy + 1 < kCopies && bits[point][copy] == label) ++copy;
    }
    bits[point][copy] = label;
    if (two_copies) bits[point][(copy + 1) % kCopies] = label;
  }
  // An absent user with a label teaches and receives no answer.
  Result<std::int64_t> Step(const PointInput& input, Rng& rng) {
    const auto point = static_cast<std::size_t>(input.point);
    std::int64_t answer = 0;
    if (!input.absent) answer = Answer(point, rng);
    if (input.label) Teach(point, *input.label, rng);
    return answer;
  }
  std::int64_t Answer(std::size_t point, Rng& rng) {
    if (cached && prediction[point]) return *prediction[point];
    ++answers;
    std::int64_t votes = 0;
    for (const bool bit : bits[point]) votes += bit ? 1 : 0;
    const std::int64_t noisy = votes + noise.Sample(rng);
    prediction[point] = 2 * noisy >= static_cast<std::int64_t>(kCopies) ? 1 : 0;
    return *prediction[point];
  }
  bool halted() const { return no_stopper && answers >= 2; }
};

SmallPop Pop() { return {NoiseOfRate(1)}; }

using Moves = std::vector<Move<PointInput>>;

const PointInput kTeach{.point = 1, .label = true, .absent = true};
const PointInput kUnteach{.point = 1, .label = false, .absent = true};
const PointInput kAsk{.point = 1};
const PointInput kAskOther{.point = 2};
const PointInput kNobody{.absent = true};

AuditSubject MakeSubject(const SmallPop& mechanism,
                         std::vector<Moves> variants) {
  std::vector<Oblivious<PointInput>> adversaries;
  std::uint64_t rounds = 0;
  for (Moves& moves : variants) {
    rounds = std::max<std::uint64_t>(rounds, moves.size());
    adversaries.emplace_back(std::move(moves));
  }
  AuditSubject subject{"small POP", {}};
  subject.cases.push_back(
      {"isolated-copy",
       "small POP",
       {1, 0},
       MakeGamePair<PointInput>(
           game::Online{.rounds = rounds}, [mechanism] { return mechanism; },
           std::move(adversaries))});
  return subject;
}

// Some users teach the point, then comes the protected user, then one asks.
std::vector<Moves> Isolated() {
  std::vector<Moves> variants;
  for (const std::size_t taught : {2u, 4u, 6u}) {
    Moves moves(taught, Same(kTeach));
    moves.push_back(Challenge(kTeach, kUnteach));
    moves.push_back(Same(kAsk));
    variants.push_back(std::move(moves));
  }
  return variants;
}

// The protected user asks for the point or for another; eight teach it; then
// another user asks for it.
std::vector<Moves> AskedBefore() {
  Moves moves = {Challenge(kAsk, kAskOther)};
  moves.insert(moves.end(), 8, Same(kTeach));
  moves.push_back(Same(kAsk));
  return {moves};
}

// One answer, then that of the protected user or none, then one more.
std::vector<Moves> LastAnswer() {
  return {{Same(kAskOther), Challenge(kAsk, kNobody), Same(kNobody)}};
}

template <typename Change>
SmallPop With(Change change) {
  SmallPop pop = Pop();
  change(pop);
  return pop;
}

}  // namespace

std::vector<Mutant> PopMutants() {
  return {
      {"pop-index-by-state", "the copy that errs is taught", 50'000,
       [] {
         return MakeSubject(With([](SmallPop& p) { p.index_by_state = true; }),
                            Isolated());
       },
       [] { return MakeSubject(Pop(), Isolated()); }},
      {"pop-label-to-two-copies", "a label teaches two copies", 50'000,
       [] {
         return MakeSubject(With([](SmallPop& p) { p.two_copies = true; }),
                            Isolated());
       },
       [] { return MakeSubject(Pop(), Isolated()); }},
      {"pop-cached-answers", "what was told is told again", 20'000,
       [] {
         return MakeSubject(With([](SmallPop& p) { p.cached = true; }),
                            AskedBefore());
       },
       [] { return MakeSubject(Pop(), AskedBefore()); }},
      {"pop-stopper-skipped", "halts at the second answer, hidden or not",
       20'000,
       [] {
         return MakeSubject(With([](SmallPop& p) { p.no_stopper = true; }),
                            LastAnswer());
       },
       [] { return MakeSubject(Pop(), LastAnswer()); }},
  };
}

}  // namespace sotto
