package shell_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/results"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// shipped returns all tools that ship.
func shipped() []pegboard.Tool {
	return append(files.Tools(),
		shell.Bash(shell.Options{}), shell.PowerShell(shell.Options{}), shell.REPL(shell.REPLOptions{}),
		shell.TaskOutput(shell.TaskOutputOptions{}), shell.TaskStop(), shell.Monitor(shell.Options{}),
		files.MultiEdit(files.WriteOptions{}), files.ApplyPatch(files.WriteOptions{}),
		results.Read(results.Options{}), pegboard.ToolSearch(pegboard.SearchOptions{}))
}

// callable returns the names that the texts of a tool may have: those of the pool and, for
// REPL, those that its scripts may call.
func callable(p *pegboard.Pool, behind []string, tool string) []string {
	var names []string
	for t := range p.All() {
		names = append(names, t.Info().Name)
	}
	if tool == "REPL" {
		names = append(names, behind...)
	}
	return names
}

// TestNoTextNamesAToolThatIsNotThere, whatever deny rules and gates have removed.
func TestNoTextNamesAToolThatIsNotThere(t *testing.T) {
	t.Parallel()
	var reg pegboard.Registry
	require.NoError(t, reg.Add(shipped()...))
	known := regexp.MustCompile(`\b(` + strings.Join(pegboard.BuiltinNames(), "|") + `|ReadResult)\b`)
	var all []string
	for _, tool := range shipped() {
		all = append(all, tool.Info().Name)
	}
	named := map[string]bool{} // tools that some text of another tool names
	for seed := range effort.Of(t, uint64(300)) {
		r := rand.New(rand.NewPCG(seed, 3))
		var deny []string
		if seed > 0 {
			deny = slices.DeleteFunc(slices.Clone(all), func(string) bool { return r.IntN(3) > 0 })
		}
		gates := pegboard.Gates{PowerShell: true, REPL: seed%3 == 2, Simple: seed%7 == 6, EmbeddedSearch: seed%5 == 4}
		perms, err := policy.New("", policy.RuleSet{Deny: deny})
		require.NoError(t, err)
		s, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: perms})
		require.NoError(t, err)
		p := reg.AssemblePool(s, pegboard.PoolConfig{Gates: gates})
		gates.REPL = false
		var behind []string
		for tool := range reg.AssemblePool(s, pegboard.PoolConfig{Gates: gates}).All() {
			behind = append(behind, tool.Info().Name)
		}
		for d := range p.Declarations(pegboard.Builtin) {
			may := callable(p, behind, d.Name)
			for _, text := range []string{d.Description, string(d.InputSchema)} {
				for _, name := range known.FindAllString(text, -1) {
					require.Contains(t, may, name, "%s says this without %q: %s", d.Name, deny, text)
					named[name] = named[name] || name != d.Name
				}
			}
		}
		require.NoError(t, s.Close(t.Context()))
	}
	for _, name := range []string{"Read", "Glob", "Grep", "Edit", "Write", "NotebookEdit", "Bash"} {
		require.True(t, named[name], "no text names %s, even where it is there", name)
	}
}

// TestTextOfBashNamesTheFileTools that are in the pool, and what they replace.
func TestTextOfBashNamesTheFileTools(t *testing.T) {
	t.Parallel()
	var reg pegboard.Registry
	require.NoError(t, reg.Add(shipped()...))
	for _, tt := range []struct {
		name, line string
		keep       []string
	}{
		{name: "all", keep: []string{"Read", "Glob", "Grep", "Edit", "Write"}, line: "Use Read, Glob and Grep to look at files, and Edit and Write to change them, not cat, find, sed or echo."},
		{name: "readers", keep: []string{"Read", "Grep"}, line: "Use Read and Grep to look at files, not cat."},
		{name: "a search", keep: []string{"Grep"}, line: "Use Grep to look at files."},
		{name: "a writer", keep: []string{"Edit"}, line: "Use Edit to change files, not sed."},
		{name: "none", line: ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := pegboard.NewSession(pegboard.SessionConfig{})
			require.NoError(t, err)
			defer s.Close(t.Context()) //nolint:errcheck // it owns nothing that could fail
			p := reg.AssemblePool(s, pegboard.PoolConfig{Restrictions: []pegboard.Restriction{{Only: append(tt.keep, "Bash")}}})
			for d := range p.Declarations(pegboard.Builtin) {
				if d.Name != "Bash" {
					continue
				}
				lines := strings.Split(d.Description, "\n")
				require.Equal(t, tt.line, lines[1])
			}
		})
	}
}
