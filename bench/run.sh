#!/usr/bin/env bash
# ./run bench            runs every benchmark, one JSON file each in build/bench/
# ./run bench NAME...    only these (sampler, pld, ...), with the given flags;
#                        python and live are scripts and take none, tide is the
#                        tide of real_streams
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
  names+=(python live)
fi
mkdir -p build/bench
measure() {
  case "$1" in
    python)
      PYTHONPATH=build/release/python "$(sed -n 's/^SOTTO_PYTHON_PROGRAM:.*=//p' build/release/CMakeCache.txt)" \
        bench/python_bench.py "$bin/sotto" ;;
    live) python3 bench/live_bench.py "$bin/sotto" build/bench ;;
    tide) "$bin/real_streams_bench" --methods=tide "${flags[@]}" ;;
    *) "$bin/$1_bench" --benchmark_format=json "${flags[@]}" ;;
  esac
}
for name in "${names[@]}"; do
  if [[ ! "$name" =~ ^(python|live|tide)$ ]] && [ ! -x "$bin/${name}_bench" ]; then
    echo "bench: no benchmark '$name'; there are: $(cd "$bin" && ls ./*_bench | sed 's|./||; s|_bench||' | tr '\n' ' ')python live tide" >&2
    exit 2
  fi
  echo "== $name" >&2
  measure "$name" | tee "build/bench/$name.json"
done
