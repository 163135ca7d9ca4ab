// Package hooks reads the object "hooks" of settings files, in the format of Claude Code's
// documentation of hooks, and runs the hooks in it.
//
//	{
//	  "PreToolUse": [
//	    {"matcher": "Bash", "hooks": [{"type": "command", "command": "$CLAUDE_PROJECT_DIR/check.sh"}]}
//	  ]
//	}
//
// [Parse] returns the hooks of one file as a [Set], and a [Problem] for everything that has
// no effect or another one than its author expects. A hook that is wrong is left out and
// keeps no other from loading. [Join] joins the sets of several files.
//
// # Matchers
//
// A matcher is tested against one field of the event: the name of the tool, or for example
// the source of SessionStart. No matcher, "" and "*" match everything. A matcher of letters,
// digits, "_", "-", ",", "|" and blanks is a name or a list of names, split at "|" and ",",
// each of which must be equal to the field; for FileChanged and StopFailure, a "-", "," or
// blank makes it an expression. Everything else is an expression of ECMAScript that must match
// somewhere in the field. It has 100 ms for that; if it takes longer, it counts as a match, so
// that a hook that guards calls is not left out.
//
// A tool's name is the one that the model calls it by. Matchers and expressions may also name
// the tool by an alias, such as Task for Agent: one of the names must match.
//
// Matchers of UserPromptSubmit, PostToolBatch, Stop, TeammateIdle, TaskCreated, TaskCompleted,
// WorktreeCreate, WorktreeRemove, MessageDisplay and CwdChanged are ignored.
package hooks
