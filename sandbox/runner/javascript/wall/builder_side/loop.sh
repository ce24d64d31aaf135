# usage: loop.sh FOLDER MEBIBYTES
# Starts the builder's side anew for each session, and says on the pipe that one has ended. Ends when the suite's side has.
here=${0%/*}
# In one file with all that it imports, where that was laid (adapters/runner-files/one-file.ts).
program=$here/builder.cjs
[ -e "$program" ] || program=$here/builder.mjs
cd "$1" || exit 1
# Which call is under way: a file that only these processes hold, and whose name the first of them removes.
beat=/tmp/a7-beat.$$
exec 5<>"$beat" || exit 1
echo '0 0 0 0' >&5
(. "$here/watch.sh") &
# No secret of its own for hash tables, which takes a fifth of a bare start: a room has nobody to hide it from.
while :; do
  node --no-warnings --no-rehash-snapshot "--max-old-space-size=$2" "$program" "$beat"
  printf '\000\000\000\010["died"]' 2>/dev/null >&4 || exit 0
done
