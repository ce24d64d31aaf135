# usage: wall_js_loop.sh FOLDER MEBIBYTES
# Starts the builder's side anew for each session, and says on the pipe that one has ended. Ends when the suite's side has.
cd "$1" || exit 1
while :; do
  node --no-warnings "--max-old-space-size=$2" "$(dirname "$0")/wall_js_builder.mjs"
  printf '\000\000\000\010["died"]' >&4 || exit 0
done
