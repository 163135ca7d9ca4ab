package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out))
	tree := strings.ReplaceAll(out.String(), " (waiting)", "") // a call that has ended by then is not waited for
	require.Equal(t, `tool_calls
    execute_tool Grep  targets=["path:read"] behavior=allow by=default (started)
    execute_tool Bash  targets=["command:run","path:write"] behavior=allow by=person (question) (started)
    execute_tool Bash  targets=["command:run","path:read?"] behavior=deny by=rule rule=Bash(git push:*) type=denied
    execute_tool Broken  behavior=allow by=person type=panic (question) (started)
    execute_tool Agent  targets=["agent:run"] behavior=allow by=tool (started)
        execute_tool Grep  name=Explore targets=["path:read"] behavior=allow by=default (started) linked to the call that started it
`, tree)
}
