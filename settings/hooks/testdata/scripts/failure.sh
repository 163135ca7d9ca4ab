# Explains exit codes.
event=$(cat)
printf '%s' "$event" >"$RECORD/failure-$$.json"
case "$event" in
  *'"error":"Exit code 3'*) printf '{"hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"code 3 means: no such ticket"}}' ;;
esac
