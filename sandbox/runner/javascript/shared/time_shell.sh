# Time by the room's clock (javascript/shared/time.mjs), for shells. Sets `now` to hundredths of seconds, comparable with each other only.
clock() {
  read -r up _ </proc/uptime
  now=$((${up%.*} * 100 + 1${up#*.} - 100))
  [ -r /dev/shm/clock ] && read -r counted since </dev/shm/clock || return 0
  # The one in front keeps zeros from meaning an octal number.
  counted=$(((1$counted - 1000000000000000) / 10)) since=$(((1$since - 1000000000000000) / 10))
  if [ "$since" -gt 0 ]; then
    since=$((now - since))
    [ "$since" -ge 0 ] || since=0
    [ "$since" -le 50 ] || since=50
    counted=$((counted + since))
  fi
  now=$counted
}
