package pegboard_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestPathTargetFindsWhatWasDecided(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "real.txt"), []byte("x"), 0o600))
	require.NoError(t, os.Symlink("real.txt", filepath.Join(dir, "link.txt")))
	path := func(a pegboard.Access, value string) pegboard.Target {
		return pegboard.Target{Kind: pegboard.TargetPath, Access: a, Value: value}
	}
	tests := []struct {
		name   string
		access pegboard.Access
		path   string
		want   string // the location
		says   string // of the error
	}{
		{name: "as the tool wrote it", access: pegboard.AccessWrite, path: "out.txt", want: "out.txt"},
		{name: "in other words", access: pegboard.AccessWrite, path: "./a/../out.txt", want: "out.txt"},
		{name: "absolute", access: pegboard.AccessWrite, path: filepath.Join(dir, "out.txt"), want: "out.txt"},
		{name: "the second of two", access: pegboard.AccessRead, path: "link.txt", want: "real.txt"},
		{name: "another access of a target", access: pegboard.AccessWrite, path: "link.txt", says: "no rule allows it"},
		{name: "no target, but allowed", access: pegboard.AccessRead, path: "real.txt", want: "real.txt"},
		{name: "no target and denied", access: pegboard.AccessRead, path: "secret.txt", says: "deny rule"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, "", pegboard.RuleSet{Allow: []string{"Edit(/out.txt)", "Read(/*)"}, Deny: []string{"Read(secret.txt)"}})})
			var found pegboard.Target
			var failed error
			tool := pegboard.Build(pegboard.Definition[struct{}, string]{
				Info: pegboard.Info{Name: "T"}, Description: "d",
				Inspect: func(struct{}, *pegboard.Call) pegboard.Traits {
					return pegboard.Traits{Targets: []pegboard.Target{path(pegboard.AccessWrite, "out.txt"), path(pegboard.AccessRead, "link.txt")}}
				},
				Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
					found, failed = c.PathTarget(ctx, tc.access, tc.path)
					return "", nil
				},
			})
			var reg pegboard.Registry
			require.NoError(t, reg.Add(tool))
			require.NoError(t, run(t, &reg, s, pegboard.Call{Name: "T"}).Err)
			if tc.says != "" {
				require.ErrorIs(t, failed, pegboard.ErrDenied)
				require.ErrorContains(t, failed, tc.says)
				require.Zero(t, found)
				return
			}
			require.NoError(t, failed)
			real, err := filepath.EvalSymlinks(dir)
			require.NoError(t, err)
			require.Equal(t, filepath.Join(real, tc.want), found.Real())
		})
	}
}

func TestPathTargetWithoutAnExecutor(t *testing.T) {
	t.Parallel()
	_, err := (&pegboard.Call{}).PathTarget(t.Context(), pegboard.AccessRead, "a")
	require.ErrorIs(t, err, pegboard.ErrDenied)
}
