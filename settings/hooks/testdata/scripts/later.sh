# Runs beside the agent.
cat >"$RECORD/later-$$.json"
sleep 0.2
printf '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"the build is green"}}'
