#!/usr/bin/env bash
# Debian packages as a stranger meets them: lintian finds no error, and in a bare bookworm the tool, its man pages and
# completions, Python, C++ and C work after installation; after a purge nothing is left. As root:
#
#   check_package.sh FOLDER-OF-PACKAGES [BARE-ROOT]
#
# BARE-ROOT: what `debootstrap --variant=minbase bookworm BARE-ROOT` made; it is copied, not changed. Without one, it is
# made here, from the mirror that apt uses.
set -euo pipefail
packages=$(realpath "$1")
bare=${2:-}
project=$(realpath "$(dirname "$0")/..")
[ "$(id -u)" -eq 0 ] || { echo "check_package.sh: needs root for chroot; run it with sudo" >&2; exit 1; }

echo "== lintian"
lintian --fail-on error --tag-display-limit 0 "$packages"/*.deb

echo "== a bare bookworm"
work=$(mktemp -d)
root=$work/root
finish() {
  for mounted in dev/pts proc; do
    mountpoint -q "$root/$mounted" && umount "$root/$mounted"
  done
  rm -rf --one-file-system "$work"
}
trap finish EXIT
if [ -n "$bare" ]; then
  cp -a "$bare" "$root"
else
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' | head -n 1)
  debootstrap --variant=minbase bookworm "$root" "$mirror" > "$work/debootstrap.log"
fi
apt-config dump Acquire::http Acquire::https > "$root/etc/apt/apt.conf.d/90check"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -sf pts/ptmx "$root/dev/ptmx"
mkdir -p "$root/check/packages"
cp "$packages"/*.deb "$root/check/packages"
cp -r "$project/tests" "$project/examples" "$root/check"

# inside NAME: the commands on standard input, in the bare root.
inside() {
  echo "== $1"
  chroot "$root" env -i HOME=/check/home PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive bash -euo pipefail -s
}

inside "what the checks need: man, shells, a compiler" <<'END'
mkdir -p /check/home
apt-get update -qq
apt-get install -y -qq --no-install-recommends man-db bash-completion zsh fish g++ cmake ninja-build python3 > /dev/null
END

inside "installation" <<'END'
apt-get install -y -qq --no-install-recommends /check/packages/*.deb > /dev/null
dpkg-query -W -f '${Package} ${Version}, ${Installed-Size} kB\n' | grep dpfermi
for package in $(dpkg-query -W -f '${Package}\n' | grep dpfermi); do dpkg -L "$package"; done | sort -u > /check/installed
END

inside "dpfermi demo" <<'END'
dpfermi --version
dpfermi --quiet demo | tail -n 5
END

inside "man" <<'END'
for page in dpfermi dpfermi-train dpfermi-ledger; do
  man --warnings "$page" > /check/page 2> /check/warnings
  [ ! -s /check/warnings ] || { cat /check/warnings; exit 1; }
  echo "man $page: $(wc -l < /check/page) lines: $(sed -n 4p /check/page | sed 's/^ *//')"
done
END

inside "completions" <<'END'
python3 /check/tests/cli/completion_test.py dpfermi --installed
END

inside "import dpfermi" <<'END'
cd /check/home
dpfermi datasets generate --rows 4000 --out people.csv
python3 - <<'PYTHON'
import csv
from importlib.metadata import version

import dpfermi
import numpy as np

assert version("dpfermi") == dpfermi.__version__
with open("people.csv", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
inputs = np.array([[float(row["age"]), float(row["hours_per_week"])] for row in rows])
model = dpfermi.FairClassifier(epsilon=1, positive="high", sensitive_values=["g0", "g1"], ledger="people.db")
model.fit(inputs, [row["income"] for row in rows], sensitive_features=[row["group"] for row in rows])
print(f"dpfermi {dpfermi.__version__}: epsilon {model.privacy_['epsilon']:.4f}")
PYTHON
END

inside "find_package(dpfermi)" <<'END'
cmake -DPREFIX=/usr -DSOURCE=/check/tests/install -DWORK=/check/consumer -P /check/tests/install/run.cmake
END

inside "purge" <<'END'
rm -rf /check/home
apt-get purge -y -qq $(dpkg-query -W -f '${Package}\n' | grep dpfermi) > /dev/null
apt-get autoremove --purge -y -qq > /dev/null
# /var/cache/man: pages that man formatted, a cache of its own.
left=$(find / -xdev \( -path /check -o -path /proc -o -path /var/cache/man \) -prune -o -name '*dpfermi*' -print)
while read -r path; do
  [ -d "$path" ] || [ ! -e "$path" ] || left+=$'\n'$path
done < /check/installed
left+=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' | grep dpfermi || true)
[ -z "$left" ] || { echo "left: $left"; exit 1; }
echo "nothing is left"
END
