#include "sotto/frontend/publication_log.h"

#include <optional>
#include <utility>

namespace sotto {
namespace {

// A factor on the rounds so far: a publication sooner than this after the last
// that was kept is passed over.
constexpr double kApart = 1.5;

// The question that the hypothesis asks, if it is one about a number.
std::optional<Publication::Cut> FindCut(const Json& model) {
  const Json* hypothesis = model.Find("hypothesis");
  const Json* tests =
      hypothesis == nullptr ? nullptr : hypothesis->Find("tests");
  if (tests == nullptr || tests->array() == nullptr ||
      tests->array()->size() != 1) {
    return std::nullopt;
  }
  const Json* column = tests->array()->front().Find("column");
  const Json* value = tests->array()->front().Find("at_least");
  if (column == nullptr || value == nullptr || column->text() == nullptr ||
      !value->number()) {
    return std::nullopt;
  }
  return Publication::Cut{*column->text(), *value->number()};
}

}  // namespace

PublicationLog::PublicationLog(Session& session, Show show)
    : session_(session), show_(std::move(show)) {
  if (show_) session_.OnPhaseChange([this] { Note(); });
}

PublicationLog::~PublicationLog() { session_.OnPhaseChange({}); }

void PublicationLog::Note() {
  const double last =
      entries_.empty() ? 0 : static_cast<double>(entries_.back().by);
  passed_over_ = static_cast<double>(session_.rounds()) < kApart * last;
  if (!passed_over_) Keep(entries_);
}

void PublicationLog::Keep(std::vector<Publication>& entries) const {
  const auto model = session_.Hypothesis();
  if (!model) return;
  auto text = show_(*model);
  if (!text) return;
  entries.push_back({session_.rounds(), *std::move(text), FindCut(*model)});
}

std::vector<Publication> PublicationLog::Entries() const {
  std::vector<Publication> entries = entries_;
  if (passed_over_) Keep(entries);
  return entries;
}

}  // namespace sotto
