#!/usr/bin/env bash
# Keeps secrets and lock files as they are.
set -euo pipefail
event=$(cat)
printf '%s' "$event" >"$RECORD/protect-$$.json"
file=$(printf '%s' "$event" | sed -n 's/.*"file_path":"\([^"]*\)".*/\1/p')
case "$file" in
  /*) ;;
  *) echo "not absolute: $file" >&2; exit 2 ;;
esac
case "$(basename "$file")" in
  .env | *.lock)
    echo "Blocked: $(basename "$file") is protected" >&2
    exit 2
    ;;
esac
