#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/base/label.h"
#include "sotto/base/option.h"

namespace sotto {

// A model of the registry: the facts that an audit of the program needs.
struct ModelSubject {
  std::string command;  // "run" or "fit"
  std::string name;
  std::string example;  // options of a command that works
  OptionTable options;  // of the whole command
  std::vector<LabelType::Kind> labels;
  bool needs_training_set = false;  // it starts from a training set
};

// How the rows come.
struct ModelFormat {
  std::string_view format;  // as in ProgramStream
  bool gzipped = false;
  bool header = true;  // csv
  bool users = true;   // rows have names

  std::string Name() const;
};

// One command line to be audited. Everything about the stream, the outputs and
// the horizon comes on top.
struct ModelCase {
  const ModelSubject* subject = nullptr;
  ModelFormat format = {};
  LabelType::Kind label = LabelType::Kind::kTwo;
  // Names and values; a flag has none.
  std::vector<std::pair<std::string, std::string>> options = {};
  bool labelled_set = false;  // the protected row is in the set it starts from
  bool every_change = false;  // otherwise a few
  std::uint64_t runs = 1;     // in each world
  double epsilon = 3;

  std::string Name() const;
};

// How much is generated.
struct ModelCasePlan {
  std::uint64_t seed = 1;  // which options, pairs and formats meet
  std::uint64_t options = ~std::uint64_t{0};  // values of a model, at most
  std::uint64_t pairs = 20;                   // of options, for each model
  std::uint64_t runs = 0;  // of the cases that are counted; 0: there are none
  // Uses only the models' own formats, few changes beyond csv, and training
  // sets, tables and other labels only there: for checks at every build.
  bool quick = false;
};

// Cases from the tables alone, so that a new entry or option is in them: every
// model in every format, with its default settings, with every kind of label,
// live, and in its training set; then every option at some values of its range,
// in formats that go round; then pairs of options; then `runs` runs of the
// default settings, for what can only be counted. The first are the most
// important ones.
std::vector<ModelCase> ModelCases(const std::vector<ModelSubject>& subjects,
                                  const ModelCasePlan& plan);

// The values that an option is tried at: words, numbers at and near the low end
// of its range, for other texts the words of its help. Never its fallback.
std::vector<std::string> ValuesToTry(const Option& option);

// True if the auditor itself sets it: files, formats, the guarantee.
bool IsSetByAuditor(std::string_view option);

}  // namespace sotto
