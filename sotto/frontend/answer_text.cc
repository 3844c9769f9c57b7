#include "sotto/frontend/answer_text.h"

#include <array>
#include <charconv>

namespace sotto {
namespace {

std::string Shortest(double value) {
  std::array<char, 32> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string LabelText(const Label& label, const LabelType& type) {
  switch (type.kind) {
    case LabelType::Kind::kTwo:
      return label.positive() ? "1" : "0";
    case LabelType::Kind::kClasses:
      return type.names[label.index()];
    case LabelType::Kind::kNumber:
      break;
  }
  return Shortest(label.number());
}

}  // namespace

std::string AnswerText(const Round& round, const LabelType& type,
                       bool probabilities) {
  if (!round.prediction) return "";
  std::string text = LabelText(*round.prediction, type);
  if (probabilities && round.probability) {
    text += " " + Shortest(*round.probability);
  }
  return text;
}

}  // namespace sotto
