#include "sotto/service/events/model_trouble.h"

#include <utility>

#include "sotto/accounting/rounding.h"

namespace sotto {
namespace {

// Both lives of a model that is rolled back add up.
std::string AfterRollback(const Json& status) {
  const auto epsilon = Look(status, "guarantee", "epsilon").number();
  const auto delta = Look(status, "guarantee", "delta").number();
  if (!epsilon || !delta) return "The promises of both add up.";
  return "The promise for both together becomes epsilon " +
         TextUp(2 * *epsilon) + ", delta " + TextUp(2 * *delta) + ".";
}

Json DescribeFrozen(const Json& status) {
  return Json::Object{
      {"level", "bad"},
      {"title", ReadText(Look(status, "name")) +
                    " is frozen: " + ReadText(Look(status, "reason"))},
      {"text",
       "Every request gets the same refusal, and nothing that is not durable "
       "was shown. Other models keep serving."},
      {"steps",
       Json::Array{
           "Keep all files as they are. Run 'sotto journal verify DIR': it "
           "prints where journal and anchor part. (With a database: 'sotto "
           "engine status URL'.)",
           "If the missing records exist elsewhere, put them back and restart. "
           "The model continues only if journal and anchor agree.",
           "Otherwise 'sotto journal declare-rollback DIR' ('sotto engine "
           "declare-rollback --model NAME URL') retires this model and starts "
           "a fresh one. " +
               AfterRollback(status)}}};
}

}  // namespace

const Json& Look(const Json& json, std::string_view name) {
  static const Json kNull;
  const Json* const found = json.Find(name);
  return found == nullptr ? kNull : *found;
}

const Json& Look(const Json& json, std::string_view outer,
                 std::string_view inner) {
  return Look(Look(json, outer), inner);
}

std::string ReadText(const Json& json) {
  return json.text() == nullptr ? std::string() : *json.text();
}

Json DescribeTrouble(const Json& status) {
  const std::string state = ReadText(Look(status, "state"));
  const std::string name = ReadText(Look(status, "name"));
  if (state == "frozen") return DescribeFrozen(status);
  if (state == "starting") {
    const double done = Look(status, "replayed").number().value_or(0);
    return Json::Object{
        {"level", "warn"},
        {"title", name + " is replaying its journal: " +
                      std::to_string(static_cast<int>(100 * done)) + "%"},
        {"text",
         "Not ready: users get 503 and no round is counted. Answers are "
         "compared with the recorded ones."}};
  }
  if (state == "draining" || state == "ended") {
    return Json::Object{{"level", "warn"},
                        {"title", name + " is draining: new requests get 503"},
                        {"text",
                         "Labels that were acknowledged are durable. The "
                         "process ends by itself."}};
  }
  if (state == "halted") {
    return Json::Object{
        {"level", "warn"},
        {"title", name + " has halted: its budget is used up"},
        {"text",
         "Labels are taken, rounds are not. The promise stays as it is."}};
  }
  const double full = Look(status, "clock", "full_groups").number().value_or(0);
  if (full > 0) {
    return Json::Object{
        {"level", "warn"},
        {"title", name + " had full groups"},
        {"text", ReadText(Look(status, "clock", "text")) +
                     " Larger groups (--clock slots:N) of a new model would "
                     "have room."}};
  }
  return {};
}

}  // namespace sotto
