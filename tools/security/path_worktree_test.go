package security_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// moving makes sessions in a repository, whose worktree they move to.
type moving struct {
	repository string
	late       bool // the rules are those of the worktree; otherwise they are there before the session moves
}

// session returns a session of cfg that was made in the repository.
func (m *moving) session(t *testing.T, cfg pegboard.SessionConfig) *pegboard.Session {
	t.Helper()
	dir, permissions := cfg.Dir, cfg.Permissions
	cfg.Dir = m.repository
	if m.late {
		cfg.Permissions = policy.Permissions{}
	}
	s := newSession(t, cfg)
	require.NoError(t, s.SetDir(dir))
	if m.late {
		require.NoError(t, s.SetPermissions(permissions))
	}
	return s
}

// newWorktreeBase makes the base tree below the checkout of a repository: proj is a worktree
// of it, and beside it is what the rows take for outside.
func newWorktreeBase(t *testing.T, src source) base {
	t.Helper()
	from, b := newBase(t, src), base{folder: realTemp(t)}
	require.NoError(t, os.CopyFS(filepath.Join(b.folder, "trees"), os.DirFS(from.folder)))
	cmd := exec.CommandContext(t.Context(), "bash", "-ec", "mv trees/proj/.git .git; git reset -q --hard; echo trees >> .git/info/exclude; mv trees/proj trees/old; "+
		"git worktree add -q --detach trees/proj; cp -an trees/old/. trees/proj/; rm -rf trees/old; echo gitdir: ../../.git/worktrees/proj > trees/proj/.git; git -C trees/proj status; rm -r .git/logs")
	cmd.Dir, cmd.Env = b.folder, env(b.folder)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return b
}

// growWorktree is grow for a base of newWorktreeBase.
func (b base) growWorktree(t *testing.T, f fixture, late bool) tree {
	t.Helper()
	temp := realTemp(t)
	repository := filepath.Join(temp, filepath.Base(filepath.Dir(temp))) // the word of the row
	require.NoError(t, os.CopyFS(repository, os.DirFS(b.folder)))
	tr := tree{root: filepath.Join(repository, "trees"), worktree: &moving{repository, late}}
	return tr.with(t, f, "")
}

// isAboutGitDir reports whether a row has files in proj/.git, which is a file in a worktree.
func (r pathRow) isAboutGitDir() bool {
	for name := range r.Fixture.Files {
		if strings.HasPrefix(name, "proj/.git/") {
			return true
		}
	}
	return false
}

// TestPathInWorktree is [TestPath] for sessions that were made in a repository and have moved
// to a worktree of it by SetDir. The checkout around it is outside then.
func TestPathInWorktree(t *testing.T) {
	for _, tc := range []struct {
		name string
		late bool
	}{{name: "rules of the worktree", late: true}, {name: "rules of the repository"}} {
		t.Run(tc.name, func(t *testing.T) {
			run(t, "path", func(t *testing.T, src source) func(*testing.T, pathRow, answer) outcome {
				t.Helper()
				b := newWorktreeBase(t, src)
				return func(t *testing.T, r pathRow, a answer) outcome {
					t.Helper()
					if r.isAboutGitDir() {
						return outcome{uncounted: "in a worktree, .git is a file"}
					}
					if a.Kind != "attack" && !tc.late {
						return outcome{uncounted: "allow rules stay with the repository"}
					}
					tr := b.growWorktree(t, r.Fixture, tc.late)
					r.requireRulesRoot(t, tr)
					tool := r.tool(t)
					var o outcome
					for name := range strings.SplitSeq(r.Platform, "|") {
						r.decide(t, tr, name, tool, a, &o)
					}
					o.wrong = append(o.wrong, r.effects(t, tr, tool)...)
					return o
				}
			})
		})
	}
}
