package main

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRun: each hook does what the files say, and the explanation names the places.
func TestRun(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the hooks are scripts for sh")
	}
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out, false))
	for _, want := range []string{
		"Have the files been changed by others? false\n",
		"<hook-words>\nThe user prefers short answers.\n</hook-words>",
		"hook problem: PreToolUse hook \"Read|Glob\" of settings.json: it did not answer in time: 1s are over\n",
		"   deny by hook: PreToolUse hook \"Bash\" of settings.json: Nothing is removed here; move it to the folder attic instead.\n",
		"2. Bash {\"command\":\"sort fruit.txt --reverse\"}\n",
		"   result: pear ⏎ fig ⏎ apple\n",
		"   allow by hook: PermissionRequest hook \"Bash\" of settings.json allowed the call\n",
		"<hook-words> ⏎ Files here end in one line break. ⏎ </hook-words>\n",
		"= deny: deny rule \"Bash(git push *)\" from cliArg covers run git push origin main\n",
		"\n- acceptEdits  [home/.claude/settings.json:6:20]  (overridden by project/.claude/settings.local.json:3:20)\n",
	} {
		require.Contains(t, out.String(), want)
	}
	out.Reset()
	require.NoError(t, run(t.Context(), &out, true))
	_, text, _ := strings.Cut(out.String(), "The settings:\n")
	require.True(t, json.Valid([]byte(text)))
}
