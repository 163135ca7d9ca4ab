package pegboard_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// actor is a tool that says of its calls what a test wants decided.
type actor struct {
	name    string
	aliases []string
	source  string // it is attached from; empty: built in
	user    bool   // RequiresUser
	traits  pegboard.Traits
	own     pegboard.Decision
	call    func(ctx ctx, c *pegboard.Call) error // may be nil
}

// pool registers a and assembles a pool of it for s. Rules that are set later
// are decided, where those of now could hide the tool.
func (a *actor) pool(t testing.TB, s *pegboard.Session) *pegboard.Pool {
	t.Helper()
	tool := pegboard.Build(pegboard.Definition[map[string]any, string]{
		Info: pegboard.Info{Name: a.name, Aliases: a.aliases, RequiresUser: a.user}, Description: "For a test.",
		Inspect: func(map[string]any, *pegboard.Call) pegboard.Traits { return a.traits },
		Permit:  func(ctx, map[string]any, *pegboard.Call) pegboard.Decision { return a.own },
		Call: func(ctx ctx, _ map[string]any, c *pegboard.Call) (string, error) {
			if a.call == nil {
				return "done", nil
			}
			return "done", a.call(ctx, c)
		},
	})
	var reg pegboard.Registry
	if a.source == "" {
		require.NoError(t, reg.Add(tool))
	} else {
		_, err := reg.Attach(a.source, tool)
		require.NoError(t, err)
	}
	return reg.AssemblePool(s, pegboard.PoolConfig{Gates: pegboard.Gates{PowerShell: true, Features: []pegboard.Feature{pegboard.FeatureMonitors}}})
}

// verdict is a decision as it was before anybody was asked.
type verdict struct {
	behavior pegboard.Behavior
	reason   string
	rule     string // that decided, if one did
}

// judge returns what is decided of a call of the pool's only tool. The session
// must have nobody to ask. A tool that a rule took out of the pool is denied.
func judge(t testing.TB, p *pegboard.Pool) verdict {
	t.Helper()
	if out := p.Excluded(); len(out) == 1 {
		require.Contains(t, out[0].Reason, "deny rule")
		return verdict{behavior: pegboard.Deny, reason: out[0].Reason}
	}
	require.Equal(t, 1, p.Len())
	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), p, call("1", names(p)[0], ``))[0]
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

func TestNewPermissions(t *testing.T) {
	t.Parallel()
	var zero pegboard.Permissions
	require.Equal(t, pegboard.ModeDefault, zero.Mode())
	require.Empty(t, zero.Rules())

	p, err := pegboard.NewPermissions("",
		pegboard.RuleSet{Source: pegboard.SourceUser, Allow: []string{"A"}, Ask: []string{"B"}, Deny: []string{"C"}},
		pegboard.RuleSet{Source: pegboard.SourceCLI, Allow: []string{"D"}, Deny: []string{"E(x)"}})
	require.NoError(t, err)
	require.Equal(t, pegboard.ModeDefault, p.Mode())
	written := func(p pegboard.Permissions) (list []string) {
		for _, r := range p.Rules() {
			list = append(list, fmt.Sprint(r.Behavior, " ", r, " ", r.Source))
		}
		return list
	}
	want := []string{"deny C userSettings", "deny E(x) cliArg", "ask B userSettings", "allow A userSettings", "allow D cliArg"}
	require.Equal(t, want, written(p))

	p.Rules()[0].Tool = "changed"
	more, err := p.WithRules(pegboard.RuleSet{Source: pegboard.SourceSession, Deny: []string{"F"}, Allow: []string{"G"}})
	require.NoError(t, err)
	require.Equal(t, want, written(p), "the value is immutable")
	require.Equal(t, []string{"deny C userSettings", "deny E(x) cliArg", "deny F session", "ask B userSettings",
		"allow A userSettings", "allow D cliArg", "allow G session"}, written(more))

	plan, err := p.WithMode(pegboard.ModePlan)
	require.NoError(t, err)
	require.Equal(t, pegboard.ModePlan, plan.Mode())
	require.Equal(t, want, written(plan))
	require.Equal(t, pegboard.ModeDefault, p.Mode())
}

func TestPermissionsRefuse(t *testing.T) {
	t.Parallel()
	for _, mode := range []pegboard.Mode{"acceptedits", "Default", "bypass", " plan", "delegate", "Manual"} {
		_, err := pegboard.NewPermissions(mode)
		require.ErrorContains(t, err, fmt.Sprintf("unknown permission mode %q", mode))
		_, err = pegboard.Permissions{}.WithMode(mode)
		require.ErrorContains(t, err, fmt.Sprintf("unknown permission mode %q", mode))
	}
	for _, set := range []pegboard.RuleSet{{Deny: []string{"Ok", "Bash("}}, {Ask: []string{"Bash("}}, {Allow: []string{"Bash("}}} {
		p, err := pegboard.NewPermissions("", set)
		require.ErrorContains(t, err, `rule "Bash(": the closing parenthesis is missing`)
		require.Equal(t, pegboard.Permissions{}, p)
		_, err = pegboard.Permissions{}.WithRules(set)
		require.Error(t, err)
	}
}

// dice makes random policies and calls that have something to do with each
// other.
type dice struct {
	*rand.Rand
	dirs []string
}

func one[T any](d dice, from ...T) T { return from[d.IntN(len(from))] }

// mode returns a mode that is not laxer than the one at place atMost of strictness.
func (d dice) mode(atMost int) (pegboard.Mode, int) {
	i := d.IntN(atMost + 1)
	return strictness()[i], i
}

// strictness lists all modes, the strictest first: the order in which a fork may
// take them.
func strictness() []pegboard.Mode {
	return []pegboard.Mode{
		pegboard.ModeDeny, pegboard.ModeDontAsk, pegboard.ModeAsk, pegboard.ModePlan, pegboard.ModeDefault,
		pegboard.ModeAcceptEdits, pegboard.ModeAuto, pegboard.ModeBypass,
	}
}

const laxest = 7 // of strictness

func (d dice) rules(most int) (list []string) {
	for range d.IntN(most + 1) {
		path := one(d, "a", "sub", "./a", "/sub/a", "sub/a", "/sub", "**/a", "sub/**", "./*", "//**/b", ".git/**")
		list = append(list, one(d, "T", "Old", "mcp__srv", "T(r)", "Other", "WebFetch(domain:h)", "Edit("+path+")", "Read("+path+")",
			"Edit("+path+")", "Read("+path+")", "Bash(r:*)", "Bash(*)", "mcp__srv__T*", "mcp__srv__*", "WebFetch(domain:*)"))
	}
	return list
}

func (d dice) actor() actor {
	a := actor{name: "T", aliases: []string{"Old"}, source: one(d, "", "", "srv"), user: d.IntN(8) == 0}
	a.own = pegboard.Decision{Behavior: one(d, pegboard.Undecided, pegboard.Undecided, pegboard.Allow, pegboard.Ask, pegboard.Deny), Reason: "its word"}
	a.traits = pegboard.Traits{ReadOnly: d.IntN(2) == 0, OpenWorld: d.IntN(4) == 0}
	for range d.IntN(4) {
		dir := one(d, d.dirs...)
		a.traits.Targets = append(a.traits.Targets, one(d, pegboard.Target{},
			pegboard.Target{Kind: pegboard.TargetResource, Value: "r"}, pegboard.Target{Kind: pegboard.TargetHost, Value: "h"},
			pegboard.Target{
				Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "r", Shell: pegboard.ShellFacts{ReadOnly: d.IntN(2) == 0, EditsOnly: d.IntN(3) == 0, Simple: d.IntN(2) == 0, NoWildcards: d.IntN(4) == 0}, AskReason: one(d, "", "", "", "it is the end of all files"),
			},
			pegboard.Target{
				Kind: pegboard.TargetPath, Access: one(d, pegboard.AccessRead, pegboard.AccessWrite), Tree: d.IntN(4) == 0,
				Value: filepath.Join(dir, one(d, "a", "b", ".", "sub/a", ".git/config", "*")),
				Shell: pegboard.ShellFacts{FromCommand: one(d, "", "", "r"), Guess: d.IntN(6) == 0, Glob: d.IntN(4) == 0},
			}))
	}
	return a
}

// TestUntrustedSourcesAllowNothing: what they deny and ask about counts, and what
// is wrong with them is said.
func TestUntrustedSourcesAllowNothing(t *testing.T) {
	t.Parallel()
	set := pegboard.RuleSet{Source: pegboard.SourceProject, Allow: []string{"A"}, Ask: []string{"Q"}, Deny: []string{"D"}, Untrusted: true}
	p := rules(t, "", set)
	require.Equal(t, []string{"default", "deny D projectSettings", "ask Q projectSettings"}, holds(p))
	set.Untrusted = false
	require.Equal(t, []string{"default", "deny D projectSettings", "ask Q projectSettings", "allow A projectSettings"}, holds(rules(t, "", set)))

	wrong := pegboard.RuleSet{Allow: []string{"Bash("}, Untrusted: true}
	_, err := pegboard.NewPermissions("", wrong)
	require.ErrorContains(t, err, "Bash(")

	user := pegboard.RuleSet{Source: pegboard.SourceUser, Allow: []string{"A"}}
	p, err = p.WithRules(user)
	require.NoError(t, err)
	require.Equal(t, []string{"default", "deny D projectSettings", "ask Q projectSettings", "allow A userSettings"}, holds(p), "only that set")
}

// TestPermissionsKeepTheirAnchors when they are read from a session, added to
// and given to another.
func TestPermissionsKeepTheirAnchors(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), t.TempDir()
	p, err := session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, "", pegboard.RuleSet{Allow: []string{"Edit(./a)"}})}).
		Permissions().WithRules(pegboard.RuleSet{Allow: []string{"Edit(./b)"}})
	require.NoError(t, err)
	s := session(t, pegboard.SessionConfig{Dir: elsewhere, Permissions: p})
	for path, want := range map[string]string{
		filepath.Join(dir, "a"): "allow", filepath.Join(elsewhere, "a"): "ask",
		filepath.Join(dir, "b"): "ask", filepath.Join(elsewhere, "b"): "allow",
	} {
		a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: path}}}}
		require.Equal(t, want, judge(t, a.pool(t, s)).behavior.String(), path)
	}
}
