#!/bin/sh
# Asks Guard about one request, and prints what to do with it: sh caller.sh URL IP USER-AGENT
# Only for a test by hand or in a script: sh cannot parse JSON, so it searches the text of the answer.
set -eu

json() {
  printf '%s' "$1" | tr -d '[:cntrl:]' | sed 's/[\\"]/\\&/g'
}

question=$(printf '{"url":"%s","ip":"%s","method":"GET","headers":{"user-agent":"%s"}}' \
  "$(json "$1")" "$(json "$2")" "$(json "$3")")

# curl reads the key from standard input, because every user of the machine can see the command line.
is_complete=yes
answer=$(printf 'x-api-key: %s\n' "$GUARD_SECRET_KEY" |
  curl --silent --max-time 0.4 --header @- --header 'Content-Type: application/json' \
    --data-binary "$question" --write-out '\n%{http_code}' "$GUARD_VALIDATE_URL") || is_complete=no
status=${answer##*
}
body=${answer%
*}

field() {
  printf '%s' "$body" | sed -n "s/.*\"$1\": *\"\{0,1\}\([a-z0-9_]*\).*/\1/p"
}

decision=none
default_status=403
case $status in
  4??) action=answer ;; # otherwise visitors who cause a 4xx pass
  *) action=pass ;;
esac
if [ "$is_complete" = yes ] && [ "$status" = 200 ] && [ "$(field success)" = true ]; then
  case $(field decision) in
    block | redirect)
      decision=$(field decision)
      action=answer
      ;;
    allow | not_matched)
      decision=$(field decision)
      default_status=200
      case $body in *'"response_html"'*) action=answer ;; esac
      ;;
  esac
fi
sent_status=$(field status_code)
case $action in
  pass) echo "decision=$decision action=pass" ;;
  answer) echo "decision=$decision action=answer status=${sent_status:-$default_status}" ;;
esac
