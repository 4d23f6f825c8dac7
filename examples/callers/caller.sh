#!/bin/sh
# Asks Guard about one request, and prints what to do with it: sh caller.sh URL IP USER-AGENT
# For a look by hand or a check in a script: sh has no JSON, so the answer is read by its text.
set -eu

json() {
  printf '%s' "$1" | tr -d '[:cntrl:]' | sed 's/[\\"]/\\&/g'
}

question=$(printf '{"url":"%s","ip":"%s","method":"GET","headers":{"user-agent":"%s"}}' \
  "$(json "$1")" "$(json "$2")" "$(json "$3")")

# The key goes in by standard input: on the command line every user of the machine could see it.
whole=yes
answer=$(printf 'x-api-key: %s\n' "$GUARD_SECRET_KEY" |
  curl --silent --max-time 0.4 --header @- --header 'Content-Type: application/json' \
    --data-binary "$question" --write-out '\n%{http_code}' "$GUARD_VALIDATE_URL") || whole=no
status=${answer##*
}
body=${answer%
*}

field() {
  printf '%s' "$body" | sed -n "s/.*\"$1\": *\"\{0,1\}\([a-z0-9_]*\).*/\1/p"
}

decision=none
fallback=403
case $status in
  4??) action=answer ;; # to pass would be a bypass
  *) action=pass ;;
esac
if [ "$whole" = yes ] && [ "$status" = 200 ] && [ "$(field success)" = true ]; then
  case $(field decision) in
    block | redirect)
      decision=$(field decision)
      action=answer
      ;;
    allow | not_matched)
      decision=$(field decision)
      fallback=200
      case $body in *'"response_html"'*) action=answer ;; esac
      ;;
  esac
fi
code=$(field status_code)
case $action in
  pass) echo "decision=$decision action=pass" ;;
  answer) echo "decision=$decision action=answer status=${code:-$fallback}" ;;
esac
