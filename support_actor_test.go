package pegboard_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// actor is a tool whose traits and opinion a test chooses.
type actor struct {
	name    string
	aliases []string
	source  string // it is attached from; empty: built in
	user    bool   // RequiresUser
	traits  pegboard.Traits
	own     pegboard.Decision
	retry   pegboard.RetryPolicy
	call    func(ctx ctx, c *pegboard.Call) error // may be nil
	silent  bool                                  // it tells the classifier nothing
}

// pool registers a and assembles a pool of it for s. Rules that are set later
// are decided, where those of now could hide the tool.
func (a *actor) pool(t testing.TB, s *pegboard.Session) *pegboard.Pool {
	t.Helper()
	tool := a.tool()
	var reg pegboard.Registry
	if a.source == "" {
		require.NoError(t, reg.Add(tool))
	} else {
		_, err := reg.Attach(a.source, tool)
		require.NoError(t, err)
	}
	return reg.AssemblePool(s, pegboard.PoolConfig{Gates: pegboard.Gates{PowerShell: true, Features: []pegboard.Feature{pegboard.FeatureMonitors}}})
}

// tool returns the tool that a describes.
func (a *actor) tool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[map[string]any, string]{
		Info: pegboard.Info{Name: a.name, Aliases: a.aliases, RequiresUser: a.user, Retry: a.retry}, Description: "For a test.",
		Inspect: func(map[string]any, *pegboard.Call) pegboard.Traits { return a.traits },
		Permit:  func(ctx, map[string]any, *pegboard.Call) pegboard.Decision { return a.own },
		ClassifierInput: func(map[string]any, *pegboard.Call) string {
			if a.silent {
				return ""
			}
			return "a call of " + a.name
		},
		Call: func(ctx ctx, _ map[string]any, c *pegboard.Call) (string, error) {
			if a.call == nil {
				return "done", nil
			}
			return "done", a.call(ctx, c)
		},
	})
}

// reading returns a tool named T that reads the given paths.
func reading(targets ...pegboard.Target) actor {
	for i := range targets {
		targets[i].Kind, targets[i].Access = pegboard.TargetPath, pegboard.AccessRead
	}
	return actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: targets}}
}

func pathTo(access pegboard.Access, v string) pegboard.Target {
	return pegboard.Target{Kind: pegboard.TargetPath, Access: access, Value: v}
}

// verdict is the decision about a call before the user is asked.
type verdict struct {
	behavior pegboard.Behavior
	reason   string
	rule     string // that decided, if one did
}

// judge returns the decision about a call of the pool's only tool. The session must have
// no asker. A tool that a rule took out of the pool is denied.
func judge(t testing.TB, p *pegboard.Pool) verdict {
	t.Helper()
	if p.Len() == 0 {
		return judgeCall(t, p, pegboard.Call{})
	}
	return judgeCall(t, p, call("1", names(p)[0], ``))
}

// judgeCall is judge for this call.
func judgeCall(t testing.TB, p *pegboard.Pool, c pegboard.Call) verdict {
	t.Helper()
	if out := p.Excluded(); len(out) == 1 {
		require.Contains(t, out[0].Reason, "deny rule")
		return verdict{behavior: pegboard.Deny, reason: out[0].Reason}
	}
	require.Equal(t, 1, p.Len())
	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), p, c)[0]
	d := out.Decision
	require.NotEqual(t, pegboard.Undecided, d.Behavior, out.Result.Text())
	require.Equal(t, d.Behavior != pegboard.Allow, errors.Is(out.Err, pegboard.ErrDenied))
	v := verdict{behavior: d.Behavior}
	if d.Rule != nil {
		v.rule = d.Rule.String()
	}
	var asked bool
	if v.reason, _, asked = strings.Cut(d.Reason, ", and nobody can be asked"); asked {
		v.behavior = pegboard.Ask
	}
	return v
}

// judgeOnce returns the decision about a's call in a new session of that mode and rules.
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

// settledBehavior returns what Decide says of the pool's only tool, which is
// denied if a rule took it out of the pool.
func settledBehavior(t testing.TB, p *pegboard.Pool) pegboard.Behavior {
	t.Helper()
	if p.Len() == 0 {
		return pegboard.Deny
	}
	return p.Decide(t.Context(), call("1", names(p)[0], ``)).Behavior
}
