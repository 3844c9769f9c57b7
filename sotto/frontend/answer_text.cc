#include "sotto/frontend/answer_text.h"

#include "sotto/base/number_text.h"

namespace sotto {

std::string AnswerText(const Round& round, const LabelType& type,
                       bool probabilities) {
  if (!round.prediction) return "";
  std::string text = type.Name(*round.prediction);
  if (probabilities && round.probability) {
    text += " " + Shortest(*round.probability);
  }
  return text;
}

}  // namespace sotto
