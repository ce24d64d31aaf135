#!/bin/sh
# Last step of both recipes, run as root inside the new root file system.
set -eu

chmod 0755 /usr/local/bin/node

# Suites are run again under another locale: one with a decimal comma, one whose letter i has no plain upper case.
for name in de_DE tr_TR; do localedef -i "$name" -f UTF-8 "$name.UTF-8"; done
rm -rf /usr/share/i18n

# "localhost" without an /etc/hosts: a room of Docker that was given no network shows an empty one, whatever the image holds.
sed -i 's/^hosts:.*/hosts:          files myhostname dns/' /etc/nsswitch.conf

# The root is read-only in use, so Python could not cache anything later. Unchecked hashes stay valid whatever
# happens to modification times on the way into a layer.
python3 -m compileall -q -f --invalidation-mode unchecked-hash -x 'lib2to3/tests' /usr/lib/python3 /usr/lib/python3.*

# Mount points of the adapters: tree, results, runner.
mkdir -p /work /out /opt/a7
chmod 0755 /work /out /opt/a7
chmod 1777 /tmp /var/tmp

git config --system safe.directory '*'

# No way up for a guest, and nothing of the building machine.
find / -xdev -type f -perm /6000 -exec chmod a-s {} +
rm -rf /var/lib/apt/lists/* /var/cache/* /var/log/*
rm -rf /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/mirrors
# In a build container these two are mounted by the engine and cannot be replaced.
: > /etc/resolv.conf || true
echo sandbox > /etc/hostname || true
