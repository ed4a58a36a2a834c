#!/usr/bin/env bash
# Runs the tests of the Python package with the scikit-learn of another Debian release, in a folder that
# holds that release. Debian 12 has 1.2.1, without metadata routing and with the estimator tags of old.
#
#   test_newer_sklearn.sh BUILD SUITE [pytest arguments]     BUILD: such as build/dev; SUITE: trixie or sid
#
# As root. The first run fetches about 300 MB. The library is the one of BUILD, with those shared libraries of
# this machine that the other release does not have.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 suite=$2
shift 2
root=build/suites/$suite
library=$build/src/libdpfermi.so
packages=python3,python3-numpy,python3-pandas,python3-sklearn,python3-pytest,python3-matplotlib,python3-tqdm

[ "$(id -u)" -eq 0 ] || { echo "dpfermi: this needs root, for chroot" >&2; exit 1; }
if [ ! -e "$root/ready" ]; then
  command -v debootstrap >/dev/null || apt-get install -y -qq --no-install-recommends debootstrap >/dev/null
  rm -rf "$root"
  debootstrap --variant=minbase --include="$packages" "$suite" "$root" http://deb.debian.org/debian >/dev/null
  touch "$root/ready"
fi

here=$root/opt/dpfermi
rm -rf "$here"
mkdir -p "$here/lib"
cp -r python pyproject.toml examples docs src apps README.md "$here"
cp -L "$library" "$here/lib/libdpfermi.so"
ldd "$library" | awk '$2 == "=>" {print $1, $3}' | while read -r name path; do
  [ -e "$root/usr/lib/x86_64-linux-gnu/$name" ] || cp -L "$path" "$here/lib/$name"
done

mount -t proc proc "$root/proc"
trap 'umount "$root/proc"' EXIT
mkdir -p "$root/dev/shm"
chroot "$root" env -i PATH=/usr/bin:/bin HOME=/root LD_LIBRARY_PATH=/opt/dpfermi/lib DPFERMI_LIBRARY=/opt/dpfermi/lib/libdpfermi.so \
  PYTHONPATH=/opt/dpfermi/python PYTHONDONTWRITEBYTECODE=1 sh -c '
    cd /opt/dpfermi
    python3 -c "import sklearn, sys; print(\"scikit-learn\", sklearn.__version__, \"on Python\", sys.version.split()[0])"
    exec python3 -m pytest -q -p no:cacheprovider "$@"' pytest "$@"
