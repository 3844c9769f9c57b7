#!/usr/bin/env bash
# tools/install_packages.sh         installs what tools/apt-packages.txt names and the
#                                   machine lacks
# tools/install_packages.sh build   only what is needed to build and run
# Does nothing, and needs no network, when all of it is there.
set -euo pipefail
cd "$(dirname "$0")/.."
last='$'
[ "${1:-}" = build ] && last='/^# to test/'
mapfile -t wanted < <(sed -n "1,${last}p" tools/apt-packages.txt | sed -e 's/#.*//' -e '/^[[:space:]]*$/d')
missing=()
for package in "${wanted[@]}"; do
  status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0
if [ "$(id -u)" -ne 0 ]; then
  echo "install_packages: not root; as root run: apt-get install ${missing[*]}" >&2
  exit 1
fi
echo "Installing ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq >&2
apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
