#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/random/key.h"

namespace sotto::api {

// Rights of the holder of one API key.
struct Credential {
  std::string name;    // of the key
  std::string user{};  // whom it stands for; empty: the caller names users
  std::vector<std::string> models{};  // empty: all
  double rate = 0;                    // requests a second; 0: no limit

  bool Allows(std::string_view model) const;
};

// API keys, as keyed hashes in a file that only the service reads.
//
//   auto keys = Credentials::Open(folder);
//   auto secret = keys->Add({.name = "shop", .rate = 100});  // shown once
//   auto who = keys->Find(*secret);
//
// Threads: thread-safe.
class Credentials {
 public:
  // Uses credentials.json and credentials.key of the folder, and makes the
  // latter. Fails with kUnavailable or kCorruption.
  static Result<std::unique_ptr<Credentials>> Open(const std::string& folder);

  bool empty() const;
  // The rights of a secret. Absent: none.
  std::optional<Credential> Find(std::string_view secret) const;
  // Takes `cost` requests from the allowance of a key. False: too many.
  bool Spend(const Credential& credential, double cost,
             std::chrono::steady_clock::time_point now);
  // Takes more than is there: what a bulk request turned out to hold.
  void Charge(const Credential& credential, double cost);

  // Makes a key and returns its secret. Fails with kFailedPrecondition if the
  // name is taken, with kInvalidArgument for names that cannot be used, and
  // with kUnavailable.
  Result<std::string> Add(const Credential& credential);
  Status Remove(std::string_view name);
  // Names and rights, without hashes.
  Json List() const;

 private:
  struct Entry {
    Credential credential;
    double tokens = 0;
    std::chrono::steady_clock::time_point filled{};
  };

  Credentials(std::string path, const Key& key)
      : path_(std::move(path)), key_(key) {}
  Status Load();
  Status Save() const;
  std::string Hash(std::string_view secret) const;

  std::string path_;
  Key key_;
  mutable std::mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_;  // by hash
};

}  // namespace sotto::api
