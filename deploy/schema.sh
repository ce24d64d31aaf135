#!/bin/sh
# Databases and their schema. May run again on those that are there.
set -eu
for name in temporal temporal_visibility; do
  folder=${name#temporal_}
  tool() { temporal-sql-tool --plugin postgres12 --ep "$SQL_HOST" -p 5432 -u "$SQL_USER" --db "$name" "$@"; }
  tool create
  tool setup-schema -v 0.0
  tool update-schema -d "/etc/temporal/schema/postgresql/v12/$folder/versioned"
done
