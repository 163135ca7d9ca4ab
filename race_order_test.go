package pegboard_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// TestCallsKeepTheirOrderWhereALinkLeads: of two calls that wait, the earlier reads
// by a link, made by the call they wait for, what the later writes by name. It
// reads what was there before, as if one had run after the other.
func TestCallsKeepTheirOrderWhereALinkLeads(t *testing.T) {
	t.Parallel()
	for range effort.Of(t, 20) {
		dir := t.TempDir()
		at := func(name string) string { return filepath.Join(dir, name) }
		touch := func(name string, a pegboard.Access, do func(c *pegboard.Call) (string, error)) pegboard.Tool {
			return pegboard.Build(pegboard.Definition[struct{}, string]{
				Info: pegboard.Info{Name: name}, Description: "For a test.",
				Inspect: func(struct{}, *pegboard.Call) pegboard.Traits {
					return pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: a, Value: name}}}
				},
				Call: func(_ ctx, _ struct{}, c *pegboard.Call) (string, error) { return do(c) },
			})
		}
		require.NoError(t, os.WriteFile(at("file"), []byte("old"), 0o600))
		link := pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "make"}, Description: "For a test.",
			Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "", os.Symlink(at("file"), at("link")) },
		})
		read := touch("link", pegboard.AccessRead, func(c *pegboard.Call) (string, error) {
			text, err := os.ReadFile(c.Targets()[0].Real())
			return string(text), err
		})
		write := touch("file", pegboard.AccessWrite, func(c *pegboard.Call) (string, error) {
			return "", os.WriteFile(c.Targets()[0].Real(), []byte("new"), 0o600)
		})
		pool := registryOf(t, link, read, write).AssemblePool(session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, pegboard.ModeBypass, pegboard.RuleSet{})}), pegboard.PoolConfig{})
		ex := executor(pegboard.Executor{})
		outs := ex.Run(t.Context(), pool, call("1", "make", ``), call("2", "link", ``), call("3", "file", ``))
		for _, o := range outs {
			require.NoError(t, o.Err)
		}
		require.Equal(t, "old", outs[1].Result.Parts[0].Text)
	}
}
