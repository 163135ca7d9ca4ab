package code_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/code"
)

// TestLSPWithholdsWhatNeedsAQuestion asks about a declaration outside the working directories,
// under rules that allow, deny and ask.
func TestLSPWithholdsWhatNeedsAQuestion(t *testing.T) {
	t.Parallel()
	const (
		work   = "module example.org/a\n\ngo 1.26\n\nrequire example.org/b v0.0.0\n\nreplace example.org/b => ../b\n"
		user   = "package a\n\nimport \"example.org/b\"\n\nfunc Use() { b.Secret() }\n"
		secret = "package b\n\n// Secret keeps the plan.\nfunc Secret() {}\n"
	)
	outside := func(dir string) string { return filepath.Join(filepath.Dir(dir), "b", "b.go") }
	tests := []struct {
		name        string
		set         func(path string) pegboard.RuleSet
		mode        pegboard.Mode
		want, hover string // behind the path
		counted     string
	}{
		{
			name: "no rule", want: "\n  4:6: (not shown)\n", hover: "The text quotes the declaration, which is not shown:\n",
			counted: "[1 line not shown, in files outside the working directories or with a rule that asks. To see one, call Read with its path and the line as offset: the user is asked then.]",
		},
		{name: "nobody is asked", mode: pegboard.ModeDontAsk, counted: "[1 location left out, in files that may not be read: tell the user if they are needed.]"},
		{
			name: "denied", counted: "[1 location left out, in files that may not be read: tell the user if they are needed.]",
			set: func(path string) pegboard.RuleSet { return pegboard.RuleSet{Deny: []string{"Read(/" + path + ")"}} },
		},
		{
			name: "allowed", want: "\n  4:6: func Secret() {}", hover: "Secret keeps the plan.",
			set: func(path string) pegboard.RuleSet { return pegboard.RuleSet{Allow: []string{"Read(/" + path + ")"}} },
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, code.Options{Servers: []code.Server{gopls(t)}}, pegboard.SessionConfig{}, map[string]string{"go.mod": work, "use.go": user, "../b/go.mod": "module example.org/b\n\ngo 1.26\n", "../b/b.go": secret})
			var set pegboard.RuleSet
			if tt.set != nil {
				set = tt.set(outside(g.dir))
			}
			permissions, err := pegboard.NewPermissions(tt.mode, set)
			require.NoError(t, err)
			require.NoError(t, g.session.SetPermissions(permissions))
			allowed := tt.name == "allowed"
			for _, operation := range []string{"goToDefinition", "prepareCallHierarchy", "hover"} {
				out := g.ask(t, operation, "use.go", 5, 16)
				require.NoError(t, out.Err)
				text := out.Result.Text()
				require.Contains(t, text, tt.counted, operation)
				require.Equal(t, allowed, strings.Contains(text, "func Secret()") || strings.Contains(text, "keeps the plan"), text)
				require.Equal(t, tt.want != "", allowed && operation == "hover" || strings.Contains(text, outside(g.dir)+"\n  4:6: "), text)
				if operation == "hover" {
					require.Contains(t, text, tt.hover)
				}
				if operation == "goToDefinition" && tt.want != "" {
					require.Contains(t, text, outside(g.dir)+tt.want)
				}
			}
			out := g.ask(t, "outgoingCalls", "use.go", 5, 6)
			require.NoError(t, out.Err)
			require.Equal(t, tt.name == "no rule", strings.Contains(out.Result.Text(), "  4:6: (not shown) (called at 5:16)"), out.Result.Text())
			require.Contains(t, out.Result.Text(), tt.counted)
		})
	}
}
