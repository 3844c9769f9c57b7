#include "sotto/models/fits/published_fit.h"

#include <utility>
#include <vector>

#include "sotto/accounting/guarantee_json.h"
#include "sotto/base/printable.h"
#include "sotto/models/fits/fit_file.h"

namespace sotto {

Result<std::string> ShowFit(const Json& model) {
  SOTTO_TRY_ASSIGN(const auto file, FitFile::FromJson(model));
  std::string text = file.Text();
  if (const Json* promise = model.Find("guarantee"); promise != nullptr) {
    SOTTO_TRY_ASSIGN(const auto guarantee, GuaranteeFromJson(*promise));
    text += "Privacy: " + guarantee.Describe() + "\n";
  }
  return Printable(text);
}

Result<PublishedModel> ReadFit(const Json& model) {
  SOTTO_TRY_ASSIGN(auto file, FitFile::FromJson(model));
  PublishedModel published{
      .encoding = {.schema = MakeSchema(file.columns)},
      .label = {.names = {file.labels.negative, file.labels.positive}},
      .label_column = file.labels.column};
  if (!file.hypothesis.table().empty()) {
    published.encoding.raw_numbers = true;  // points are numbered, not measured
    published.limits.points = file.columns[0].points;
  }
  published.predict = [file = std::move(file)](FeatureView x) {
    std::vector<std::uint32_t> codes(file.columns.size());
    file.columns.Encode(x, codes);
    return PublishedModel::Answer{Label(file.hypothesis.Predict(codes))};
  };
  return published;
}

}  // namespace sotto
