#!/usr/bin/env bash
# ./run bench            runs every benchmark, one JSON file each in build/bench/
# ./run bench NAME...    only these (sampler, pld, ...); flags go to them all
set -euo pipefail
cd "$(dirname "$0")/.."
bin=build/release/bin
names=()
flags=()
for argument in "$@"; do
  case "$argument" in
    -*) flags+=("$argument") ;;
    *) names+=("$argument") ;;
  esac
done
if [ ${#names[@]} -eq 0 ]; then
  for path in "$bin"/*_bench; do names+=("$(basename "$path" _bench)"); done
fi
mkdir -p build/bench
for name in "${names[@]}"; do
  if [ ! -x "$bin/${name}_bench" ]; then
    echo "bench: no benchmark '$name'; there are: $(cd "$bin" && ls ./*_bench | sed 's|./||; s|_bench||' | tr '\n' ' ')" >&2
    exit 2
  fi
  echo "== $name" >&2
  "$bin/${name}_bench" --benchmark_format=json "${flags[@]}" | tee "build/bench/$name.json"
done
