#include "sotto/models/pop/paper_pop_text.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "sotto/accounting/rounding.h"
#include "sotto/base/number_text.h"

namespace sotto {
namespace {

constexpr double kComfortable = 0.02;
constexpr double kTight = 0.15;
constexpr double kBytesOfCopy = 16;  // at least

std::string Whole(std::int64_t number) {
  return WithCommas(static_cast<std::uint64_t>(number));
}

double Rounds(const PaperPopPlan& plan) {
  return static_cast<double>(plan.params.horizon);
}

std::string Memory(double bytes) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.3g MB", bytes / 1e6);
  return text.data();
}

// Future of the copies, for people.
std::string Fate(const PaperPopPlan& plan) {
  const double rounds = Rounds(plan);
  if (static_cast<double>(plan.params.copies) > rounds) {
    return "; there are more copies than rounds to teach them, so they never "
           "learn";
  }
  if (plan.params.mistakes > 0) return ", if labels are right";
  if (!plan.halts) return ", no halt before the last round";
  return ", halts after about " + WholeWithCommas(*plan.halts) + " rounds";
}

}  // namespace

Json PaperPopParameters(const Settings& settings, const LearnerSpec& spec,
                        const CounterOnlineProcedure::Params& params) {
  const auto& noise = params.noise;
  Json shown = Json::Object{
      {"learner", spec.ToText()},
      {"variant", "paper"},
      {"algorithm", params.mistakes > 0 ? "[POP] Definition F.2, Theorem F.4"
                                        : "[POP] Algorithm 7"},
      {"constants", settings.Text("constants")},
      {"counter", settings.Text("counter")},
      {"horizon", params.horizon},
      {"copies", params.copies},
      {"reports", params.reports},
      {"noise_scale", 1 / noise.rate},
      {"counter_epsilon", noise.counter_epsilon},
      {"counter_failure", noise.counter_failure},
      {"counter_error", noise.late},
      {"rounds_per_user", params.rounds_per_user},
      {"label_delay", settings.GetInt("label-delay")}};
  if (params.mistakes > 0) {
    shown["mistakes_per_phase"] = params.mistakes;
    shown["mistake_counter_epsilon"] = params.mistake_epsilon;
  }
  return shown;
}

std::string PaperPopNumbers(const CounterOnlineProcedure::Params& params) {
  std::array<char, 96> rest;
  std::snprintf(rest.data(), rest.size(),
                " more, noise scale %.4g, counter epsilon %.3g",
                1 / params.noise.rate, params.noise.counter_epsilon);
  std::string numbers = Whole(params.copies) + " copies, " +
                        Whole(params.reports) + " reports or up to " +
                        Whole(params.noise.late) + rest.data();
  if (params.mistakes == 0) return numbers;
  std::snprintf(rest.data(), rest.size(), ", counter epsilon %.3g",
                params.mistake_epsilon);
  return numbers + "; a phase of about " + Whole(params.mistakes) +
         " mistakes" + rest.data();
}

std::string PaperPopLine(const PaperPopPlan& plan) {
  const double share = 100 * plan.expected.mistakes / Rounds(plan);
  std::array<char, 32> percent;
  std::snprintf(percent.data(), percent.size(), " (%.3g %%)", share);
  std::string line =
      PaperPopNumbers(plan.params) + ": " +
      WholeWithCommas(plan.expected.mistakes) + " mistakes" + percent.data() +
      ", " + WholeWithCommas(plan.expected.paid) + " paid" + Fate(plan) +
      "; at least " +
      Memory(kBytesOfCopy * static_cast<double>(plan.params.copies));
  line += plan.delta ? "; a round costs delta " + TextUp(*plan.delta)
                     : "; more reports than the accountant covers (2^40)";
  return line;
}

Verdict PaperPopVerdict(const PaperPopPlan& plan) {
  return VerdictBelow(plan.expected.mistakes, kComfortable * Rounds(plan),
                      kTight * Rounds(plan));
}

std::string PaperPopHaltCaveat(const CounterOnlineProcedure::Params& params) {
  if (params.mistakes > 0) {
    return "A phase ends after about " + Whole(params.mistakes) +
           " mistakes or " + Whole(params.reports) +
           " reports, and fresh copies begin; everything halts after round " +
           WithCommas(params.horizon) +
           " (--horizon), and every later answer is the public constant 0.";
  }
  return "Algorithm 7 halts once, at the latest after round " +
         WithCommas(params.horizon) +
         " (--horizon): from then on every answer is the public constant 0.";
}

void AddHalt(const CounterOnlineProcedure& pop, Json& parameters,
             std::vector<std::string>& caveats) {
  parameters["halted_after"] = pop.rounds();
  caveats.push_back("Halted after round " + WithCommas(pop.rounds()) +
                    ": every answer since is the public constant 0, and "
                    "nothing more is learned.");
}

void AddPaperPopRow(const char* name, const Result<PaperPopPlan>& numbers,
                    Plan& plan) {
  if (!numbers) {
    plan.table += PlanLine(name, numbers.error().message);
    plan.more[name] = Json::Object{{"refused", numbers.error().message}};
    return;
  }
  const auto& params = numbers->params;
  Json row = Json::Object{
      {"copies", params.copies},
      {"reports", params.reports},
      {"noise_scale", 1 / params.noise.rate},
      {"counter_epsilon", params.noise.counter_epsilon},
      {"counter_error", params.noise.late},
      {"mistakes_per_phase", params.mistakes},
      {"mistake_counter_epsilon", params.mistake_epsilon},
      {"mistake_counter_error", numbers->mistake_error},
      {"mistakes_expected", numbers->expected.mistakes},
      {"paid_expected", numbers->expected.paid},
      {"bytes_at_least", kBytesOfCopy * static_cast<double>(params.copies)}};
  row["halts_after"] = numbers->halts ? Json(*numbers->halts) : Json();
  row["delta_of_a_round"] = numbers->delta ? Json(*numbers->delta) : Json();
  row["fits"] = CheckFits(*numbers).has_value();
  plan.more[name] = std::move(row);
  plan.table += PlanLine(name, PaperPopLine(*numbers));
}

void AddPaperPopNotes(const PaperPopPlan& chosen,
                      const Result<PaperPopPlan>& printed, Plan& plan) {
  const bool agnostic = chosen.params.mistakes > 0;
  std::string theorem =
      agnostic
          ? "Theorem F.4: O~(d OPT/epsilon^2 + d^2/epsilon^2) mistakes, OPT "
            "those of the best function"
          : "Theorem 5.3: O~((d^2/epsilon^2) log^2(1/delta) "
            "log^2(T/beta)) mistakes";
  if (agnostic) {
    plan.caveats.emplace_back(
        "The mistakes expected are those of one phase if the labels are right; "
        "wrong labels end phases, each of which learns from the beginning.");
  } else if (printed) {
    const auto most = static_cast<double>(printed->params.reports -
                                          printed->params.noise.late);
    theorem += "; with the printed numbers at most " + WholeWithCommas(most) +
               " with probability 95 %";
    if (most >= Rounds(*printed)) theorem += ", more than there are rounds";
  }
  plan.table += PlanLine("theorem", theorem);
  plan.caveats.push_back(PaperPopHaltCaveat(chosen.params));
  plan.caveats.emplace_back(
      "The mistakes expected are a model of thresholds over numbers that fill "
      "their range evenly (--complexity for other learners).");
  plan.caveats.emplace_back(
      "Serves better: --variant practical: less noise for any horizon, and it "
      "does not halt.");
  if (plan.verdict != Verdict::kComfortable) {
    plan.advice.emplace_back("--variant practical errs less");
  }
}

}  // namespace sotto
