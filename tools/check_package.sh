#!/usr/bin/env bash
# Checks that an installed Sotto can be used: tools/check_package.sh BUILD_DIR
#
# Installs into build/consumer/prefix, moves the installation, and then
#   1. builds and runs the examples of tools/consumer by find_package, one of
#      them with the shared library too;
#   2. compiles, by pkg-config, one file that includes every public header;
#   3. links all of libsotto.a into a shared library that leaves no name open,
#      which shows that the code is position-independent and that the package
#      names all that it needs;
#   4. imports the Python module, as installed and as a wheel, which has the
#      program too; asks for metadata without a compiler, and for the sources.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
work=$PWD/build/consumer
rm -rf "$work"
mkdir -p "$work"

cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/prefix"
prefix=$work/prefix

cmake -S tools/consumer -B "$work/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/cmake" >/dev/null
for example in main pop session session_shared; do "$work/cmake/$example"; done

pc=$(find "$prefix" -name sotto.pc)
export PKG_CONFIG_PATH=${pc%/*}
(cd "$prefix/include" && printf '#include "%s"\n' sotto/*.h) >"$work/headers.cc"
cp tools/consumer/main.cc "$work"
# shellcheck disable=SC2046
{
  g++ -std=c++20 -Wall -Wextra -Werror -fsyntax-only "$work/headers.cc" $(pkg-config --cflags sotto)
  g++ -std=c++20 "$work/main.cc" -o "$work/by_pkg_config" $(pkg-config --cflags --libs sotto)
  g++ -shared -o "$work/all.so" -Wl,-z,defs -Wl,--whole-archive \
    "$(find "$prefix" -name libsotto.a)" -Wl,--no-whole-archive $(pkg-config --libs sotto)
}
LD_LIBRARY_PATH=$(dirname "$(find "$prefix" -name libsotto.so)") "$work/by_pkg_config" >/dev/null

# The Python module, from there and from a wheel that is built offline.
python=$(sed -n 's/^SOTTO_PYTHON_PROGRAM:.*=//p' "$build/CMakeCache.txt")
one_round='import sotto; m = sotto.Tide(epsilon=1, delta=1e-6, anyway=True)
assert m.predict_one([1, 0]) in (0, 1) and m.guarantee.epsilon == 1'
PYTHONPATH=$(find "$prefix" -name dist-packages) "$python" -c "$one_round"
"$python" -m pip wheel -q --no-index --no-deps -w "$work/wheel" .
"$python" -m pip install -q --root-user-action=ignore --no-index --no-deps --target "$work/site" "$work"/wheel/*.whl
PYTHONPATH=$work/site "$python" -c "$one_round"
"$work/site/bin/sotto" --version >/dev/null
# Metadata need no compiler, and the source archive has what a build needs.
mkdir -p "$work/metadata"
(cd python/packaging && PATH=/nonexistent "$(command -v "$python")" -c \
  "import wheel_backend as b; b.prepare_metadata_for_build_wheel('$work/metadata'); b.build_sdist('$work')")
grep -q "^Version: " "$work"/metadata/*.dist-info/METADATA
tar tf "$work"/sotto-*.tar.gz >"$work/sources"
for file in CMakeLists.txt pyproject.toml PKG-INFO python/packaging/wheel_backend.py; do
  grep -q "^sotto-[^/]*/$file\$" "$work/sources" ||
    { echo "package: the source archive has no $file" >&2; exit 1; }
done
"$prefix/bin/sotto" --version >/dev/null
echo "package: $(wc -l <"$work/headers.cc") public headers of" \
  "$(find "$prefix/include" -name '*.h' | wc -l) installed; found by CMake and by pkg-config"
