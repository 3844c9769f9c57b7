#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

#include "sotto/base/ieee.h"  // for all who include anything of ours

namespace sotto {

// The kind of a failure. The command line maps each code to an exit code, the
// service to an HTTP status, the Python module to an exception class.
enum class ErrorCode {
  kInvalidArgument,     // The caller passed a value the contract forbids.
  kFailedPrecondition,  // The object is not in a state that allows the call.
  kBudgetExhausted,     // Answering would exceed the declared privacy budget.
  kNotConverged,        // A numerical bound could not be certified.
  kCorruption,          // Stored bytes do not match their checksum or format.
  kUnavailable,         // A file, peer or device did not answer.
};

struct Error {
  ErrorCode code;
  std::string message;
};

// Either a T or the Error that explains its absence.
//
// The observers carry the names of std::expected, so that moving to it, once
// the compiler has it, is a change of alias. An error path is an output: a
// function whose failure could depend on private data must say so, and a
// signature that returns Result is where a proof sees it.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  // Requires has_value().
  const T& operator*() const& { return *Get(this); }
  T& operator*() & { return *Get(this); }
  T&& operator*() && { return std::move(*Get(this)); }
  const T* operator->() const { return Get(this); }
  T* operator->() { return Get(this); }

  // Requires !has_value().
  const Error& error() const {
    assert(!has_value());
    return *std::get_if<1>(&state_);
  }

 private:
  template <typename Self>
  static auto* Get(Self* self) {
    assert(self->has_value());
    return std::get_if<0>(&self->state_);
  }

  std::variant<T, Error> state_;
};

// Success, or the error.
using Status = Result<std::monostate>;
inline Status Ok() { return std::monostate{}; }

// Returns from the enclosing function with the error if `...`, a Status or a
// Result, failed. Both macros return: an error path stays visible where it is.
#define SOTTO_TRY(...) \
  if (auto sotto_tried = (__VA_ARGS__); !sotto_tried) return sotto_tried.error()

// Declares a variable with the value of a Result, or returns its error:
//   SOTTO_TRY_ASSIGN(const auto schema, Schema::FromFile(path));
#define SOTTO_TRY_ASSIGN(declaration, ...) \
  SOTTO_TRY_ASSIGN_AS(SOTTO_TRY_NAME(__LINE__), declaration, __VA_ARGS__)
#define SOTTO_TRY_ASSIGN_AS(name, declaration, ...) \
  auto name = (__VA_ARGS__);                        \
  if (!name) return name.error();                   \
  declaration = *std::move(name)
#define SOTTO_TRY_NAME(line) SOTTO_TRY_JOIN(sotto_tried_, line)
#define SOTTO_TRY_JOIN(a, b) a##b

// One helper for each code: return Corruption("the saved users make no sense");
inline Error InvalidArgument(std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message)};
}
inline Error FailedPrecondition(std::string message) {
  return {ErrorCode::kFailedPrecondition, std::move(message)};
}
inline Error BudgetExhausted(std::string message) {
  return {ErrorCode::kBudgetExhausted, std::move(message)};
}
inline Error NotConverged(std::string message) {
  return {ErrorCode::kNotConverged, std::move(message)};
}
inline Error Corruption(std::string message) {
  return {ErrorCode::kCorruption, std::move(message)};
}
inline Error Unavailable(std::string message) {
  return {ErrorCode::kUnavailable, std::move(message)};
}

}  // namespace sotto
