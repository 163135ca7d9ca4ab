#!/bin/sh
# Keeps a log of all calls.
cat >"$RECORD/log-$$.json"
echo "$CLAUDE_PROJECT_DIR" >>"$CLAUDE_PROJECT_DIR/calls.log"
