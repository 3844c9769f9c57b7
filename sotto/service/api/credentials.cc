#include "sotto/service/api/credentials.h"

#include <algorithm>
#include <utility>

#include "sotto/data/files/file_system.h"
#include "sotto/data/files/output_file.h"

namespace sotto::api {
namespace {

constexpr std::size_t kMostBytes = 64U << 20;
constexpr std::size_t kLongestName = 128;
constexpr std::string_view kPrefix = "sotto_";
// A key that was removed is refused after this time at the latest, whatever is
// cut off.
constexpr std::chrono::milliseconds kTrust{10'000};
// A key that was made is honoured after this time, or unavailable.
constexpr std::chrono::milliseconds kFresh{3'000};

std::string Hex(const Key& key) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : key.bytes()) {
    text += kHex[std::to_integer<std::size_t>(byte) >> 4];
    text += kHex[std::to_integer<std::size_t>(byte) & 15];
  }
  return text;
}

// The key of the hashes, made if there is none.
Result<Key> OpenKey(const std::string& path) {
  FileSystem& files = RealFiles();
  SOTTO_TRY_ASSIGN(const auto facts, files.Look(path));
  if (!facts) {
    SOTTO_TRY_ASSIGN(const Key made, Key::Generate());
    const auto bytes = made.bytes();
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                                bytes.size());
    SOTTO_TRY_ASSIGN(const int file, PublishNewFile(files, path, text));
    files.Close(file);
    return made;
  }
  SOTTO_TRY_ASSIGN(const std::string text, files.Read(path, Key::kBytes + 1));
  if (text.size() != Key::kBytes) {
    return Corruption(path + " is not a key of 32 bytes");
  }
  const auto bytes = std::as_bytes(std::span(text));
  return Key::FromBytes(bytes.first<Key::kBytes>());
}

std::string Text(const Json& object, std::string_view name) {
  const Json* found = object.Find(name);
  return found != nullptr && found->text() != nullptr ? *found->text() : "";
}

std::string Hash(const Key& key, std::string_view secret) {
  return Hex(key.Derive("credential-v1", "secret", {secret}));
}

Error NotHere() {
  return FailedPrecondition(
      "a front makes and removes no keys. Ask a process that has the key file");
}

Error InFiles() {
  return FailedPrecondition(
      "this key is in credentials.json, which each process reads for itself. "
      "Remove it there, at every process, and restart them");
}

Credential FromJson(const Json& json) {
  Credential credential{.name = Text(json, "name"), .user = Text(json, "user")};
  if (const Json* models = json.Find("models");
      models != nullptr && models->array() != nullptr) {
    for (const Json& model : *models->array()) {
      if (model.text() != nullptr) credential.models.push_back(*model.text());
    }
  }
  if (const Json* rate = json.Find("rate"); rate != nullptr) {
    credential.rate = rate->number().value_or(0);
  }
  return credential;
}

Json ToJson(const Credential& credential) {
  Json json = Json::Object{{"name", credential.name}};
  if (!credential.user.empty()) json["user"] = credential.user;
  if (!credential.models.empty()) {
    Json models = Json::Array{};
    for (const std::string& model : credential.models) models.Add(model);
    json["models"] = models;
  }
  if (credential.rate > 0) json["rate"] = credential.rate;
  return json;
}

Status CheckName(const std::string& name) {
  const bool good = !name.empty() && name.size() <= kLongestName &&
                    std::all_of(name.begin(), name.end(), [](char c) {
                      return c > 0x20 && c < 0x7f && c != '/';
                    });
  if (good) return Ok();
  return InvalidArgument(
      "the name of a key has 1 to 128 printable characters, without blanks "
      "and slashes");
}

}  // namespace

bool Credential::Allows(std::string_view model) const {
  return models.empty() ||
         std::find(models.begin(), models.end(), model) != models.end();
}

Result<std::unique_ptr<Credentials>> Credentials::Open(
    const std::string& folder) {
  SOTTO_TRY_ASSIGN(const Key key, OpenKey(folder + "/credentials.key"));
  std::unique_ptr<Credentials> made(
      new Credentials(folder + "/credentials.json", key));
  SOTTO_TRY(made->Load());
  return made;
}

Status Credentials::Load() {
  SOTTO_TRY_ASSIGN(const auto facts, RealFiles().Look(path_));
  if (!facts) return Ok();
  SOTTO_TRY_ASSIGN(const std::string text, RealFiles().Read(path_, kMostBytes));
  SOTTO_TRY_ASSIGN(const Json json, Json::Parse(text));
  const Json* keys = json.Find("keys");
  if (keys == nullptr || keys->array() == nullptr) {
    return Corruption(path_ + " has no list \"keys\"");
  }
  for (const Json& key : *keys->array()) {
    const std::string hash = Text(key, "hash");
    if (hash.size() != 2 * Key::kBytes) {
      return Corruption(path_ + " has a key without its hash");
    }
    entries_[hash] = {.credential = FromJson(key)};
  }
  return Ok();
}

Status Credentials::Save() const {
  Json keys = Json::Array{};
  for (const auto& [hash, entry] : entries_) {
    if (entry.shared) continue;
    Json key = ToJson(entry.credential);
    key["hash"] = hash;
    keys.Add(key);
  }
  return WriteOutput(path_, Json(Json::Object{{"keys", keys}}).Dump() + "\n");
}

void Credentials::Share(SharedKeys shared) { shared_ = std::move(shared); }

// A key keeps the rate that it has used up.
void Credentials::SetShared(const std::vector<SharedKey>& keys) {
  const std::scoped_lock lock(mutex_);
  auto before = std::move(entries_);
  entries_.clear();
  for (const SharedKey& key : keys) {
    const auto rights = Json::Parse(key.rights);
    if (!rights) continue;
    Entry& entry = entries_[key.hash];
    if (const auto old = before.find(key.hash); old != before.end()) {
      entry = std::move(old->second);
    }
    entry.credential = FromJson(*rights);
    entry.credential.name = key.name;
    entry.shared = true;
  }
  for (auto& [hash, entry] : before) {
    if (!entry.shared) entries_.emplace(hash, std::move(entry));
  }
}

bool Credentials::known() const {
  return !shared_ || shared_->read_within(kTrust);
}

bool Credentials::current() const {
  return !shared_ || shared_->read_within(kFresh);
}

bool Credentials::empty() const {
  const std::scoped_lock lock(mutex_);
  return entries_.empty();
}

std::optional<Credential> Credentials::Find(std::string_view secret) const {
  std::vector<std::string> hashes = {Hash(key_, secret)};
  if (shared_) hashes.push_back(Hash(shared_->key, secret));
  const std::scoped_lock lock(mutex_);
  for (const std::string& hash : hashes) {
    const auto found = entries_.find(hash);
    if (found != entries_.end()) return found->second.credential;
  }
  return std::nullopt;
}

bool Credentials::Spend(const Credential& credential, double cost,
                        std::chrono::steady_clock::time_point now) {
  if (credential.rate <= 0) return true;
  const std::scoped_lock lock(mutex_);
  for (auto& [hash, entry] : entries_) {
    if (entry.credential.name != credential.name) continue;
    const std::chrono::duration<double> passed = now - entry.filled;
    // A second's worth may be saved up.
    const double most = std::max(1.0, credential.rate);
    entry.tokens =
        std::min(most, entry.tokens + passed.count() * credential.rate);
    entry.filled = now;
    if (entry.tokens < cost) return false;
    entry.tokens -= cost;
  }
  return true;
}

void Credentials::Charge(const Credential& credential, double cost) {
  const std::scoped_lock lock(mutex_);
  for (auto& [hash, entry] : entries_) {
    if (entry.credential.name == credential.name) entry.tokens -= cost;
  }
}

Status Credentials::CheckNew(const std::string& name) const {
  SOTTO_TRY(CheckName(name));
  const std::scoped_lock lock(mutex_);
  for (const auto& [other, entry] : entries_) {
    if (entry.credential.name != name) continue;
    return FailedPrecondition("there is a key named '" + name + "'");
  }
  return Ok();
}

Result<std::string> Credentials::Add(const Credential& credential) {
  const std::scoped_lock one_at_a_time(add_mutex_);
  SOTTO_TRY(CheckNew(credential.name));
  SOTTO_TRY_ASSIGN(const Key random, Key::Generate());
  std::string secret = std::string(kPrefix) + Hex(random);
  if (!shared_) {
    SOTTO_TRY(AddToFile(credential, Hash(key_, secret)));
    return secret;
  }
  if (!shared_->add) return NotHere();
  SOTTO_TRY(shared_->add({.name = credential.name,
                          .hash = Hash(shared_->key, secret),
                          .rights = ToJson(credential).Dump()}));
  return secret;
}

Status Credentials::AddToFile(const Credential& credential,
                              const std::string& hash) {
  const std::scoped_lock lock(mutex_);
  entries_[hash] = {.credential = credential};
  const Status saved = Save();
  if (!saved) entries_.erase(hash);
  return saved;
}

bool Credentials::IsInFile(std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  return std::ranges::any_of(entries_, [name](const auto& item) {
    return !item.second.shared && item.second.credential.name == name;
  });
}

Status Credentials::Remove(std::string_view name) {
  if (shared_) {
    // Other processes may have the same file, and honour the key on.
    if (IsInFile(name)) return InFiles();
    return shared_->remove ? shared_->remove(std::string(name)) : NotHere();
  }
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find_if(entries_, [name](const auto& item) {
    return !item.second.shared && item.second.credential.name == name;
  });
  if (found == entries_.end()) {
    return InvalidArgument("there is no key of that name");
  }
  auto removed = entries_.extract(found);
  if (const Status saved = Save(); !saved) {
    entries_.insert(std::move(removed));
    return saved;
  }
  return Ok();
}

Json Credentials::List() const {
  const std::scoped_lock lock(mutex_);
  Json keys = Json::Array{};
  for (const auto& [hash, entry] : entries_) keys.Add(ToJson(entry.credential));
  return Json::Object{{"keys", keys}};
}

}  // namespace sotto::api
