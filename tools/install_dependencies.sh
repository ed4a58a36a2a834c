#!/usr/bin/env bash
# Installs the Debian packages a task needs, if any is missing. Says what it does; asks for nothing.
#
#   install_dependencies.sh GROUP...     groups: build, wasm, test, python, bench, deep, package, inspect
set -euo pipefail

build=(g++ cmake ninja-build pkg-config libexpected-dev libfmt-dev nlohmann-json3-dev zlib1g-dev
       libzip-dev libssl-dev libcli11-dev libcurl4-openssl-dev libeigen3-dev libsqlite3-dev
       libboost-math-dev liblbfgs-dev coinor-libclp-dev libjpeg62-turbo-dev
       libxgboost-dev libpq-dev libonnx-dev libprotobuf-dev)
# Compiles the accountant for browsers; without it pages are written without the recipient's check.
wasm=(clang-16 lld-16 libc++-16-dev-wasm32 libc++abi-16-dev-wasm32 libclang-rt-16-dev-wasm32 wasi-libc)
test=("${wasm[@]}" libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev clang-format-14 clang-tidy-14
      ccache clang-14 libclang-rt-14-dev python3 python3-numpy python3-pandas python3-sklearn python3-pytest
      python3-matplotlib python3-tqdm python3-xgboost python3-setuptools python3-wheel python3-build mypy qemu-user
      chromium postgresql-15 zsh fish groff-base dpkg-dev file
      libopenmpi-dev openmpi-bin libmpich-dev mpich)
python=(python3 python3-numpy python3-setuptools python3-wheel python3-build)
bench=(libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev python3 python3-pandas
       libopenblas0-pthread)
# Never libopenblas0-serial: under several threads it returns wrong products.
deep=(g++ cmake ninja-build libgtest-dev libtorch-dev libopenblas0-pthread)
package=("${wasm[@]}" dpkg-dev file python3 python3-setuptools python3-wheel)
inspect=(lintian debootstrap)  # tools/check_package.sh
# Node may have come from elsewhere; what counts is that npm runs.
command -v npm >/dev/null && command -v node >/dev/null || build+=(nodejs npm)

wanted=()
for group in "$@"; do
  declare -n packages="$group"
  wanted+=("${packages[@]}")
done

missing=()
for package in "${wanted[@]}"; do
  dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
    missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "dpfermi: these Debian packages are missing and you are not root: ${missing[*]}" >&2
    exit 1
  }
  as_root=(sudo)
fi
echo "Installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
