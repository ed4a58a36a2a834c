#!/bin/sh
# dpfermi-deep as the tool calls it: what it writes, and one line for what is wrong.
#   component_test.sh PATH_OF_DPFERMI_DEEP
set -eu
deep=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "component_test: $*" >&2
  exit 1
}
# refused TEXT WORDS...: fails with one line that holds TEXT.
refused() {
  text=$1
  shift
  if "$deep" "$@" 2> said; then fail "'$*' was not refused"; fi
  [ "$(wc -l < said)" -eq 1 ] || fail "'$*' said more than one line: $(cat said)"
  grep -q -- "$text" said || fail "'$*' said: $(cat said)"
}

# 20 images of 16 x 16 in a pack, three classes, the last five images held out.
head -c $((256 + 20 * 16 * 16 * 3)) /dev/urandom > images.pack
for i in 0 1 2 3 4; do printf '\000\000\001\000\002\000'; done > labels
for i in 1 2 3 4 5; do printf '\377\377'; done >> labels
common="--images images.pack --model small --side 16 --classes 3"

refused "is not a verb" sing
refused "--out is required" train $common --labels labels
refused "cannot be read" train $common --images none.pack --labels labels --out network
refused "pack them at this size" train $common --side 24 --labels labels --out network
refused "unknown model" train $common --model vgg99 --labels labels --out network
refused "GPU" train $common --device gpu --labels labels --out network
refused "make it again" train $common --labels images.pack --out network
[ ! -e network ] || fail "a network was left behind"

"$deep" train $common --labels labels --batch 4 --epochs 2 --out network 2> said
before=$(cksum < network)
"$deep" train $common --labels labels --batch 4 --epochs 2 --out network 2> said
[ "$(cksum < network)" = "$before" ] || fail "a finished network was trained again"
mv network before
"$deep" train $common --labels labels --batch 4 --epochs 2 --workers 3 --out network 2> said
cmp -s network before || fail "a network depends on the number of workers"
refused "other settings" train $common --labels labels --batch 5 --epochs 2 --out network

"$deep" features $common --network network --out features
[ "$(wc -c < features)" -eq $((20 * (16 + 3) * 4)) ] || fail "features have a wrong size"
"$deep" predict $common --network network --out f
[ "$(wc -c < f)" -eq $((20 * 3 * 4)) ] || fail "probabilities have a wrong size"
refused "wrong number of parameters" features $common --classes 4 --network network --out x
refused "is not a network" features $common --network labels --out x
[ ! -e x ] || fail "features were left behind"
[ "$(find . -name '*.part')" = "" ] || fail "a part of a file was left behind"
echo "component_test: passed"
