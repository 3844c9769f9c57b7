#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sotto/base/result.h"
#include "sotto/data/files/file_system.h"
#include "sotto/journal/journal.h"
#include "sotto/random/key.h"

namespace sotto {

using KeyId = std::array<std::uint8_t, 8>;

// The four keys of a model, derived from one root for its lineage, and a public
// name of the sealing key.
//
//   auto root = ReadKeyFile("sotto.key");
//   JournalKeys keys = JournalKeys::Derive(*root, journal->lineage());
//
// Threads: a value type.
struct JournalKeys {
  Key names;    // of users, in ledger and records
  Key noise;    // of the session
  Key tickets;  // of the session
  Key sealing;  // of records and snapshots
  KeyId sealing_id;

  static JournalKeys Derive(const Key& root, const Lineage& lineage);
};

// Makes a key file, mode 0600, with a key or a fresh root. Fails with
// kFailedPrecondition if something is at the path: a key is never replaced.
Status WriteKeyFile(const std::string& path, const Key& key,
                    FileSystem& files = RealFiles());
Result<Key> CreateKeyFile(const std::string& path,
                          FileSystem& files = RealFiles());
// Fails with kUnavailable if the file cannot be read, kFailedPrecondition if
// others than its owner may read it, kCorruption if it holds no key.
Result<Key> ReadKeyFile(const std::string& path,
                        FileSystem& files = RealFiles());

}  // namespace sotto
