package pegboard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func judgeOnce(t *testing.T, a actor, cfg pegboard.SessionConfig, mode pegboard.Mode, set pegboard.RuleSet) string {
	t.Helper()
	if a.name == "" {
		a.name = "T"
	}
	pool := a.pool(t, session(t, cfg))
	require.NoError(t, pool.Session().SetPermissions(rules(t, mode, set)))
	v := judge(t, pool)
	return v.behavior.String()
}

func pathTo(access pegboard.Access, v string) pegboard.Target {
	return pegboard.Target{Kind: pegboard.TargetPath, Access: access, Value: v}
}
