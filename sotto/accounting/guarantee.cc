#include "sotto/accounting/guarantee.h"

#include <array>
#include <cmath>
#include <utility>

#include "sotto/accounting/notion_words.h"
#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"

namespace sotto {
namespace {

template <typename Enum>
struct Word {
  Enum value;
  std::string_view text;
};

constexpr std::array<Word<Notion>, 4> kNotions = {{
    {Notion::kDp, "dp"},
    {Notion::kJdp, "jdp"},
    {Notion::kChallengeDp, "challenge-dp"},
    {Notion::kEverlasting, "everlasting"},
}};
constexpr std::array<Word<Relation>, 3> kRelations = {{
    {Relation::kReplace, "replace"},
    {Relation::kAddRemove, "add-remove"},
    {Relation::kChangeByOne, "change-by-one"},
}};
constexpr std::array<Word<Adversary>, 2> kAdversaries = {{
    {Adversary::kAdaptive, "adaptive"},
    {Adversary::kOblivious, "oblivious"},
}};

template <typename Words, typename Enum>
std::string_view ToText(const Words& words, Enum value) {
  for (const auto& word : words) {
    if (word.value == value) return word.text;
  }
  return "unknown";
}

template <typename Enum, typename Words>
Result<Enum> GetValue(const Words& words, std::string_view text,
                      std::string_view what) {
  std::string known;
  for (const auto& word : words) {
    if (word.text == text) return word.value;
    known += (known.empty() ? "" : ", ") + std::string(word.text);
  }
  return InvalidArgument("unknown " + std::string(what) + " '" +
                         std::string(text) + "'; known: " + known);
}

std::string SeenBy(Notion notion, Adversary adversary) {
  std::string text = adversary == Adversary::kAdaptive
                         ? "against an adaptive adversary who"
                         : "against an oblivious adversary, whose choices are "
                           "fixed in advance, who";
  return text + (notion == Notion::kDp
                     ? " sees everything released"
                     : " sees every answer but the protected user's own");
}

// A table may lack a record. Times of rounds are public, so an absent user
// leaves an empty round.
std::string RelationWords(const Guarantee& guarantee) {
  const bool rounds = guarantee.in_rounds();
  const bool many = guarantee.rounds_per_user() > 1;
  std::string what = (many ? "the user's " : "one ") +
                     std::string(rounds ? "round" : "record") +
                     (many ? "s" : "");
  const std::string empty =
      std::string("left empty in ") + (many ? "their places" : "its place");
  switch (guarantee.relation()) {
    case Relation::kReplace:
      return what + " replaced by other data" + (rounds ? ", or " + empty : "");
    case Relation::kAddRemove:
      return what + (rounds ? " present, or " + empty : " added or removed");
    case Relation::kChangeByOne:
      return many ? "lines changed by 1 each" : "one line changed by 1";
  }
  return what;
}

}  // namespace

std::string NotionInWords(Notion notion) {
  switch (notion) {
    case Notion::kDp:
      return "differential privacy";
    case Notion::kJdp:
      return "joint differential privacy";
    case Notion::kChallengeDp:
      return "challenge differential privacy";
    case Notion::kEverlasting:
      return "everlasting privacy";
  }
  return "privacy";
}

std::string_view ToString(Notion notion) { return ToText(kNotions, notion); }
std::string_view ToString(Relation relation) {
  return ToText(kRelations, relation);
}
std::string_view ToString(Adversary adversary) {
  return ToText(kAdversaries, adversary);
}
Result<Notion> ParseNotion(std::string_view word) {
  return GetValue<Notion>(kNotions, word, "notion");
}
Result<Relation> ParseRelation(std::string_view word) {
  return GetValue<Relation>(kRelations, word, "neighbour relation");
}
Result<Adversary> ParseAdversary(std::string_view word) {
  return GetValue<Adversary>(kAdversaries, word, "adversary");
}

Result<Guarantee> Guarantee::Create(Params params) {
  if (!(params.epsilon >= 0) || std::isinf(params.epsilon)) {
    return InvalidArgument("epsilon must be finite and not negative");
  }
  if ((params.notion == Notion::kEverlasting) != params.schedule.has_value()) {
    return InvalidArgument(
        "a delta schedule belongs to the everlasting notion, and to it alone");
  }
  if (params.schedule.has_value() && params.delta != 0) {
    return InvalidArgument("give either delta or a schedule of it");
  }
  if (params.rounds_per_user == 0) {
    return InvalidArgument("a user takes part in at least one round");
  }
  if (params.protects.empty()) {
    return InvalidArgument("a guarantee says what it protects");
  }
  if (params.notion != Notion::kDp) params.in_rounds = true;
  Guarantee guarantee(std::move(params));
  if (!(guarantee.delta() >= 0 && guarantee.delta() < 1)) {
    return InvalidArgument("delta, or its sum, must lie in [0, 1)");
  }
  return guarantee;
}

Result<Guarantee> MakeGuarantee(Guarantee::Params params,
                                const ApproximateDp& asked) {
  SOTTO_TRY_ASSIGN(const auto stated, StatedCost(params.spend, asked));
  params.epsilon = stated.epsilon;
  params.delta = params.schedule ? 0 : stated.delta;
  SOTTO_TRY_ASSIGN(auto guarantee, Guarantee::Create(std::move(params)));
  // The sum of a schedule is rounded, over as many terms as there are rounds.
  if (Total(guarantee.spend()).delta > InflateUp(guarantee.delta(), 1e-9)) {
    return BudgetExhausted("the schedule of delta does not cover its parts");
  }
  return guarantee;
}

double Guarantee::delta() const {
  return params_.schedule ? params_.schedule->Sum() : params_.delta;
}

std::string Guarantee::Describe() const {
  const bool everlasting = params_.schedule.has_value();
  const std::string unit = in_rounds() ? " round" : " record";
  std::string text =
      "(" + TextUp(epsilon()) + ", " +
      (everlasting ? "delta(i)" : TextUp(delta())) + ")-" +
      NotionInWords(notion()) + " for one user with at most " +
      std::to_string(rounds_per_user()) + unit +
      (rounds_per_user() > 1 ? "s, " : ", ") + SeenBy(notion(), adversary()) +
      "; neighbours: " + RelationWords(*this) + "; protected: " + protects();
  if (everlasting) text += "; " + params_.schedule->Describe();
  return text + ".";
}

}  // namespace sotto
