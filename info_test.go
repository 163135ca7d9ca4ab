package pegboard_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

func TestReadOnlyAndDestructiveExcludeEachOther(t *testing.T) {
	t.Parallel()
	both := pegboard.Traits{ReadOnly: true, Destructive: true}
	def := pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.", Traits: both,
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "ran", nil },
	}
	_, err := pegboard.TryBuild(def)
	var wrong *pegboard.BuildError
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, "Traits", wrong.Field)
	require.ErrorContains(t, err, "ReadOnly and Destructive")

	def.Traits, def.Inspect = pegboard.Traits{}, func(struct{}, *pegboard.Call) pegboard.Traits { return both }
	tool, err := pegboard.TryBuild(def)
	require.NoError(t, err)
	pool := registryOf(t, tool).AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
	d := pool.Decide(t.Context(), call("1", "T", `{}`))
	require.Equal(t, policy.Ask, d.Behavior, "a call that destroys something is asked about")
	require.Contains(t, d.Reason, "cannot be undone")
	ex := executor(pegboard.Executor{})
	require.ErrorIs(t, ex.Run(t.Context(), pool, call("1", "T", `{}`))[0].Err, pegboard.ErrDenied)
}

func TestCallKind(t *testing.T) {
	t.Parallel()
	var all []string
	for k := pegboard.KindOther; k <= pegboard.KindFetch; k++ {
		text, err := json.Marshal(k)
		require.NoError(t, err)
		back := pegboard.CallKind(200)
		require.NoError(t, json.Unmarshal(text, &back))
		require.Equal(t, k, back)
		all = append(all, k.String())
	}
	require.Equal(t, []string{"other", "search", "read", "list", "edit", "run", "fetch"}, all)
	require.Equal(t, "invalid", (pegboard.KindFetch + 1).String())
	kept := pegboard.KindRun
	require.ErrorContains(t, kept.UnmarshalText([]byte("invalid")), `"invalid"`)
	require.Equal(t, pegboard.KindRun, kept)
}

func TestWithAnnotations(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, title, annotations, want string }{
		{name: "none"},
		{name: "no JSON", annotations: `{`},
		{name: "no object", annotations: `["title"]`},
		{name: "no title", annotations: `{"readOnlyHint":true}`},
		{name: "a title", annotations: `{"title":"Create issue","readOnlyHint":true}`, want: "Create issue"},
		{name: "the tool's own comes first", title: "New issue", annotations: `{"title":"Create issue"}`, want: "New issue"},
		{name: "a blank one does not", title: " ", annotations: `{"title":"Create issue"}`, want: "Create issue"},
		{name: "a wrong type", annotations: `{"title":["Create"]}`},
		{name: "null", annotations: `{"title":null}`},
		{name: "a title that cannot be shown", annotations: `{"title":"Create\u001b[2K"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := pegboard.Info{Name: "create", Title: tt.title, MaxResult: 5}.WithAnnotations(json.RawMessage(tt.annotations))
			require.Equal(t, tt.want, got.Title)
			require.Equal(t, 5, got.MaxResult)
			require.Equal(t, "create", got.Name)
		})
	}
}

func TestWithMeta(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		meta string
		want pegboard.Info
	}{
		{name: "none"},
		{name: "no JSON", meta: `{`},
		{name: "no object", meta: `[1]`},
		{name: "of somebody else", meta: `{"com.example/alwaysLoad":true,"alwaysLoad":true}`},
		{
			name: "all", meta: `{"anthropic/alwaysLoad":true,"anthropic/maxResultSizeChars":100000,"anthropic/requiresUserInteraction":true,"anthropic/searchHint":"paint pictures"}`,
			want: pegboard.Info{Loading: pegboard.LoadAlways, MaxResult: 100_000, RequiresUser: true, Hint: "paint pictures"},
		},
		{name: "more than is allowed", meta: `{"anthropic/maxResultSizeChars":1e300}`, want: pegboard.Info{MaxResult: pegboard.MaxExternalResult}},
		{name: "nothing at all", meta: `{"anthropic/maxResultSizeChars":0}`},
		{name: "less than nothing", meta: `{"anthropic/maxResultSizeChars":-5}`},
		{name: "wrong types", meta: `{"anthropic/alwaysLoad":"true","anthropic/maxResultSizeChars":"9","anthropic/requiresUserInteraction":1,"anthropic/searchHint":["a"]}`},
		{name: "one wrong type", meta: `{"anthropic/alwaysLoad":1,"anthropic/requiresUserInteraction":true}`, want: pegboard.Info{RequiresUser: true}},
		{name: "a hint that cannot be shown", meta: `{"anthropic/searchHint":"a\u0000b"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, pegboard.Info{}.WithMeta(json.RawMessage(tt.meta)))
		})
	}
	all := pegboard.Info{Loading: pegboard.LoadAlways}
	require.Equal(t, pegboard.Info{}, all.WithMeta(json.RawMessage(`{"anthropic/alwaysLoad":false}`)), "as its server has it for all others")
	require.Equal(t, all, all.WithMeta(json.RawMessage(`{"anthropic/alwaysLoad":null}`)))
	kept := pegboard.Info{Name: "x", RequiresUser: true, MaxResult: 5, Loading: pegboard.LoadOnSearch}
	require.Equal(t, kept, kept.WithMeta(json.RawMessage(`{"anthropic/requiresUserInteraction":false,"anthropic/alwaysLoad":false}`)))
}

func TestTransient(t *testing.T) {
	t.Parallel()
	require.NoError(t, pegboard.Transient(nil, time.Second))
	err := pegboard.Transient(errReset, -time.Second)
	require.ErrorIs(t, err, pegboard.ErrTransient)
	require.ErrorIs(t, err, errReset)
	var transient *pegboard.TransientError
	require.ErrorAs(t, err, &transient)
	require.Equal(t, pegboard.TransientError{Err: errReset}, *transient)
	require.EqualError(t, err, "connection reset")
	require.EqualError(t, pegboard.Transient(errReset, 90*time.Second), "connection reset (try again after 1m30s)")
}

func TestRetryPolicyIsChecked(t *testing.T) {
	t.Parallel()
	for _, policy := range []pegboard.RetryPolicy{{Attempts: -1}, {Delay: -1}, {MaxDelay: -1}} {
		_, err := pegboard.TryBuild(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "T", Retry: policy}, Description: "For a test.", Call: says(""),
		})
		var wrong *pegboard.BuildError
		require.ErrorAs(t, err, &wrong)
		require.Equal(t, "Info.Retry", wrong.Field)
	}
}
