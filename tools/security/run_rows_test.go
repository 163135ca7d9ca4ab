package security_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// TestAllowedRows runs every row that its own rules and mode allow, each in its own
// tree. What only reads changes nothing; see TestReadOnlyRows for more of those. All
// others change the project alone, its repository only by git, and never leave the
// mark of an attack.
func TestAllowedRows(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	for _, src := range sources(t, "shell.jsonl") {
		base := newBase(t, src)
		for n, line := range corpus.Lines(t, filepath.Join(src.folder, "shell.jsonl")) {
			var row struct {
				shellRow
				Exec string
			}
			var a answer
			require.NoError(t, json.Unmarshal(line, &row))
			require.NoError(t, json.Unmarshal(line, &a))
			if row.Exec == "never" || row.Shell != "bash" || testing.Short() && n%8 != 0 {
				continue
			}
			t.Run(src.name+"/"+a.ID, func(t *testing.T) {
				t.Parallel()
				var f fixture
				if row.Fixture != nil {
					f = *row.Fixture
				}
				if !row.allowed(t, base, f) {
					return // TestShell says whether it should be
				}
				tr := base.grow(t, f, "proj")
				box := enclosure(t, tr, pegboard.ModeDefault, 5)
				require.NoError(t, box.session.SetPermissions(permissions(t, row.Mode, row.Rules.set(t, tr.fill))))
				command := tr.fill(row.Command)
				reads, changed := box.perform(t, command)
				for _, what := range changed {
					_, name, _ := strings.Cut(what, ": ")
					switch {
					case strings.HasPrefix(name, "home/.npm"): // what npm keeps for itself
					case reads, !strings.HasPrefix(name, "proj/"), strings.Contains(name, "pwned"), strings.Contains(name, tr.fill("{{TAG}}")):
						t.Errorf("%q: %s", command, what)
					case strings.HasPrefix(name, "proj/.git/") && !strings.Contains(command, "git"):
						t.Errorf("%q meddles with the repository: %s", command, what)
					}
				}
			})
		}
	}
}

// allowed decides the row in the tree that no row changes, or in its own.
func (r shellRow) allowed(t *testing.T, b base, f fixture) bool {
	t.Helper()
	tr := tree{root: b.folder}
	if r.Fixture != nil {
		tr = b.grow(t, f, "proj")
	}
	s := sessionIn(t, tr, "proj", pegboard.SessionConfig{Permissions: permissions(t, r.Mode, r.Rules.set(t, tr.fill))})
	p := pool(t, s, shell.Bash(shell.Options{Env: env(tr.root)}))
	return p.Decide(t.Context(), call(t, "Bash", map[string]string{"command": tr.fill(r.Command)})).Behavior == pegboard.Allow
}

// perform runs a line that is allowed, and returns whether it was taken for one that
// only reads, and what it changed.
func (b *sandbox) perform(t *testing.T, line string) (reads bool, changed []string) {
	t.Helper()
	ex := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventStarted {
			reads = e.Call.ReadOnly()
		}
	}}
	out := ex.Run(t.Context(), b.pool, b.call(t, line))[0]
	require.NoError(t, out.Err, "%q: %s", line, out.Result.Text())
	changed = changes(b.before, b.tree.state(t))
	// Git writes its index anew when it looks at a file for the first time.
	return reads, slices.DeleteFunc(changed, func(what string) bool { return strings.HasSuffix(what, "proj/.git/index") && !reads })
}
