#include <cmath>

#include "sotto/accounting/notion_words.h"
#include "sotto/accounting/rounding.h"
#include "sotto/base/number_text.h"
#include "sotto/base/printable.h"
#include "sotto/report/run_report.h"

namespace sotto {
namespace {

// Covers the error of exp.
constexpr double kExpError = 1e-14;

std::string Neighbours(const Guarantee& guarantee) {
  return guarantee.relation() == Relation::kAddRemove
             ? "A round replaced by another is two such steps: it is emptied, "
               "then filled."
             : "The same numbers hold if neighbours are rounds present or "
               "absent: a replacement may be nothing, in its place.";
}

std::string OfMistakes(const RunReport& report) {
  if (!report.public_only) {
    return "Mistakes, errors, paid rounds, who came and all else computed from "
           "what users brought are the operator's own view and are not "
           "covered.";
  }
  if (report.count) {
    return "The mistakes shown are a private count, which is part of this "
           "guarantee.";
  }
  return "How often it errs is not shown: there is no private count of it.";
}

std::string Covered(const RunFacts& facts) {
  const bool published = facts.guarantee.notion() == Notion::kDp;
  return (published ? "the published " + facts.publishes + " and " : "") +
         std::string("every other user's predictions");
}

std::string NotCovered(const RunReport& report) {
  if (!report.public_only) {
    return "Not covered: the metrics above and logs of predictions (operator "
           "only).";
  }
  return (report.count ? std::string("The mistakes shown are a private count, "
                                     "part of this guarantee. ")
                       : "") +
         "Not covered: logs of predictions.";
}

}  // namespace

std::vector<std::string> PrivacyStatement(const RunReport& report) {
  const Guarantee& guarantee = report.facts.guarantee;
  std::vector<std::string> said;
  if (report.facts.seeded) {
    said.emplace_back(
        "NOT PRIVATE: a seed makes the noise known to anyone; it is for "
        "experiments only. Without the seed it would be:");
  }
  said.push_back(guarantee.Describe());
  said.emplace_back(
      "That a round took place, and under which name, is public. What it held, "
      "and whether it held anything, is protected.");
  said.push_back(Neighbours(guarantee));
  said.emplace_back(
      "The guarantee is computational: the noise is ChaCha20 under a secret "
      "key. It depends on no horizon and on nothing in the data.");
  said.push_back("Each prediction is for its own user only. " +
                 OfMistakes(report));
  for (const std::string& caveat : report.facts.caveats) said.push_back(caveat);
  return said;
}

std::string StatementText(const RunReport& report) {
  const Guarantee& guarantee = report.facts.guarantee;
  const std::uint64_t rounds = guarantee.rounds_per_user();
  std::string text = "Privacy: ";
  if (report.facts.seeded) {
    text +=
        "NOT PRIVATE: a seed makes the noise known to anyone. Without it:\n  ";
  }
  text += NotionInWords(guarantee.notion()) + ", epsilon " +
          TextUp(guarantee.epsilon()) + ", delta " + TextUp(guarantee.delta()) +
          (guarantee.schedule() ? " over all rounds together" : "") +
          ", for each user (" + WithCommas(rounds) +
          (rounds == 1 ? " round" : " rounds") + "). Covers " +
          Covered(report.facts) +
          ".\n  That a user came is public; what they sent is protected. " +
          NotCovered(report) + " In full: --json, --report.\n";
  for (const std::string& caveat : report.facts.caveats) {
    text += "  " + caveat + "\n";
  }
  return Printable(text);
}

std::string ExplainGuarantee(const Guarantee& guarantee) {
  const double factor = InflateUp(std::exp(guarantee.epsilon()), kExpError);
  const std::string sees = guarantee.notion() == Notion::kDp
                               ? "everything that is released"
                               : "every answer given to everybody else";
  const std::string others = guarantee.adversary() == Adversary::kAdaptive
                                 ? "and chooses what all the others do"
                                 : "and has chosen what all the others do";
  return "Take any one user. That the user's round took place, and under which "
         "name, is public; what it held, and whether it held anything, is "
         "protected. Whoever sees " +
         sees + ", " + others +
         ", can hardly tell: whatever they look for, what this user brought "
         "changes its probability by a factor of at most " +
         TextUp(factor) + ", plus " + TextUp(guarantee.delta()) + " (delta).";
}

}  // namespace sotto
