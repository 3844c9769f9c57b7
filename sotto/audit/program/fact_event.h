#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sotto/audit/program/fact_reading.h"

namespace sotto {

// The values of one public fact in all runs of both worlds. The runs of a world
// have the same indices in all facts.
struct FactColumn {
  std::string place;
  bool word = false;  // a shape: words, numbers of lines, names of files
  std::vector<FactValue> here;
  std::vector<FactValue> there;

  const std::vector<FactValue>& In(bool other) const {
    return other ? there : here;
  }
  // True if each world has one value.
  bool constant() const;
};

// The runs of an audit, by what they are used for: the first ones order values
// and set thresholds, the next ones choose events, all others are counted.
struct RunParts {
  std::size_t order = 0;
  std::size_t choose = 0;
  std::size_t runs = 0;

  static RunParts Of(std::size_t runs);
  // The runs of an audit in which `counted` of them are counted.
  static std::size_t RunsWith(std::size_t counted);
  std::size_t chosen() const { return order + choose; }
  std::size_t counted() const { return runs - chosen(); }
};

// A set of values of one fact, and the world in which it is likelier.
//
// Threads: a value type.
struct FactEvent {
  FactReading reading = {};
  std::vector<double> members;  // sorted categories; unused if ordered
  double bound = 0;             // ordered: values up to it
  bool complement = false;      // all other values instead
  bool there = false;           // likelier in the other world
  double promise = 0;           // rough bound on epsilon by the choosing runs
  double when = 0;    // log likelihood ratio of "here" if the event happens
  double unless = 0;  // and if it does not

  bool Contains(const FactValue& value) const;
  // "its number is at most 3.5".
  std::string Text() const;
};

// The event with the largest promise over all readings, from the ordering and
// the choosing runs only. A promise of 0 says that there is none.
FactEvent ChooseFactEvent(const FactColumn& column, const RunParts& parts,
                          double delta);

}  // namespace sotto
