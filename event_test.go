package pegboard_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestEventsTellTheWholeStory compares the events of one batch with the story.
func TestEventsTellTheWholeStory(t *testing.T) {
	t.Parallel()
	var reg pegboard.Registry
	require.NoError(t, reg.Add(pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.",
		Call: func(_ ctx, _ struct{}, c *pegboard.Call) (string, error) {
			c.Emit("half way")
			return "ok", nil
		},
	})))
	cfg := pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
		return pegboard.Decision{Behavior: pegboard.Allow}, nil
	}}
	var story []string
	var late *pegboard.Call
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		story = append(story, e.Call.ID+" "+e.Kind.String())
		if e.Kind == pegboard.EventStarted {
			e.Call.Emit("from the listener") // must neither deadlock nor overtake
		}
		late = e.Call
	}})
	ex.Run(t.Context(), reg.AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "T", ``), call("2", "nobody", ``))
	require.Equal(t, []string{"1 admitted", "2 admitted"}, story[:2])
	mine := slices.DeleteFunc(slices.Clone(story), func(s string) bool { return s[0] != '1' })
	require.Equal(t, []string{"1 admitted", "1 asked", "1 settled", "1 decided", "1 started", "1 progress", "1 progress", "1 finished"}, mine)
	require.Contains(t, story, "2 finished")

	n := len(story)
	late.Emit("after the end")
	require.Len(t, story, n)
}

// TestEventsCarryTheContextOfTheBatch reads a value of the contexts that Run, Stream and
// Call.Run were given from their events, as a trace does with its span.
func TestEventsCarryTheContextOfTheBatch(t *testing.T) {
	t.Parallel()
	type key struct{}
	with := func(name string) context.Context { return context.WithValue(t.Context(), key{}, name) }
	var reg pegboard.Registry
	require.NoError(t, reg.Add(
		pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "Inner"}, Description: "For a test.",
			Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "ok", nil },
		}),
		pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "Outer"}, Description: "For a test.",
			Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
				c.Run(context.WithValue(ctx, key{}, "of the tool"), call("inner", "Inner", ``))
				return "ok", nil
			},
		}),
	))
	seen := map[string][]string{}
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		name, _ := e.Context.Value(key{}).(string)
		seen[e.Call.ID] = append(seen[e.Call.ID], name)
	}})
	pool := reg.AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	ex.Run(with("of Run"), pool, call("outer", "Outer", ``))
	stream := ex.Stream(with("of Stream"), pool)
	stream.Submit(call("streamed", "Inner", ``))
	stream.Finish(pegboard.FinishToolCalls)
	for range stream.Outcomes() {
	}
	for id, want := range map[string]string{"outer": "of Run", "inner": "of the tool", "streamed": "of Stream"} {
		require.NotEmpty(t, seen[id])
		require.Equal(t, []string{want}, slices.Compact(seen[id]), id)
	}
}
