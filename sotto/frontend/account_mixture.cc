#include "sotto/frontend/account_mixture.h"

#include <cstdint>
#include <utility>

#include "sotto/base/printable.h"
#include "sotto/data/schemas/schema_facts.h"
#include "sotto/data/streams/line_io.h"

namespace sotto {
namespace {

constexpr std::string_view kMethod = "privacy loss distribution";

// NAME:PARAMETER/SECOND*COUNT, as texts.
struct Part {
  std::string name;
  std::string parameter;
  std::string second;
  std::string count = "1";
};

// Cuts `text` at the last `mark`, and returns what stood behind it.
std::string CutAt(std::string& text, char mark) {
  const std::size_t at = text.rfind(mark);
  if (at == std::string::npos) return "";
  std::string end = text.substr(at + 1);
  text.resize(at);
  return end;
}

Part SplitPart(std::string text) {
  Part part;
  if (text.find('*') != std::string::npos) part.count = CutAt(text, '*');
  part.second = CutAt(text, '/');
  part.parameter = CutAt(text, ':');
  part.name = std::move(text);
  return part;
}

Result<PrivacyLoss> MakeLoss(const Part& part, double parameter,
                             double second) {
  if (part.name == "dp") return PrivacyLoss::ApproximateDp(parameter, second);
  if (!part.second.empty()) return InvalidArgument("only dp takes a second");
  if (part.name == "laplace") return PrivacyLoss::Laplace(parameter);
  if (part.name == "gaussian") return PrivacyLoss::Gaussian(parameter);
  if (part.name == "pure") return PrivacyLoss::RandomizedResponse(parameter);
  if (part.name == "discrete-laplace") {
    return PrivacyLoss::DiscreteLaplace(parameter);
  }
  if (part.name == "discrete-gaussian") {
    return PrivacyLoss::DiscreteGaussian(parameter);
  }
  return InvalidArgument("unknown mechanism");
}

Result<LossTerm> ParsePart(const std::string& text) {
  const Part part = SplitPart(text);
  const auto parameter = ParseReal(part.parameter);
  const auto second =
      part.second.empty() ? std::optional(0.0) : ParseReal(part.second);
  const auto count = ParseCount(part.count);
  if (!parameter || !second || !count || *count == 0) {
    return InvalidArgument("--compose " + Quoted(text) +
                           ": expected NAME:PARAMETER or NAME:PARAMETER*COUNT, "
                           "such as laplace:20*100 or dp:0.5/1e-7");
  }
  auto loss = MakeLoss(part, *parameter, *second);
  if (!loss) {
    return InvalidArgument("--compose " + Quoted(text) + ": " +
                           loss.error().message);
  }
  return LossTerm{*std::move(loss), static_cast<std::uint64_t>(*count)};
}

}  // namespace

Result<std::vector<LossTerm>> ParseMixture(const std::string& text) {
  std::vector<LossTerm> terms;
  for (const std::string& part : Split(text, ',')) {
    SOTTO_TRY_ASSIGN(auto term, ParsePart(part));
    terms.push_back(std::move(term));
  }
  return terms;
}

Result<AccountAnswer> MixtureEpsilon(const std::string& text, double delta) {
  SOTTO_TRY_ASSIGN(const auto terms, ParseMixture(text));
  SOTTO_TRY_ASSIGN(const double epsilon, TightEpsilon(terms, delta));
  return AccountAnswer{
      .epsilon = epsilon, .delta = delta, .method = std::string(kMethod)};
}

Result<AccountAnswer> MixtureDelta(const std::string& text, double epsilon) {
  SOTTO_TRY_ASSIGN(const auto terms, ParseMixture(text));
  SOTTO_TRY_ASSIGN(const double delta, TightDelta(terms, epsilon));
  return AccountAnswer{
      .epsilon = epsilon, .delta = delta, .method = std::string(kMethod)};
}

}  // namespace sotto
