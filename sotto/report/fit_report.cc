#include "sotto/report/fit_report.h"

#include "sotto/accounting/guarantee_json.h"
#include "sotto/base/number_text.h"
#include "sotto/base/printable.h"
#include "sotto/report/spend_report.h"

namespace sotto {
namespace {

// Between neighbours that differ by a row the number of rows is a secret.
bool RowsArePublic(const FitReport& report) {
  return report.fitted.guarantee.relation() == Relation::kReplace;
}

std::string BadRowNotes(const FitReport& report) {
  const TableUse& use = report.fitted.use;
  if (use.skipped.total() == 0) return "";
  std::string text =
      use.skipped.Text() +
      (RowsArePublic(report) ? " (a blank row stands for each" : " (left out") +
      "; not covered by the guarantee)\n";
  for (const std::string& row : use.first) text += "  " + row + "\n";
  return text;
}

// "1 row", "1,234 rows".
std::string Rows(std::uint64_t count) {
  return WithCommas(count) + (count == 1 ? " row" : " rows");
}

// Who is a user: nothing to say where each row has a name and a place.
std::string UserNotes(const FitReport& report) {
  const TableUse& use = report.fitted.use;
  std::string text;
  if (use.over_limit > 0) {
    text += Rows(use.over_limit) + " beyond the first " +
            WithCommas(report.fitted.guarantee.rounds_per_user()) +
            " of their user: empty places (not covered by the guarantee)\n";
  }
  if (use.unnamed > 0) {
    text += (RowsArePublic(report) ? Rows(use.unnamed) : "Rows") +
            " without a user name: each counts as a user of its own\n";
  }
  return text;
}

}  // namespace

Json FitJson(const FitReport& report) {
  const FitResult& fitted = report.fitted;
  const bool rows = RowsArePublic(report);
  Json json;
  json["model"] = report.model;
  json["rows"] = rows ? Json(fitted.rows) : Json();
  json["guarantee"] = ToJson(fitted.guarantee);
  json["parts"] = SpendJson(fitted.guarantee);
  json["parameters"] = fitted.parameters;
  json["seconds"] = report.seconds;
  json["private"] = !report.seeded;
  json["skipped"] = fitted.use.skipped.total();
  json["bad_rows"] =
      Json::Array(fitted.use.first.begin(), fitted.use.first.end());
  json["refused"] = fitted.use.over_limit;
  json["unnamed"] = rows ? Json(fitted.use.unnamed) : Json();
  Json not_covered =
      Json::Array{"seconds", "skipped", "bad_rows", "refused", "unnamed"};
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
  const std::string text = BadRowNotes(report) + UserNotes(report);
  return Printable(text + (report.seeded ? "Without the seed: " : "Privacy: ") +
                   report.fitted.guarantee.Describe() + "\n");
}

std::string FitWarning(const FitReport& report) {
  return report.seeded ? "NOT PRIVATE: a seed makes the noise known to anyone; "
                         "it is for experiments only.\n"
                       : "";
}

}  // namespace sotto
