package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// build compiles the example once for a test.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "agent.exe")
	out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	return binary
}

// command runs the agent over this repository, with a marker in its environment
// by which whatever it leaves behind can be found.
func command(t *testing.T, binary string, args ...string) (cmd *exec.Cmd, out *bytes.Buffer, marker string) {
	t.Helper()
	marker = "PEGBOARD_AGENT_TEST=" + t.TempDir()
	cmd = exec.Command(binary, args...)
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), marker)
	out = &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, out
	return cmd, out, marker
}

var times = regexp.MustCompile(`[0-9.]+ms`)

// story is the output without times, sorted: calls that ran together may have
// told theirs in any order, and whether one had to wait for a quick one is a matter of time.
func story(out string) []string {
	lines := slices.DeleteFunc(strings.Split(times.ReplaceAllString(out, "T"), "\n"), func(line string) bool {
		return strings.Contains(line, "] waits ")
	})
	slices.Sort(lines)
	return lines
}

func TestAgentTellsTheSameStoryTwice(t *testing.T) {
	t.Parallel()
	binary := build(t)
	var stories [][]string
	for range 2 {
		cmd, out, _ := command(t, binary)
		require.NoError(t, cmd.Run(), out.String())
		for _, s := range []string{
			"read README.md", "only reads, inside the working directories", `deny rule "Read(//etc/shadow)"`,
			"[10] waits    for [9]: Bash runs alone", "Did you mean Glob?", `unknown property "path"`, "asked", "allowed once", "looking at tool.go", "timeline",
			"Reading README.md, lines 1 to 12", "Read 12 lines", "2 reads, 1 search", "1 search, 1 read", "There is no such tool",
		} {
			require.Contains(t, out.String(), s)
		}
		require.NotContains(t, out.String(), "\x1b[", "colours are for terminals")
		stories = append(stories, story(out.String()))
	}
	require.Equal(t, stories[0], stories[1])
}

func TestAgentAnswers(t *testing.T) {
	t.Parallel()
	binary := build(t)
	tests := []struct {
		name, answer, stdin, says string
	}{
		{name: "deny", answer: "deny", says: "the user declined"},
		{name: "the person says yes", answer: "tty", stdin: "y\n", says: "allowed once, at the terminal"},
		{name: "the person says no", answer: "tty", stdin: "n\n", says: "the user declined"},
		{name: "nobody is there", answer: "tty", says: "the user declined"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			cmd, out, _ := command(t, binary, "-answer="+tc.answer)
			cmd.Stdin = strings.NewReader(tc.stdin)
			require.NoError(t, cmd.Run(), out.String())
			require.Contains(t, out.String(), tc.says)
		})
	}
	cmd, out, _ := command(t, binary, "-answer=perhaps")
	require.Error(t, cmd.Run())
	require.Contains(t, out.String(), "use once, deny or tty")
}
