package security_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// runRow is a row of the shell, with whether it may be run.
type runRow struct {
	shellRow
	Exec string
	answer
}

// runRows runs as many of the rows for bash that may be run and are wanted as the
// effort says, in parallel. Each begins with the base tree and its own fixture.
func runRows(t *testing.T, wanted func(runRow) bool, run func(*testing.T, base, runRow, fixture)) {
	t.Helper()
	for _, src := range sources(t, "shell.jsonl") {
		base := newBase(t, src)
		var rows []runRow
		for n, line := range corpus.Lines(t, filepath.Join(src.folder, "shell.jsonl")) {
			var row runRow
			if err := errors.Join(json.Unmarshal(line, &struct {
				*shellRow
				Exec *string
			}{&row.shellRow, &row.Exec}), json.Unmarshal(line, &row.answer)); err != nil {
				t.Errorf("%s cannot be run: %v", rowID(line, n), err)
				continue
			}
			if row.Exec != "never" && row.Shell == "bash" && wanted(row) {
				rows = append(rows, row)
			}
		}
		for _, row := range effort.Sample(t, rows) {
			t.Run(src.name+"/"+row.ID, func(t *testing.T) {
				t.Parallel()
				var f fixture
				if row.Fixture != nil {
					f = *row.Fixture
				}
				run(t, base, row, f)
			})
		}
	}
}

// TestAllowedRows runs every row that its own rules and mode allow, each in its own
// tree. What only reads changes nothing; see TestReadOnlyRows for more of those. All
// others change the project alone, its repository only by git, and never leave the
// mark of an attack.
func TestAllowedRows(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	var ran atomic.Int32
	t.Cleanup(func() { require.Positive(t, ran.Load(), "no row is allowed") })
	runRows(t, func(runRow) bool { return true }, func(t *testing.T, base base, row runRow, f fixture) {
		t.Helper()
		if !row.allowed(t, base, f) {
			return // TestShell says whether it should be
		}
		ran.Add(1)
		tr := base.grow(t, f, "proj")
		box := enclosure(t, tr, policy.ModeDefault, 5)
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

// allowed decides the row in the tree that no row changes, or in its own.
func (r shellRow) allowed(t *testing.T, b base, f fixture) bool {
	t.Helper()
	tr := tree{root: b.folder}
	if r.Fixture != nil {
		tr = b.grow(t, f, "proj")
	}
	s := sessionIn(t, tr, "proj", pegboard.SessionConfig{Permissions: permissions(t, r.Mode, r.Rules.set(t, tr.fill))})
	p := pool(t, s, shell.Bash(shell.Options{Env: env(tr.root)}))
	return p.Decide(t.Context(), call(t, "Bash", map[string]string{"command": tr.fill(r.Command)})).Behavior == policy.Allow
}

// perform runs a line that is allowed, and returns whether it was taken for one that
// only reads, and what it changed.
func (b *sandbox) perform(t *testing.T, line string) (reads bool, changed []string) {
	t.Helper()
	ex := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventStarted {
			reads = e.Call.Facts().ReadOnly
		}
	}}
	out := ex.Run(t.Context(), b.pool, b.call(t, line))[0]
	require.NoError(t, out.Err, "%q: %s", line, out.Result.Text())
	changed = changes(b.before, b.tree.state(t))
	// Git writes its index anew when it looks at a file for the first time.
	return reads, slices.DeleteFunc(changed, func(what string) bool { return strings.HasSuffix(what, "proj/.git/index") && !reads })
}
