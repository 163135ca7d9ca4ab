package mcp_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
)

// TestLists reads lists of servers that are too long, go round in a circle, or hold
// definitions that cannot be used.
func TestLists(t *testing.T) {
	t.Parallel()
	var loaded atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { loaded.Add(1) }))
	t.Cleanup(elsewhere.Close)
	tests := []struct {
		mode  string
		check func(t *testing.T, s mcp.State)
	}{
		{mode: "many", check: func(t *testing.T, s mcp.State) {
			t.Helper()
			require.Equal(t, 10_000+len(usualTools), s.Tools)
			require.Empty(t, s.Registration.Quarantined)
		}},
		{mode: "pages", check: func(t *testing.T, s mcp.State) { t.Helper(); require.Equal(t, 1000, s.Tools) }},
		{mode: "circle", check: func(t *testing.T, s mcp.State) { t.Helper(); require.Equal(t, len(usualTools), s.Tools) }},
		{mode: "heavy", check: func(t *testing.T, s mcp.State) {
			t.Helper()
			require.Positive(t, s.Tools)
			require.Less(t, s.Tools, 20)
		}},
		{mode: "odd", check: func(t *testing.T, s mcp.State) {
			t.Helper()
			require.Len(t, s.Registration.Added, s.Tools)
			require.Equal(t, len(usualTools)+2, s.Tools)
			require.Equal(t, map[string]string{"fold_me": "Fold.Me"}, s.Registration.NameConflicts)
			for name, reason := range map[string]string{
				"big": "too large", "file": "nothing is loaded", "address": "nothing is loaded",
				"no-schema": "no inputSchema", "null-schema": "no inputSchema", "text-schema": "want a JSON object", "echo": "duplicate", "deep": "nests deeper",
			} {
				require.ErrorContains(t, s.Registration.Quarantined[name], reason, name)
			}
			require.True(t, slices.ContainsFunc(slices.Collect(maps.Keys(s.Registration.Quarantined)), func(name string) bool {
				return strings.HasPrefix(name, "nnnn") && len(name) <= 260
			}))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.mode, func(t *testing.T) {
			t.Parallel()
			config := own(t, "srv", tt.mode)
			config.Env["MCP_TEST_REF"] = elsewhere.URL + "/schema.json"
			b := newBridge(t, func(s *setup) { s.options.MaxMessage, s.options.Begin = 4<<20, soon }, config).ready()
			b.servers.Sync(t.Context())
			s := b.now("srv")
			tt.check(t, s)
			if tt.mode != "pages" && tt.mode != "heavy" {
				b.requireEcho("srv")
			}
		})
	}
	t.Cleanup(func() { require.Zero(t, loaded.Load()) })
}

// TestListChangesWithoutEnd has a server announce changes a thousand times a second. The list
// is read a few times, and calls go on.
func TestListChangesWithoutEnd(t *testing.T) {
	t.Parallel()
	b := newBridge(t, nil, own(t, "srv", "usual")).ready()
	began := time.Now()
	for range 2 {
		require.NoError(t, b.call("srv", "storm", scriptedInput{Count: 1000}).Err)
	}
	lists, err := strconv.Atoi(textOf(b.call("srv", "lists", scriptedInput{})))
	require.NoError(t, err)
	require.LessOrEqual(t, lists, 3+3*int(time.Since(began)/time.Second))
	b.requireEcho("srv")
	require.False(t, b.now("srv").Changed)
}

// TestToolThatVanishes has a tool leave the list of its server while it is called. The call
// has the server's error; the pool keeps the tool until the next Sync.
func TestToolThatVanishes(t *testing.T) {
	t.Parallel()
	b := newBridge(t, nil, own(t, "srv", "usual")).ready()
	b.servers.Sync(t.Context())
	before := b.registry.AssemblePool(b.session, pegboard.PoolConfig{})
	o := b.call("srv", "vanish", scriptedInput{})
	require.ErrorContains(t, o.Err, "unknown tool: vanish")
	b.until("srv", func(s mcp.State) bool { return s.Changed && s.Tools == len(usualTools) })
	require.Contains(t, names(before), "mcp__srv__vanish")
	b.requireEcho("srv")
	require.Equal(t, []string{"mcp__srv__echo"}, names(b.registry.AssemblePool(b.session, pegboard.PoolConfig{})))
	o = b.call("srv", "vanish", scriptedInput{})
	require.ErrorIs(t, o.Err, pegboard.ErrUnknownTool)
}

// TestProgressWithoutEnd floods the client with progress. The call has its result.
func TestProgressWithoutEnd(t *testing.T) {
	t.Parallel()
	b := newBridge(t, nil, own(t, "srv", "usual")).ready()
	o := b.call("srv", "flood", scriptedInput{Count: 20_000})
	require.NoError(t, o.Err)
	require.Equal(t, "flooded", textOf(o))
	texts := b.progress()
	require.NotEmpty(t, texts)
	last := -1
	for _, text := range texts {
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		require.Greater(t, n, last)
		last = n
	}
	require.Equal(t, 19_999, last)
}

// TestProgressOfAnotherCall has a call report progress for one that has ended, and for one of
// another server. Nothing of it arrives.
func TestProgressOfAnotherCall(t *testing.T) {
	t.Parallel()
	b := newBridge(t, nil, own(t, "srv", "usual")).ready()
	var says []string
	for n := range 50 {
		says = append(says, progress(fmt.Sprintf(`"pegboard-%d"`, n), 1000+n))
	}
	require.NoError(t, b.call("srv", "echo", scriptedInput{}).Err)
	o := b.call("srv", "say", lines(append(says, progress("$TOKEN", 1), answered)...))
	require.NoError(t, o.Err)
	for _, text := range b.progress() {
		require.True(t, text == "1" || strings.HasPrefix(text, "10"), text)
	}
	require.LessOrEqual(t, len(b.progress()), 2) // its own token may be among the guessed ones
}

func names(pool *pegboard.Pool) (all []string) {
	for tool := range pool.All() {
		all = append(all, tool.Info().Name)
	}
	slices.Sort(all)
	return all
}
