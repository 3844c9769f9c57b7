#include <cstdio>

#include "sotto/base/number_text.h"
#include "sotto/base/printable.h"
#include "sotto/report/figures.h"
#include "sotto/report/metrics.h"
#include "sotto/report/public_run.h"
#include "sotto/report/run_report.h"

namespace sotto {
namespace {

constexpr std::string_view kOwn = " (the operator's own view)";

bool OfNumbers(const RunReport& report) {
  return report.facts.label.kind == LabelType::Kind::kNumber;
}

std::string PublicMistakesText(const PublicRun& shown) {
  if (!shown.mistakes) return "";
  const PublicRun::Mistakes& count = *shown.mistakes;
  std::string text = PlanLine(
      "mistakes",
      "about " + WithCommas(static_cast<std::uint64_t>(count.now.mistakes)) +
          ", a private estimate, within " + WholeWithCommas(count.error) +
          " with probability 95%");
  if (count.counted < shown.rounds) {
    text += PlanLine("", "(of the first " + WithCommas(count.counted) +
                             " rounds: the horizon)");
  }
  return text;
}

// Mistakes, or of numbers the mean absolute error.
std::string Cost(const RunReport& report, double sum) {
  const std::uint64_t labelled = report.stats.now.labelled;
  if (!OfNumbers(report)) {
    return CountAndShare(static_cast<std::uint64_t>(sum), labelled);
  }
  return Short(Ratio(sum, static_cast<double>(labelled)));
}

double OwnCost(const RunReport& report) {
  const RunStats::Point& now = report.stats.now;
  return OfNumbers(report) ? now.error : static_cast<double>(now.mistakes);
}

std::string BaselinesText(const RunReport& report) {
  const RunStats::Baselines& baselines = report.stats.baselines;
  if (report.stats.now.labelled == 0) return "";
  const std::string usual =
      OfNumbers(report) ? "the mean so far" : "the most frequent label so far";
  std::string text =
      PlanLine("without features",
               Cost(report, baselines.majority) + " by saying " + usual) +
      PlanLine("", Cost(report, baselines.last_label) +
                       " by repeating the last label");
  const double own = OwnCost(report);
  if (own > baselines.majority) {
    text += PlanLine("WORSE THAN THAT",
                     "The model errs more than saying " + usual +
                         " would: so far it is of no use on this stream.");
  } else if (own > baselines.last_label) {
    text += PlanLine("labels in runs",
                     "Repeating the last label errs less, but it tells each "
                     "user another's label: nothing private does that.");
  }
  return text;
}

std::string OwnErrors(const RunReport& report) {
  const RunStats& stats = report.stats;
  std::string text =
      PlanLine(OfNumbers(report) ? "mean abs. error" : "mistakes",
               Cost(report, OwnCost(report)) + std::string(kOwn));
  if (stats.log_loss.rounds > 0) {
    text += PlanLine(
        "log loss",
        Short(stats.log_loss.sum / static_cast<double>(stats.log_loss.rounds)));
  }
  if (stats.honest.labelled > 0) {
    text += PlanLine("on honest rows", CountAndShare(stats.honest.mistakes,
                                                     stats.honest.labelled) +
                                           " mistakes");
  }
  text += MetricsText(stats.metrics, report.facts.label);
  text += BaselinesText(report);
  if (report.plain_mistakes) {
    text += PlanLine("without privacy",
                     CountAndShare(*report.plain_mistakes, stats.now.labelled) +
                         " by the same learner");
  }
  if (report.plain_error) {
    text += PlanLine("without privacy", Cost(report, *report.plain_error) +
                                            " by the same learner");
  }
  return text;
}

std::string CountLine(const char* name, std::uint64_t count, const char* what) {
  return count > 0 ? PlanLine(name, WithCommas(count) + what) : "";
}

// Free answers to users over the limit, where the model publishes.
std::string FreeAnswersText(const RunReport& report) {
  const RunStats::FreeAnswers& free = report.stats.free;
  if (free.answered == 0) return "";
  std::string text = WithCommas(free.answered) +
                     " of them from the published model, at no cost";
  if (free.labelled > 0 && !OfNumbers(report)) {
    text += "; mistakes " + CountAndShare(free.mistakes, free.labelled);
  }
  return PlanLine("answered", text);
}

std::string OwnRounds(const RunReport& report) {
  const RunStats& stats = report.stats;
  std::string text;
  if (stats.now.labelled < stats.now.rounds) {
    text += PlanLine("rounds with label", WithCommas(stats.now.labelled));
  }
  text +=
      PlanLine("paid rounds", CountAndShare(stats.now.paid, stats.now.rounds));
  text += CountLine("absent", stats.absent, " (nobody came)");
  text +=
      CountLine("unusable", stats.unusable, " (their rows could not be used)");
  text += CountLine("refused", stats.refused, " (their users had none left)");
  text += FreeAnswersText(report);
  text += CountLine("out of range", report.skipped.clamped,
                    " rows with a number that was moved into its range");
  return text;
}

std::string PlanText(const RunFacts& facts) {
  const OnlineModel::Forecast& forecast = facts.forecast;
  std::string text;
  if (forecast.expected) {
    text += PlanLine("plan expected", WholeWithCommas(*forecast.expected) +
                                          " mistakes over the horizon, " +
                                          forecast.verdict);
  }
  if (forecast.bound) {
    text += PlanLine("proved bound",
                     WholeWithCommas(*forecast.bound) + " (probability " +
                         BoundProbability(facts.parameters) + ")");
  }
  return text;
}

std::string BadRowsText(const SkipCounts& skipped) {
  if (skipped.total() == 0) return "";
  std::string text = PlanLine("bad rows", skipped.Text());
  for (const std::string& place : skipped.places) text += PlanLine("", place);
  const std::size_t named = skipped.places.size();
  if (named > 0 && named < skipped.total()) text += PlanLine("", "...");
  return text;
}

std::string TimeText(const RunReport& report) {
  char seconds[48];
  std::snprintf(seconds, sizeof(seconds), "%.2f s, ", report.seconds);
  return PlanLine(
      "time", seconds +
                  WholeWithCommas(Ratio(static_cast<double>(report.played_now),
                                        report.seconds)) +
                  " rounds/s");
}

}  // namespace

std::string RunText(const RunReport& report) {
  const PublicRun shown = PublicPart(report);
  const bool own = !report.public_only;
  std::string text = "\n" + PlanLine("model", report.facts.in_words) +
                     PlanLine("rounds", WithCommas(shown.rounds));
  text +=
      own ? OwnErrors(report) + OwnRounds(report) : PublicMistakesText(shown);
  text += PlanLine("phases", WithCommas(shown.phases));
  if (shown.halted_at) {
    text += PlanLine("halted", "after round " + WithCommas(*shown.halted_at) +
                                   ": the model's budget is used up");
  }
  text += PlanText(report.facts);
  if (own) text += BadRowsText(report.skipped);
  if (own) text += TimeText(report);
  if (shown.interrupted) text += PlanLine("interrupted", "ended by a signal");
  if (const auto& before = report.facts.spent_before) {
    text += PlanLine("spent in all", report.facts.Total().Text() +
                                         ": the schema's ranges had cost the "
                                         "same people " +
                                         before->Text());
  }
  return Printable(text + "\n" + StatementText(report));
}

}  // namespace sotto
