package pattern_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

func TestBroad(t *testing.T) {
	t.Parallel()
	tests := []struct {
		tool, text string
		want       bool
	}{
		{tool: "Bash", want: true},
		{tool: "Agent", want: true},
		{tool: "Read"},
		{tool: "Bash", text: "*", want: true},
		{tool: "Bash", text: "* --version", want: true},
		{tool: "Bash", text: "python:*", want: true},
		{tool: "Bash", text: "/usr/bin/python3.12 *", want: true},
		{tool: "Bash", text: "py*", want: true},
		{tool: "Bash", text: "FOO=1 timeout 5 bash *", want: true},
		{tool: "Bash", text: "npm run *", want: true},
		{tool: "PowerShell", text: "Python *", want: true},
		{tool: "Bash", text: "npm run build"},
		{tool: "Bash", text: "git log:*"},
		{tool: "Bash", text: "ls*"},
		{tool: "Bash", text: "no git-no*"}, // the star does not continue the first word
		{tool: "Bash", text: "git log *"},
		{tool: "Bash", text: `C:\bin\Python3.exe:*`, want: true},
		{tool: "Bash", text: "python3.12.exe *", want: true},
		{tool: "Bash", text: ". *", want: true},
		{tool: "Read", text: "*"},
	}
	for _, tc := range tests {
		require.Equal(t, tc.want, pattern.Broad(tc.tool, tc.text), "%s(%s)", tc.tool, tc.text)
	}
}
