#!/usr/bin/env bash
# Builds the root file system of the sandbox image from Debian packages, with no image registry.
# usage: build-rootfs.sh OUT.tar NODE_PROGRAM     as root; needs mmdebstrap
# env:   SUITE (default: this machine's), SOURCES (apt sources file; default: this machine's own, so security updates come too)
# The same packages give the same bytes: SOURCE_DATE_EPOCH is fixed.
set -euo pipefail
out=${1:?output tar}
node=${2:?node program}
here=$(cd "$(dirname "$0")" && pwd)
suite=${SUITE:-$(. /etc/os-release && echo "$VERSION_CODENAME")}

first_existing() { for path in "$@"; do if [ -s "$path" ]; then echo "$path"; return; fi; done; }
sources=${SOURCES:-$(first_existing /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list)}
[ -n "$sources" ] || { echo "Cannot build the root file system: no apt sources found on this machine" >&2; exit 1; }

packages=$(grep -v '^#' "$here/packages.txt" | paste -sd,)

# Left out: documentation, translations, and the parts of perl and git that no test run needs.
exclude=()
for pattern in '/usr/share/man/*' '/usr/share/doc/*' '/usr/share/locale/*' '/usr/share/info/*' '/usr/share/lintian/*' \
  '/usr/share/bash-completion/*' '/usr/lib/*/gconv/*' '/usr/lib/git-core/*-daemon' '/usr/lib/git-core/git-http-backend' \
  '/usr/lib/git-core/git-http-push' '/usr/lib/git-core/git-imap-send' '/usr/lib/git-core/scalar' '/usr/bin/scalar' \
  '/usr/lib/*-linux-gnu/perl/*' '/usr/share/perl/*' '/usr/lib/*-linux-gnu/libperl.so*'; do
  exclude+=("--dpkgopt=path-exclude=$pattern")
done

export SOURCE_DATE_EPOCH=1700000000
mmdebstrap --quiet --variant=custom --format=tar \
  --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr "${exclude[@]}" \
  --aptopt='Apt::Install-Recommends "false"' --include="$packages" \
  --customize-hook="upload '$node' /usr/local/bin/node" \
  --customize-hook="upload '$here/finish.sh' /finish.sh" \
  --customize-hook='chroot "$1" sh /finish.sh && rm "$1/finish.sh"' \
  "$suite" "$out" "$sources"
