#include "sotto/report/fit_report.h"

#include "sotto/accounting/guarantee_json.h"
#include "sotto/base/printable.h"

namespace sotto {
namespace {

// Between neighbours that differ by a row the number of rows is a secret.
bool RowsArePublic(const FitReport& report) {
  return report.fitted.guarantee.relation() == Relation::kReplace;
}

}  // namespace

Json FitJson(const FitReport& report) {
  const FitResult& fitted = report.fitted;
  const bool rows = RowsArePublic(report);
  Json json;
  json["model"] = report.model;
  json["rows"] = rows ? Json(fitted.rows) : Json();
  json["guarantee"] = ToJson(fitted.guarantee);
  json["parameters"] = fitted.parameters;
  json["seconds"] = report.seconds;
  json["private"] = !report.seeded;
  if (report.skip_bad) json["skipped"] = fitted.skipped.total();
  Json not_covered = Json::Array{"seconds", "skipped"};
  if (!rows) not_covered.Add("rows");
  json["not_covered"] = std::move(not_covered);
  if (!rows) {
    json["rows_withheld"] =
        "under add-remove the number of rows is not covered by the guarantee";
  }
  return json;
}

std::string FitText(const FitReport& report) {
  return Printable(report.fitted.text);
}

std::string FitNotes(const FitReport& report) {
  std::string text;
  const SkipCounts& skipped = report.fitted.skipped;
  if (skipped.total() > 0) {
    text += skipped.Text() +
            (RowsArePublic(report) ? " (a blank row stands for each"
                                   : " (left out") +
            "; not covered by the guarantee)\n";
  }
  return Printable(text + (report.seeded ? "Without the seed: " : "Privacy: ") +
                   report.fitted.guarantee.Describe() + "\n");
}

std::string FitWarning(const FitReport& report) {
  return report.seeded ? "NOT PRIVATE: a seed makes the noise known to anyone; "
                         "it is for experiments only.\n"
                       : "";
}

}  // namespace sotto
