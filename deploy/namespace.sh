#!/bin/sh
# The namespace keeps ended workflows for ten years, as the embedded server does.
set -eu
until temporal operator cluster health >/dev/null 2>&1; do sleep 1; done
temporal operator namespace describe -n a7 >/dev/null 2>&1 || temporal operator namespace create -n a7 --retention 3650d
