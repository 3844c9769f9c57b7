#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/base/json.h"

namespace sotto {

// Reads an untrusted object. A member that is missing or of another type
// is remembered, not fatal: it reads as 0, empty or false, and the first such
// member is in `fault`. So a decoder reads all its fields and asks once.
//
//   std::string fault;
//   JsonFields model(json, fault);
//   const auto rows = model.Natural("rows", 1'000'000);
//   for (const JsonFields& rule : model.Array("rules")) rule.Flag("holds");
//   if (!fault.empty()) return InvalidArgument(fault);
//
// Threads: not thread-safe. Both arguments must outlive it.
class JsonFields {
 public:
  JsonFields(const Json& json, std::string& fault)
      : JsonFields(json, fault, "") {}

  bool Has(std::string_view name) const;  // and it is not null
  bool Flag(std::string_view name) const;
  // Finite.
  double GetDouble(std::string_view name) const;
  std::int64_t Integer(std::string_view name) const;
  // At most `most`.
  std::uint64_t Natural(std::string_view name, std::uint64_t most) const;
  std::string Text(std::string_view name) const;
  JsonFields Object(std::string_view name) const;
  // Elements that are objects, numbers or texts.
  std::vector<JsonFields> Array(std::string_view name) const;
  std::vector<double> Reals(std::string_view name) const;
  std::vector<std::string> Texts(std::string_view name) const;

  // Something else that is wrong with the member; where it is, is put before.
  void Refuse(std::string_view name, std::string_view expected) const;

 private:
  JsonFields(const Json& json, std::string& fault, std::string path)
      : json_(&json), fault_(&fault), path_(std::move(path)) {}
  const Json& At(std::string_view name) const;
  const Json::Array& ArrayAt(std::string_view name) const;

  const Json* json_;
  std::string* fault_;
  std::string path_;  // "rules[3]."
};

}  // namespace sotto
