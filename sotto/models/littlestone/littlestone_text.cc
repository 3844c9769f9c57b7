#include "sotto/models/littlestone/littlestone_text.h"

#include <cstdint>

#include "sotto/base/number_text.h"
#include "sotto/models/papers/dp_online_plan.h"

namespace sotto {
namespace {

std::string Times(std::uint64_t number) {
  return number == 1 ? "once" : WithCommas(number) + " times";
}

const char* GetName(Adversary adversary) {
  return adversary == Adversary::kOblivious ? "oblivious" : "adaptive";
}

}  // namespace

Json LittlestoneParameters(const FiniteClassLearner::Params& params) {
  return Json::Object{{"functions", params.functions->size()},
                      {"points", params.functions->points()},
                      {"votes", params.votes},
                      {"votes_for", GetName(params.streams)},
                      {"changes", params.weights.size()},
                      {"limit", params.limit},
                      {"period", params.period},
                      {"stopper", params.stopper},
                      {"rate", params.rate.ToDoubleUp()},
                      {"first_weight", params.weights.front()},
                      {"last_weight", params.weights.back()}};
}

std::string LittlestoneInWords(const FiniteClassLearner::Params& params) {
  return "littlestone: " + WithCommas(params.functions->size()) +
         " functions on " + WithCommas(params.functions->points()) +
         " points; about every " +
         WithCommas(static_cast<std::uint64_t>(params.limit)) +
         (params.votes == 1
              ? " mistakes one of them"
              : " mistakes a majority of " + std::to_string(params.votes)) +
         " is drawn anew, at most " + Times(params.weights.size());
}

Json LittlestoneParameters(const DpOnlineLearner::Params& params) {
  return Json::Object{
      {"functions", params.functions->size()},
      {"points", params.functions->points()},
      {"dimension", params.dimension},
      {"teachers", params.teachers},
      {"p", params.p},
      {"stages", params.stages},
      {"list_size", params.list_size},
      {"lists",
       params.form == TeacherLists::Form::kGreedy ? "greedy" : "exact"},
      {"votes", params.votes},
      {"votes_for", GetName(params.streams)},
      {"changes", params.calls},
      {"limit", params.limit},
      {"period", params.period},
      {"mistake_rate", params.mistake_rate},
      {"agreement", params.agreement},
      {"sample_rate", params.sample_rate},
      {"sample_delta", params.sample_delta}};
}

std::string LittlestoneInWords(const DpOnlineLearner::Params& params) {
  return "littlestone, Algorithms 3 and 4 as printed (DP-OL): " +
         WithCommas(params.teachers) + " teachers over " +
         WithCommas(params.functions->size()) + " functions on " +
         WithCommas(params.functions->points()) + " points; about every " +
         WithCommas(static_cast<std::uint64_t>(params.limit)) +
         " mistakes a majority of " + WithCommas(params.votes) +
         " is drawn anew, at most " + Times(params.calls);
}

std::string DpOnlineNumbersInWords(const DpOnlineLearner::Params& params) {
  const auto scale = [](double rate) { return WholeWithCommas(1 / rate); };
  return WithCommas(params.teachers) + " teachers, " +
         WithCommas(params.votes) + " votes, lists of at most " +
         WithCommas(params.list_size) + "; a call after about " +
         WithCommas(static_cast<std::uint64_t>(params.limit)) +
         " mistakes, at most " + Times(params.calls) + "; noise " +
         scale(params.mistake_rate) + " on mistakes, " +
         scale(params.agreement) + " on agreement" +
         (TeachersSuffice(params) ? ""
                                  : "; these teachers are too few for any "
                                    "draw: nothing is learned");
}

std::string VotesInWords(const FiniteClassLearner::Params& params) {
  if (params.streams == Adversary::kOblivious) {
    return "Learning is meant for streams fixed beforehand, whose maker does "
           "not see what is published (oblivious: " +
           std::to_string(params.votes) +
           (params.votes == 1 ? " vote" : " votes") +
           "); privacy holds against an adaptive adversary all the same.";
  }
  return "Learning is meant for streams made by somebody who sees what is "
         "published (adaptive: " +
         std::to_string(params.votes) +
         (params.votes == 1 ? " vote" : " votes") + ").";
}

std::string VotesInWords(const DpOnlineLearner::Params& params) {
  const std::string votes = WithCommas(params.votes);
  const std::uint64_t enough = VotesFor(
      Adversary::kAdaptive, 0, static_cast<double>(params.functions->points()),
      static_cast<double>(params.calls));
  const std::string all =
      " are enough for all points of the class at every "
      "call, in place of the paper's dual VC dimension";
  if (params.streams == Adversary::kOblivious) {
    return "Learning is meant for streams fixed beforehand, whose maker does "
           "not see what is published (oblivious: " +
           votes + " votes, of the order of ln T as the paper has it; " +
           WithCommas(enough) + all +
           "); privacy holds against an adaptive adversary all the same.";
  }
  return "Learning is meant for streams made by somebody who sees what is "
         "published (adaptive: " +
         votes + " votes; " + WithCommas(enough) + all + ": --votes).";
}

}  // namespace sotto
