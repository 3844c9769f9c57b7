#!/usr/bin/env bash
# tools/fuzz.sh NAME [RUNS]: fuzzes tools/fuzz/NAME_target.cc with clang's libFuzzer,
# AddressSanitizer and UndefinedBehaviorSanitizer, from the kept corpus. What it
# finds goes to build/fuzz/NAME. Needs the packages clang-14 and libclang-rt-14-dev.
set -euo pipefail
cd "$(dirname "$0")/.."
name=$1
runs=${2:-100000}
case "$name" in
  http) sources=(sotto/service/http/{request_parser,chunk_decoder,strict_head,message}.cc) ;;
  lines) sources=(sotto/service/api/bulk_lines.cc sotto/base/{json,utf8}.cc) ;;
  journal) sources=(sotto/journal/{anchor,block,journal,journal_keys,sealed_record,segment}.cc
                    sotto/data/files/file_system.cc sotto/random/key.cc) ;;
  tickets) sources=(sotto/service/{repeat_table,ticket_seal}.cc sotto/durable/record.cc
                    sotto/base/{json,label,number_text,utf8}.cc sotto/random/key.cc) ;;
  *) echo "fuzz: no target '$name'; there are: http lines journal tickets" >&2; exit 2 ;;
esac
folder=build/fuzz/$name
mkdir -p "$folder/found"
clang++-14 -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
  -I. "tools/fuzz/${name}_target.cc" "${sources[@]}" \
  -lsodium -lz -o "$folder/fuzz"
# Without stacks of allocations an execution takes a sixth less; run a finding
# again with ASAN_OPTIONS= to see them.
export ASAN_OPTIONS=${ASAN_OPTIONS-malloc_context_size=0}
exec "$folder/fuzz" -runs="$runs" -max_len=2048 -artifact_prefix="$folder/" \
  "$folder/found" "tools/fuzz/corpus/$name"
