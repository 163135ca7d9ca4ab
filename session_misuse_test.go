package pegboard_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestNilAndZeroArgumentsPanicWithOneSentence(t *testing.T) {
	t.Parallel()
	var (
		executor  pegboard.Executor
		registry  pegboard.Registry
		noSession *pegboard.Session
		noPool    *pegboard.Pool
		noContext context.Context
		zero      = &pegboard.Session{}
		zeroPool  = &pegboard.Pool{}
		key       = pegboard.NewKey[int]("a key")
	)
	s := session(t, pegboard.SessionConfig{})
	pool := registry.AssemblePool(s, pegboard.PoolConfig{})
	const (
		ofSession   = " of a nil or zero Session; make one with NewSession or Session.Fork"
		withPool    = " with a nil or zero Pool; make one with Registry.AssemblePool"
		withContext = " with a nil context; use context.Background() if nothing cancels it"
	)
	tests := []struct {
		name string
		do   func()
		want string
	}{
		{name: "Run, nil context", do: func() { executor.Run(noContext, pool) }, want: "Executor.Run" + withContext},
		{name: "Run, nil pool", do: func() { executor.Run(t.Context(), noPool) }, want: "Executor.Run" + withPool},
		{name: "Run, zero pool", do: func() { executor.Run(t.Context(), zeroPool) }, want: "Executor.Run" + withPool},
		{name: "Stream, nil context", do: func() { executor.Stream(noContext, pool) }, want: "Executor.Stream" + withContext},
		{name: "Stream, nil pool", do: func() { executor.Stream(t.Context(), noPool) }, want: "Executor.Stream" + withPool},
		{name: "Stream, zero pool", do: func() { executor.Stream(t.Context(), zeroPool) }, want: "Executor.Stream" + withPool},
		{name: "AssemblePool, nil session", do: func() { registry.AssemblePool(noSession, pegboard.PoolConfig{}) }, want: "AssemblePool" + ofSession},
		{name: "AssemblePool, zero session", do: func() { registry.AssemblePool(zero, pegboard.PoolConfig{}) }, want: "AssemblePool" + ofSession},
		{name: "Fork, nil session", do: func() { _, _ = noSession.Fork(pegboard.SessionConfig{}) }, want: "Fork" + ofSession},
		{name: "Fork, zero session", do: func() { _, _ = zero.Fork(pegboard.SessionConfig{}) }, want: "Fork" + ofSession},
		{name: "Close, nil session", do: func() { _ = noSession.Close(t.Context()) }, want: "Close" + ofSession},
		{name: "Close, nil context", do: func() { _ = s.Close(noContext) }, want: "Close" + withContext},
		{name: "Permissions, zero session", do: func() { zero.Permissions() }, want: "Permissions" + ofSession},
		{name: "SetPermissions, zero session", do: func() { _ = zero.SetPermissions(pegboard.Permissions{}) }, want: "SetPermissions" + ofSession},
		{name: "UpdatePermissions, nil session", do: func() { _ = noSession.UpdatePermissions(nil) }, want: "UpdatePermissions" + ofSession},
		{name: "OnClose, nil session", do: func() { noSession.OnClose("", nil) }, want: "OnClose" + ofSession},
		{name: "NewTurn, zero session", do: func() { zero.NewTurn() }, want: "NewTurn" + ofSession},
		{name: "Decide, zero pool", do: func() { zeroPool.Decide(t.Context(), pegboard.Call{}) }, want: "Decide" + withPool},
		{name: "Decide, nil context", do: func() { pool.Decide(noContext, pegboard.Call{}) }, want: "Decide" + withContext},
		{name: "ExplainDecision, nil pool", do: func() { noPool.ExplainDecision(t.Context(), pegboard.Call{}) }, want: "ExplainDecision" + withPool},
		{name: "Rebuild, nil pool", do: func() { _, _, _ = noPool.Rebuild(pegboard.Call{}) }, want: "Rebuild" + withPool},
		{name: "Restrict, nil pool", do: func() { noPool.Restrict(pegboard.Restriction{}) }, want: "Restrict" + withPool},
		{name: "Resolve, zero pool", do: func() { _, _ = zeroPool.Resolve(nil, nil) }, want: "Resolve" + withPool},
		{name: "Set, nil session", do: func() { key.Set(noSession, 1) }, want: "Key.Set" + ofSession},
		{name: "SetRoot, zero session", do: func() { key.SetRoot(zero, 1) }, want: "Key.SetRoot" + ofSession},
		{name: "GetOrInit, nil session", do: func() { key.GetOrInit(noSession, nil) }, want: "Key.GetOrInit" + ofSession},
		{name: "GetOrInitRoot, zero session", do: func() { key.GetOrInitRoot(zero, nil) }, want: "Key.GetOrInitRoot" + ofSession},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			require.PanicsWithValue(t, "pegboard: "+tc.want, tc.do)
		})
	}
	require.Nil(t, noPool.Session())
}
