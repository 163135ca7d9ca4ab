package pegboard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// reading returns a tool named T that reads what it is said to.
func reading(targets ...pegboard.Target) actor {
	for i := range targets {
		targets[i].Kind, targets[i].Access = pegboard.TargetPath, pegboard.AccessRead
	}
	return actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: targets}}
}

// TestForkBringsNoAsker: who may be asked is the parent's affair.
func TestForkBringsNoAsker(t *testing.T) {
	t.Parallel()
	yes := func(ctx, *pegboard.Question) (pegboard.Decision, error) {
		return pegboard.Decision{Behavior: pegboard.Allow}, nil
	}
	for _, parent := range []pegboard.Asker{nil, yes} {
		s := session(t, pegboard.SessionConfig{Ask: parent})
		_, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, Ask: yes})
		require.ErrorContains(t, err, "leave Ask empty")
	}
}
