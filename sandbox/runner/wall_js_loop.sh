# usage: wall_js_loop.sh FOLDER MEBIBYTES
# Starts the builder's side anew for each session, and says on the pipe that one has ended. Ends when the suite's side has.
here=${0%/*}
cd "$1" || exit 1
# Which call is under way: a file without a name, which only these processes hold.
beat=/tmp/a7-beat.$$
exec 5<>"$beat" || exit 1
echo '0 0 0 0' >&5
rm -f "$beat"
(. "$here/wall_js_watch.sh") &
while :; do
  node --no-warnings "--max-old-space-size=$2" "$here/wall_js_builder.mjs"
  printf '\000\000\000\010["died"]' >&4 || exit 0
done
