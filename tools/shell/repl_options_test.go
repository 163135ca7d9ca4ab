package shell_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// TestREPLOptions: languages, programs that are missing, times.
func TestREPLOptions(t *testing.T) {
	t.Parallel()
	needProgram(t, "python3")
	for _, tt := range []struct {
		name   string
		o      shell.REPLOptions
		input  map[string]any
		says   string
		failed bool
	}{
		{name: "the first language is the default", o: shell.REPLOptions{Languages: []string{shell.Python}}, input: map[string]any{"code": "1 if True else 2"}, says: "1"},
		{name: "not offered", o: shell.REPLOptions{Languages: []string{shell.Python}}, input: map[string]any{"code": "1", "language": "javascript"}, says: "write the code in python", failed: true},
		{name: "unknown", input: map[string]any{"code": "1", "language": "ruby"}, says: "language", failed: true},
		{name: "blank", input: map[string]any{"code": " \n"}, says: "the code is blank", failed: true},
		{name: "missing", o: shell.REPLOptions{Python: []string{"no-such-python"}}, input: map[string]any{"code": "1"}, says: "the interpreter of python could not be started", failed: true},
		{name: "not an interpreter", o: shell.REPLOptions{Python: []string{"false"}}, input: map[string]any{"code": "1"}, says: "exit code 1", failed: true},
		{name: "time is cut", o: shell.REPLOptions{MaxTimeout: 200 * time.Millisecond}, input: map[string]any{"code": "while True: pass", "timeout": 600_000_000}, says: "longer than 200ms", failed: true},
		{name: "environment", o: shell.REPLOptions{Env: []string{"A=b", "PATH=" + os.Getenv("PATH")}}, input: map[string]any{"code": "import os\nos.environ['A']"}, says: "'b'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := &replBench{t: t}
			b.open(tt.o)
			out := b.run(t.Context(), tt.input)
			require.Equal(t, tt.failed, out.Result.IsError, out.Result.Text())
			require.Contains(t, out.Result.Text(), tt.says)
		})
	}
	require.Panics(t, func() { shell.REPL(shell.REPLOptions{Languages: []string{"ruby"}}) })
	require.NoError(t, tooltest.Check(shell.REPL(shell.REPLOptions{}), `{"code":"1"}`, `{"code":"","restart":true}`, `{"code":"1","language":"javascript","timeout":1000,"description":"One"}`))
	tool := shell.REPL(shell.REPLOptions{Languages: []string{shell.JavaScript}})
	d, _ := tool.Declare(pegboard.Scope{})
	require.Contains(t, d.Description, "await tools.NAME(")
	require.NotContains(t, d.Description, "Python")
	_, err := tool.Call(t.Context(), &pegboard.Call{Name: "REPL", Input: []byte(`{"code":"1"}`)})
	require.ErrorIs(t, err, pegboard.ErrDenied)
}
