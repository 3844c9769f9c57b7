#include "sotto/base/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>

#include "sotto/base/utf8.h"

namespace sotto {
namespace {

// Builds a Json from the events of the parser, so that its depth and the names
// of its members can be checked on the way.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return Put(Json()); }
  bool boolean(bool value) override { return Put(value); }
  bool number_integer(number_integer_t value) override { return Put(value); }
  bool number_unsigned(number_unsigned_t value) override { return Put(value); }
  bool number_float(number_float_t value, const string_t&) override {
    if (!std::isfinite(value)) return Fail("a number out of range");
    return Put(value);
  }
  bool string(string_t& value) override { return Put(std::move(value)); }
  bool binary(binary_t&) override { return Fail("binary data"); }
  bool start_object(std::size_t) override { return Begin(Json::Object()); }
  bool start_array(std::size_t) override { return Begin(Json::Array()); }
  bool end_object() override { return End(); }
  bool end_array() override { return End(); }
  bool key(string_t& name) override {
    if (open_.back().value.Find(name) != nullptr) {
      return Fail("the name '" + name + "' twice");
    }
    open_.back().name = std::move(name);
    return true;
  }
  bool parse_error(std::size_t place, const std::string&,
                   const nlohmann::detail::exception&) override {
    return Fail("something else at byte " + std::to_string(place));
  }

  Json result;
  std::string fault;

 private:
  struct Level {
    Json value;
    std::string name;  // of the member that comes next
  };

  bool Fail(std::string what) {
    if (fault.empty()) fault = std::move(what);
    return false;
  }
  bool Begin(Json value) {
    if (open_.size() >= Json::kMaxDepth) {
      return Fail("nested deeper than " + std::to_string(Json::kMaxDepth));
    }
    open_.push_back({std::move(value), {}});
    return true;
  }
  bool End() {
    Json value = std::move(open_.back().value);
    open_.pop_back();
    return Put(std::move(value));
  }
  bool Put(Json value) {
    if (open_.empty()) {
      result = std::move(value);
    } else if (open_.back().value.array() != nullptr) {
      open_.back().value.Add(std::move(value));
    } else {
      open_.back().value[open_.back().name] = std::move(value);
    }
    return true;
  }

  std::vector<Level> open_;
};

void WriteNumber(double value, std::string& out) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  std::array<char, 32> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  const std::string_view digits(text.data(),
                                static_cast<std::size_t>(end - text.data()));
  out += digits;
  // The point keeps it a real number for every reader.
  if (digits.find_first_of(".e") == std::string_view::npos) out += ".0";
}

void WriteText(std::string_view text, std::string& out) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = FirstCodePoint(text.substr(i)).bytes;
    const char c = text[i];
    if (size == 0) {
      out += "\xef\xbf\xbd";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += "\\u00";
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[c & 15];
    } else {
      out += text.substr(i, size);
    }
    i += std::max<std::size_t>(size, 1);
  }
  out += '"';
}

}  // namespace

Json::Value Json::Natural(std::uint64_t value) {
  if (value <=
      static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return Value(static_cast<std::int64_t>(value));
  }
  return Value(value);
}

std::optional<double> Json::number() const {
  if (const auto* real = std::get_if<double>(&value_)) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(&value_)) {
    return static_cast<double>(*whole);
  }
  if (const auto* large = std::get_if<std::uint64_t>(&value_)) {
    return static_cast<double>(*large);
  }
  return std::nullopt;
}

std::optional<std::int64_t> Json::integer() const {
  const auto* whole = std::get_if<std::int64_t>(&value_);
  return whole != nullptr ? std::optional(*whole) : std::nullopt;
}

std::optional<std::uint64_t> Json::natural() const {
  if (const auto* large = std::get_if<std::uint64_t>(&value_)) return *large;
  const auto whole = integer();
  if (!whole || *whole < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*whole);
}

const Json* Json::Find(std::string_view name) const {
  const Object* members = object();
  if (members == nullptr) return nullptr;
  const auto place = std::ranges::find(*members, name, &Member::first);
  return place == members->end() ? nullptr : &place->second;
}

Json& Json::operator[](std::string_view name) {
  if (is_null()) value_ = Object();
  if (const Json* there = Find(name); there != nullptr) {
    return const_cast<Json&>(*there);
  }
  return std::get<Object>(value_)
      .emplace_back(std::string(name), Json())
      .second;
}

void Json::Add(Json element) {
  if (is_null()) value_ = Array();
  std::get<Array>(value_).push_back(std::move(element));
}

void Json::Write(std::string& out) const {
  if (is_null()) {
    out += "null";
  } else if (boolean() != nullptr) {
    out += *boolean() ? "true" : "false";
  } else if (const auto* real = std::get_if<double>(&value_)) {
    WriteNumber(*real, out);
  } else if (text() != nullptr) {
    WriteText(*text(), out);
  } else if (const auto whole = integer()) {
    out += std::to_string(*whole);
  } else if (const auto large = natural()) {
    out += std::to_string(*large);
  } else if (array() != nullptr) {
    out += '[';
    for (std::size_t i = 0; i < array()->size(); ++i) {
      if (i > 0) out += ',';
      (*array())[i].Write(out);
    }
    out += ']';
  } else {
    out += '{';
    for (std::size_t i = 0; i < object()->size(); ++i) {
      if (i > 0) out += ',';
      WriteText((*object())[i].first, out);
      out += ':';
      (*object())[i].second.Write(out);
    }
    out += '}';
  }
}

std::string Json::Dump() const {
  std::string out;
  Write(out);
  return out;
}

Result<Json> Json::Parse(std::string_view text) {
  // The parser takes a zero byte for the end and would ignore what follows.
  if (text.find('\0') != std::string_view::npos) {
    return InvalidArgument("expected JSON, found a zero byte");
  }
  Builder builder;
  if (!nlohmann::json::sax_parse(text, &builder) || !builder.fault.empty()) {
    return InvalidArgument("expected JSON, found " + builder.fault);
  }
  return std::move(builder.result);
}

}  // namespace sotto
