package shell_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

type fetchInput struct {
	URL   string `json:"url"`
	Depth int    `json:"depth,omitempty"`
	Form  string `json:"form,omitempty" jsonschema:"enum=text,enum=html"`
}

// primitive returns a tool of a host that takes the place of one of the well-known ones.
func primitive(name string, aliases ...string) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[fetchInput, struct {
		Status int    `json:"status"`
		Body   string `json:"body"`
	}]{
		Info: pegboard.Info{Name: name, Aliases: aliases}, Description: "Fetches a page.",
		Call: func(context.Context, fetchInput, *pegboard.Call) (out struct {
			Status int    `json:"status"`
			Body   string `json:"body"`
		}, err error) {
			return out, nil
		},
	})
}

// TestREPLDescribes: the prompt has a line for each tool that code can call and the model is not
// shown.
func TestREPLDescribes(t *testing.T) {
	t.Parallel()
	const known = "Read({file_path, offset?, limit?}): the whole text"
	const hosts = "({url, depth?, form?: text|html}): Fetches a page. Returns "
	tests := []struct {
		name          string
		tools, listed []pegboard.Tool
		has           []string
		hasNot        []string
	}{
		{name: "nothing is described", tools: []pegboard.Tool{files.Read(files.ReadOptions{})}, has: []string{known}, hasNot: []string{"Glob("}},
		{
			name: "a tool of this module", tools: []pegboard.Tool{files.Read(files.ReadOptions{})}, listed: []pegboard.Tool{files.Read(files.ReadOptions{})},
			has: []string{"Read({file_path, ", "): the whole text as a string"}, hasNot: []string{known},
		},
		{name: "a host's own", tools: []pegboard.Tool{primitive("Load", "Read")}, listed: []pegboard.Tool{primitive("Load", "Read")}, has: []string{"Load" + hosts}, hasNot: []string{"Read("}},
		{name: "a host's own by the same name", tools: []pegboard.Tool{primitive("Read")}, listed: []pegboard.Tool{primitive("Read")}, has: []string{"Read" + hosts}, hasNot: []string{"the whole text"}},
		{name: "one that is not registered", listed: []pegboard.Tool{primitive("Load", "Read")}, hasNot: []string{"Load(", "Read("}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var reg pegboard.Registry
			require.NoError(t, reg.Add(append(tt.tools, shell.REPL(shell.REPLOptions{Describe: tt.listed}))...))
			pool := reg.AssemblePool(session(t, tempDir(t)), pegboard.PoolConfig{Gates: pegboard.Gates{REPL: true}})
			require.Equal(t, 1, pool.Len(), "the model has REPL only")
			var prompt string
			for d := range pool.Declarations(pegboard.Builtin) {
				prompt = d.Description
			}
			for _, text := range tt.has {
				require.Contains(t, prompt, text)
			}
			list := prompt[strings.Index(prompt, "What the tools take"):]
			for _, text := range tt.hasNot {
				require.NotContains(t, list, text)
			}
		})
	}
	require.PanicsWithValue(t, "shell: REPL: Describe[1] is nil", func() {
		shell.REPL(shell.REPLOptions{Describe: []pegboard.Tool{primitive("Load"), nil}})
	})
}
