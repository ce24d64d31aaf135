# Beside the builder's process, in the shell that starts it: ends a call at its limit, since the code may never let go of its
# process. Reads the line of beat.mjs on descriptor 5, answers for the code on descriptor 4, and ends its process.

seen= since=0 nap=0.250

# Whether a call is under way. A line that is read while it is written may be none, but never the same twice.
look() {
  read -r state call limit builder </proc/self/fd/5 && [ "$state" = 1 ]
}

. "$here/../../shared/time_shell.sh"

# $$ is the shell above, also in a part of it that runs aside.
while sleep "$nap" && kill -0 $$ 2>/dev/null; do
  if ! look; then
    seen=
    continue
  fi
  clock
  if [ "$builder $call" != "$seen" ]; then
    seen="$builder $call" since=$now
    # The one in front keeps zeros from meaning an octal number.
    ms=$((1$limit - 1000000000))
    # A late call is found within a twentieth of its limit.
    step=$((ms / 20))
    [ "$step" -ge 20 ] || step=20
    [ "$step" -le 250 ] || step=250
    step=$((1000 + step)) nap=0.${step#1}
  elif [ "$ms" -gt 0 ] && [ $(((now - since - 1) * 10)) -ge "$ms" ] && look && [ "$builder $call" = "$seen" ]; then
    printf '\000\000\000\003[4]' >&4
    kill -KILL "$builder"
    seen=
  fi
done
