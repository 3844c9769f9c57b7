#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sotto/base/result.h"

namespace sotto {

// A JSON value: what reports, published models, schemas and settings are made
// of. Members keep their order.
//
//   Json report = Json::Object{{"model", "pop"}, {"rounds", 1000}};
//   report["mistakes"] = 17;
//   std::string text = report.Dump();
//   auto read = Json::Parse(text);
//
// This header costs nothing to compile; the parser behind it is a package's.
// Threads: a value type.
class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;

  Json() = default;  // null
  // Takes only a bool: pointers would convert to one.
  template <std::same_as<bool> T>
  Json(T value) : value_(value) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Json(T value) : value_(Whole(value)) {}
  Json(double value) : value_(value) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}
  template <typename T>
  Json(const std::optional<T>& value) {
    if (value) *this = Json(*value);
  }

  bool is_null() const { return value_.index() == 0; }
  // Null where it is something else.
  const bool* boolean() const { return std::get_if<bool>(&value_); }
  const std::string* text() const { return std::get_if<std::string>(&value_); }
  const Array* array() const { return std::get_if<Array>(&value_); }
  const Object* object() const { return std::get_if<Object>(&value_); }
  // Any number; a whole one in the range of the type that is asked for.
  std::optional<double> number() const;
  std::optional<std::int64_t> integer() const;
  std::optional<std::uint64_t> natural() const;

  // The member of that name, or null: of an object.
  const Json* Find(std::string_view name) const;
  // Appends the member if there is none. A null becomes an object; requires
  // that it is one of the two.
  Json& operator[](std::string_view name);
  // Appends. A null becomes an array; requires that it is one of the two.
  void Add(Json element);

  // On one line. Numbers that are not finite are null; a text that is not UTF-8
  // has the offending bytes replaced.
  std::string Dump() const;

  // Fails with kInvalidArgument: what, and at which byte. A name that occurs
  // twice in an object and nesting deeper than kMaxDepth are errors.
  static constexpr int kMaxDepth = 64;
  static Result<Json> Parse(std::string_view text);

  friend bool operator==(const Json&, const Json&) = default;

 private:
  using Value = std::variant<std::monostate, bool, std::int64_t, std::uint64_t,
                             double, std::string, Array, Object>;

  template <std::integral T>
  static Value Whole(T value) {
    if constexpr (std::signed_integral<T>) {
      return Value(static_cast<std::int64_t>(value));
    } else {
      return Natural(value);
    }
  }
  // One form for each number, so that equal ones compare equal.
  static Value Natural(std::uint64_t value);
  void Write(std::string& out) const;

  Value value_;
};

}  // namespace sotto
