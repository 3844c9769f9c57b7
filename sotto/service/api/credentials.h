#pragma once

#include <chrono>
#include <functional>
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

// A key that all processes of a service honour: a keyed hash of its secret and
// its rights, as JSON.
struct SharedKey {
  std::string name;
  std::string hash;
  std::string rights;
};

// Where processes share keys.
struct SharedKeys {
  Key key;  // of the hashes: the same for all
  // Fail as Credentials::Add and Remove do. Null: keys are made elsewhere.
  std::function<Status(const SharedKey&)> add{};
  std::function<Status(const std::string& name)> remove{};
  // True if all keys were known that short a time ago.
  std::function<bool(std::chrono::milliseconds)> read_within{};
};

// API keys, as keyed hashes: in a file that only the service reads, or shared
// with other processes. Then new ones are shared, and those of the file count
// for this process.
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

  // Honours the keys of other processes, too. Before the first request.
  void Share(SharedKeys shared);
  // Replaces the shared keys by all that there are now.
  void SetShared(const std::vector<SharedKey>& keys);

  // False if shared keys are not known, or a key may have been removed long
  // ago: then no key is honoured.
  bool known() const;
  // False if a key that is not found may have been made meanwhile.
  bool current() const;
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
  // Fails with kInvalidArgument if there is none of that name, and as Add does.
  Status Remove(std::string_view name);
  // Names and rights, without hashes.
  Json List() const;

 private:
  struct Entry {
    Credential credential;
    bool shared = false;
    double tokens = 0;
    std::chrono::steady_clock::time_point filled{};
  };

  Credentials(std::string path, const Key& key)
      : path_(std::move(path)), key_(key) {}
  Status Load();
  Status Save() const;
  Status CheckNew(const std::string& name) const;
  Status AddToFile(const Credential& credential, const std::string& hash);
  bool IsInFile(std::string_view name) const;

  std::string path_;
  Key key_;
  std::optional<SharedKeys> shared_;
  std::mutex add_mutex_;  // one key is made at a time
  mutable std::mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_;  // by hash
};

}  // namespace sotto::api
