#pragma once

#include <string>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/models/fits/fit_columns.h"
#include "sotto/models/fits/fit_hypothesis.h"

namespace sotto {

// A hypothesis as it is kept and published: with the columns it asks about and
// the names of its labels. Nothing else about the data is in it.
//
//   Json json = model.ToJson();            // the caller adds "model"
//   auto again = FitFile::FromJson(json);
//   std::cout << again->Text();
//
// Threads: a value type.
struct FitFile {
  std::string fit = {};  // the name of its entry
  FitColumns columns;    // only those that are asked about, once Narrow()
  FitHypothesis hypothesis = {};
  FitLabels labels = {};

  // The same without columns that no question is about.
  FitFile Narrow() const;
  Json ToJson() const;
  // Fails with kInvalidArgument, saying what is wrong.
  static Result<FitFile> FromJson(const Json& json);

  // if ... then ... / else if ... / else ..., human-readable.
  std::string Text() const;
};

}  // namespace sotto
