package shell_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// replLanguages are the languages and their programs.
var replLanguages = []struct{ name, program string }{
	{shell.Python, "python3"},
	{shell.JavaScript, "node"},
}

// replPatience is far more than anything here takes.
const replPatience = 30 * time.Second

func needProgram(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skip(name + " is not installed; the tool has nothing to run")
	}
}

// replBench is a session with REPL, other tools, and everything allowed but a tool
// called Refused.
type replBench struct {
	t        *testing.T
	language string
	session  *pegboard.Session
	pool     *pegboard.Pool
	mark     string // in the environment of its processes
}

// eachLanguage runs a test with each language that is installed.
func eachLanguage(t *testing.T, test func(b *replBench)) {
	t.Helper()
	for _, l := range replLanguages {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			needProgram(t, l.program)
			test(&replBench{t: t, language: l.name})
		})
	}
}

// open makes the session.
func (b *replBench) open(o shell.REPLOptions, tools ...pegboard.Tool) {
	t := b.t
	t.Helper()
	b.mark = "REPL_TEST_MARK=" + t.Name() + t.TempDir()
	t.Cleanup(func() { // after the session is closed
		require.Eventually(t, func() bool { return !b.marked() }, replPatience, 5*time.Millisecond, "processes are left")
	})
	allow := []string{"REPL"}
	for _, tool := range tools {
		if name := tool.Info().Name; name != "Refused" {
			allow = append(allow, name)
		}
	}
	b.session = session(t, tempDir(t), allow...)
	if o.Env == nil {
		o.Env = append(proc.Quiet(os.Environ()), b.mark)
	}
	var reg pegboard.Registry
	require.NoError(t, reg.Add(append(tools, shell.REPL(o))...))
	b.pool = reg.AssemblePool(b.session, pegboard.PoolConfig{Gates: pegboard.Gates{REPL: true}})
}

// code returns the one of two that is in the language of the bench.
func (b *replBench) code(python, javascript string) string {
	if b.language == shell.Python {
		return python
	}
	return javascript
}

// marked reports whether a process of the bench lives.
func (b *replBench) marked() bool {
	files, err := filepath.Glob("/proc/[0-9]*/environ") // none but on Linux
	require.NoError(b.t, err)
	for _, file := range files {
		if environ, err := os.ReadFile(file); err == nil && bytes.Contains(environ, []byte(b.mark+"\x00")) {
			return true
		}
	}
	return false
}

// run makes one call of REPL.
func (b *replBench) run(ctx context.Context, input map[string]any) pegboard.Outcome {
	b.t.Helper()
	if _, ok := input["language"]; !ok && b.language != "" {
		input["language"] = b.language
	}
	raw, err := json.Marshal(input)
	require.NoError(b.t, err)
	var ex pegboard.Executor
	return ex.Run(ctx, b.pool, pegboard.Call{ID: "1", Name: "REPL", Input: raw})[0]
}

// must makes a call that succeeds and returns what the model reads.
func (b *replBench) must(code string) string {
	b.t.Helper()
	out := b.run(b.t.Context(), map[string]any{"code": code})
	require.NoError(b.t, out.Err)
	require.False(b.t, out.Result.IsError, out.Result.Text())
	return out.Result.Text()
}

func needUnix(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the child process of this test is a Unix program")
	}
}

// replEcho is a tool that returns its text.
func replEcho(name string) pegboard.Tool {
	type input struct {
		Text string `json:"text"`
	}
	return pegboard.Build(pegboard.Definition[input, string]{
		Info: pegboard.Info{Name: name}, Description: "Says what it is told.",
		Traits: pegboard.Traits{ReadOnly: name != "Refused", Concurrency: pegboard.Shared},
		Call:   func(_ context.Context, in input, _ *pegboard.Call) (string, error) { return in.Text, nil },
	})
}
