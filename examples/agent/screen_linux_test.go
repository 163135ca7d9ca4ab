package main_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// inTerminal runs the agent in a pseudo terminal and returns all that it wrote there.
func inTerminal(t *testing.T, binary, stdin, args string) string {
	t.Helper()
	script, err := exec.LookPath("script")
	if err != nil {
		t.Skip("no script, which has pseudo terminals, is installed")
	}
	cmd := exec.Command(script, "--quiet", "--return", "--command", fmt.Sprintf("stty cols 100; exec %s %s", binary, args), "/dev/null")
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(cmd.Environ(), "TERM=xterm-256color", "NO_COLOR=")
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

var sequence = regexp.MustCompile(`\x1b\[(\??)([0-9]*)([A-Za-z])`)

// shown returns the lines that a terminal shows at the end, for the sequences that the
// agent uses.
func shown(t *testing.T, out string) string {
	t.Helper()
	lines, row := []string{""}, 0
	for len(out) > 0 {
		if at := sequence.FindStringSubmatchIndex(out); at != nil && at[0] == 0 {
			switch kind := out[at[6]:at[7]]; kind {
			case "A":
				n, err := strconv.Atoi(out[at[4]:at[5]])
				require.NoError(t, err)
				row -= n
				require.GreaterOrEqual(t, row, 0, "above the first line")
			case "J":
				lines = append(lines[:row], "")
			case "m", "h", "l":
			default:
				require.Fail(t, "an unknown sequence", "%q", out[at[0]:at[1]])
			}
			out = out[at[1]:]
			continue
		}
		switch c := out[:1]; c {
		case "\n":
			if row++; row == len(lines) {
				lines = append(lines, "")
			}
		case "\r":
		default:
			lines[row] += c
		}
		out = out[1:]
	}
	return strings.Join(lines, "\n")
}

func TestScreenInATerminal(t *testing.T) {
	t.Parallel()
	out := inTerminal(t, build(t), "", "-linger=1500ms")
	for _, s := range []string{
		"\x1b[32m✓\x1b[0m", "\x1b[31m✗\x1b[0m", // colours
		"waits for [9]: Bash runs alone", // the reason, while it waits
	} {
		require.Contains(t, out, s)
	}
	require.Regexp(t, `[0-9]\.[0-9]s  Running for f in doc\.go tool\.go pool\.go; do echo "looking a…  \x1b\[90mlooking at `, out, "time and progress")
	end := shown(t, out)
	for _, s := range []string{
		"  ✓ 2 reads, 1 search  [1] Read README.md, lines 1 to 12, [2] Read go.mod, lines 1 to 5, [3] Find examples/*/main.go\n",
		"  ✗ [6] Globb  not run\n        There is no such tool\n",
		"        allow: allow rule \"Bash(go env GOOS)\" from projectSettings covers it\n        Printed 1 line\n",
		"  ✓ 1 search, 1 read  [10] Find docs/*.md, [11] Read LICENSE, lines 1 to 3\n",
		"] Run for f in doc.go", "·█", "✗  ", "  in short:\n",
	} {
		require.Contains(t, end, s)
	}
	require.NotRegexp(t, "[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]", end, "what changes in place is gone at the end")
	require.NotContains(t, end, "waits for")
}

func TestScreenAsksInATerminal(t *testing.T) {
	t.Parallel()
	out := inTerminal(t, build(t), "y\n", "-answer=tty")
	_, after, found := strings.Cut(out, "Allow it once? [y/N] ")
	require.True(t, found)
	require.Contains(t, after, "allow: allowed once, at the terminal")
	require.Contains(t, shown(t, out), "run sh -c 'grep -c . LICENSE'", "each target is shown")
}
