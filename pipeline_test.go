package pegboard_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestInputIsChangedAtMostEightTimes by hooks, the tool and the asker together. The
// model is not told to try again.
func TestInputIsChangedAtMostEightTimes(t *testing.T) {
	t.Parallel()
	for _, changes := range []int{1, 7, 8, 9, 1000} {
		t.Run(fmt.Sprint(changes), func(t *testing.T) {
			t.Parallel()
			var ran []step
			var reg pegboard.Registry
			require.NoError(t, reg.Add(stepper(&ran)))
			cfg := bypass(t)
			cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
				var in step
				err := json.Unmarshal(h.Call.Input, &in)
				if next := fmt.Sprintf(`{"n":%d}`, in.N-1); in.N > -changes {
					return pegboard.Decision{Input: json.RawMessage(next)}, err
				}
				return pegboard.Decision{}, err
			}
			out := run(t, &reg, session(t, cfg), call("1", "T", `{"n":0}`))
			if changes <= 8 {
				require.NoError(t, out.Err)
				require.Equal(t, []step{{N: -changes}}, ran)
				return
			}
			require.Empty(t, ran)
			require.ErrorIs(t, out.Err, pegboard.ErrDenied)
			require.Contains(t, out.Result.Text(), "do not agree on its input. Tell the user")
		})
	}
}

// TestPanicInInspectFailsTheCall, which keeps nothing of the input before.
func TestPanicInInspectFailsTheCall(t *testing.T) {
	t.Parallel()
	type in struct {
		Bad bool `json:"bad,omitempty"`
	}
	tool := pegboard.Build(pegboard.Definition[in, string]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.",
		Inspect: func(v in, _ *pegboard.Call) pegboard.Traits {
			if v.Bad {
				panic("no idea")
			}
			return pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: "f"}}}
		},
		Call: func(ctx, in, *pegboard.Call) (string, error) { return "ran", nil },
	})
	s := session(t, pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
		if string(h.Call.Input) == `{"bad":false}` {
			return pegboard.Decision{Input: json.RawMessage(`{"bad":true}`)}, nil
		}
		return pegboard.Decision{}, nil
	}}})
	reg := registryOf(t, tool)
	require.NoError(t, run(t, reg, s, call("1", "T", `{}`)).Err)
	out := run(t, reg, s, call("1", "T", `{"bad":false}`))
	require.ErrorIs(t, out.Err, pegboard.ErrPanic)
	require.Empty(t, out.Call.Targets())
	require.False(t, out.Call.ReadOnly())
}
