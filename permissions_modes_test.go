package pegboard_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// offers lists the modes that p offers, the strictest first.
func offers(p pegboard.Permissions) (list []pegboard.Mode) {
	for _, m := range strictness() {
		if p.Offers(m) {
			list = append(list, m)
		}
	}
	return list
}

// setMode returns an update that sets the mode.
func setMode(m pegboard.Mode) pegboard.PermissionUpdate {
	return pegboard.PermissionUpdate{Type: pegboard.UpdateSetMode, Mode: m, Destination: pegboard.SourceSession}
}

// TestModesThatAreOffered: auto and bypass only where the host has said so, and nothing
// that is withheld.
func TestModesThatAreOffered(t *testing.T) {
	t.Parallel()
	const auto, bypass = pegboard.ModeAuto, pegboard.ModeBypass
	always := without(stringsOf(strictness()), string(auto), string(bypass))
	tests := []struct {
		name string
		p    pegboard.Permissions
		more []pegboard.Mode // offered beside those that always are
		less []pegboard.Mode
		mode pegboard.Mode
	}{
		{name: "zero", mode: pegboard.ModeDefault},
		{name: "made in default", p: rules(t, pegboard.ModeDefault, pegboard.RuleSet{}), mode: pegboard.ModeDefault},
		{name: "made in auto", p: rules(t, auto, pegboard.RuleSet{}), more: []pegboard.Mode{auto}, mode: auto},
		{name: "made in bypass", p: rules(t, bypass, pegboard.RuleSet{}), more: []pegboard.Mode{bypass}, mode: bypass},
		{name: "auto available", p: pegboard.Permissions{}.WithAvailable(auto), more: []pegboard.Mode{auto}, mode: pegboard.ModeDefault},
		{name: "both available", p: pegboard.Permissions{}.WithAvailable(auto, bypass), more: []pegboard.Mode{auto, bypass}, mode: pegboard.ModeDefault},
		{name: "unknown available", p: pegboard.Permissions{}.WithAvailable("yolo"), mode: pegboard.ModeDefault},
		{name: "unknown withheld", p: pegboard.Permissions{}.Without("yolo"), mode: pegboard.ModeDefault},
		{name: "available, then withheld", p: pegboard.Permissions{}.WithAvailable(auto).Without(auto), mode: pegboard.ModeDefault},
		{name: "withheld, then available", p: pegboard.Permissions{}.Without(auto).WithAvailable(auto), mode: pegboard.ModeDefault},
		{name: "made in bypass, which is withheld", p: rules(t, bypass, pegboard.RuleSet{}).Without(bypass), mode: pegboard.ModeDefault},
		{name: "made in acceptEdits, which is withheld", p: rules(t, pegboard.ModeAcceptEdits, pegboard.RuleSet{}).Without(pegboard.ModeAcceptEdits), less: []pegboard.Mode{pegboard.ModeAcceptEdits}, mode: pegboard.ModeDefault},
		{name: "default is withheld", p: pegboard.Permissions{}.Without("manual"), less: []pegboard.Mode{pegboard.ModeDefault}, mode: pegboard.ModePlan},
		{name: "in plan, which is withheld", p: rules(t, pegboard.ModePlan, pegboard.RuleSet{}).Without(pegboard.ModePlan), less: []pegboard.Mode{pegboard.ModePlan}, mode: pegboard.ModeAsk},
		{name: "bypass and default are withheld", p: rules(t, bypass, pegboard.RuleSet{}).Without(bypass, pegboard.ModeDefault), less: []pegboard.Mode{pegboard.ModeDefault}, mode: pegboard.ModePlan},
		{name: "all are withheld", p: rules(t, bypass, pegboard.RuleSet{}).Without(strictness()...), less: strictness()[1:], mode: pegboard.ModeDeny},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			want := without(append(slices.Clone(always), stringsOf(tc.more)...), stringsOf(tc.less)...)
			require.ElementsMatch(t, want, stringsOf(offers(tc.p)))
			require.Equal(t, tc.mode, tc.p.Mode())
			require.False(t, tc.p.Offers("yolo"))
		})
	}
}

func stringsOf(ms []pegboard.Mode) (list []string) {
	for _, m := range ms {
		list = append(list, string(m))
	}
	return list
}

// TestModesThatAreNotOffered: entering one is an error, except for the update to bypass,
// which is documented to change nothing.
func TestModesThatAreNotOffered(t *testing.T) {
	t.Parallel()
	for _, p := range []pegboard.Permissions{{}, pegboard.Permissions{}.WithAvailable(strictness()...).Without(strictness()...)} {
		for _, m := range strictness() {
			q, err := p.WithMode(m)
			if p.Offers(m) {
				require.NoError(t, err)
				require.Equal(t, m, q.Mode())
				continue
			}
			require.ErrorIs(t, err, pegboard.ErrModeUnavailable)
			require.ErrorContains(t, err, string(m))
			q, err = p.Apply(setMode(m))
			if m == pegboard.ModeBypass {
				require.NoError(t, err)
				require.Equal(t, p.Mode(), q.Mode())
				continue
			}
			require.ErrorIs(t, err, pegboard.ErrModeUnavailable)
		}
	}
	_, err := pegboard.Permissions{}.WithMode("yolo")
	require.NotErrorIs(t, err, pegboard.ErrModeUnavailable, "it is unknown everywhere")
}

// TestAnswerCannotEnterAModeThatIsNotOffered: the question stays open.
func TestAnswerCannotEnterAModeThatIsNotOffered(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		p    pegboard.Permissions
		fits bool
	}{
		"not available": {},
		"available":     {p: pegboard.Permissions{}.WithAvailable(pegboard.ModeAuto), fits: true},
		"withheld":      {p: pegboard.Permissions{}.WithAvailable(pegboard.ModeAuto).Without(pegboard.ModeAuto)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := session(t, pegboard.SessionConfig{Permissions: tc.p, Classifier: undecided, Ask: func(ctx ctx, q *pegboard.Question) (pegboard.Decision, error) {
				err := q.Answer(pegboard.Decision{Behavior: pegboard.Allow, Remember: []pegboard.PermissionUpdate{setMode(pegboard.ModeAuto)}})
				if tc.fits {
					require.NoError(t, err)
					return pegboard.AskLater(ctx, q)
				}
				require.ErrorIs(t, err, pegboard.ErrModeUnavailable)
				require.Len(t, q.Call.Session().Questions(), 1)
				return pegboard.Decision{Behavior: pegboard.Allow}, nil
			}})
			a := actor{name: "T"}
			ex := executor(pegboard.Executor{})
			require.NoError(t, ex.Run(t.Context(), a.pool(t, s), call("1", "T", ``))[0].Err)
			require.Equal(t, tc.fits, s.Permissions().Mode() == pegboard.ModeAuto)
		})
	}
}

// TestPlanModeReturnsToNothingThatIsWithheld.
func TestPlanModeReturnsToNothingThatIsWithheld(t *testing.T) {
	t.Parallel()
	p, err := rules(t, pegboard.ModeBypass, pegboard.RuleSet{}).WithMode(pegboard.ModePlan)
	require.NoError(t, err)
	require.Equal(t, pegboard.ModeBypass, p.AfterPlan().Mode())
	require.Equal(t, pegboard.ModeDefault, p.Without(pegboard.ModeBypass).AfterPlan().Mode())
	require.Equal(t, pegboard.ModeAsk, p.Without(pegboard.ModeBypass, pegboard.ModeDefault, pegboard.ModePlan).AfterPlan().Mode())
}

// TestForkTakesNoModeThatItsParentWithholds: neither when it is made, nor later, nor when
// its parent withholds the mode that it is in.
func TestForkTakesNoModeThatItsParentWithholds(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeBypass, pegboard.RuleSet{}).WithAvailable(pegboard.ModeAuto).Without(pegboard.ModeAcceptEdits)})
	_, err := s.Fork(pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeAcceptEdits, pegboard.RuleSet{})})
	require.ErrorIs(t, err, pegboard.ErrModeUnavailable)

	child := forked(t, s, pegboard.SessionConfig{})
	enter := func(m pegboard.Mode) error {
		return child.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) { return p.WithMode(m) })
	}
	require.ErrorIs(t, enter(pegboard.ModeAcceptEdits), pegboard.ErrModeUnavailable)
	require.ErrorIs(t, child.SetPermissions(rules(t, pegboard.ModeAcceptEdits, pegboard.RuleSet{})), pegboard.ErrModeUnavailable)
	require.NoError(t, enter(pegboard.ModeAuto), "its parent offers it")
	require.NoError(t, enter(pegboard.ModeBypass))
	require.NoError(t, enter(pegboard.ModeAuto))
	require.Equal(t, pegboard.ModeAuto, child.Permissions().Mode())
	require.True(t, child.Permissions().Offers(pegboard.ModeAuto))
	require.False(t, child.Permissions().Offers(pegboard.ModeAcceptEdits))

	require.NoError(t, s.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) {
		return p.Without(pegboard.ModeAuto), nil
	}))
	require.Equal(t, pegboard.ModeDefault, child.Permissions().Mode())
	a := actor{name: "T"}
	require.Equal(t, "ask", judge(t, a.pool(t, child)).behavior.String())

	narrow := forked(t, s, pegboard.SessionConfig{Permissions: pegboard.Permissions{}.Without(pegboard.ModeBypass)})
	require.Equal(t, pegboard.ModeBypass, s.Permissions().Mode())
	require.Equal(t, pegboard.ModeDefault, narrow.Permissions().Mode(), "a fork may withhold its parent's mode for itself")
	require.Equal(t, "ask", judge(t, a.pool(t, narrow)).behavior.String())
}

// TestForkMayBeStricterThanItsParentWithholds: what a host withholds is about what allows more. A
// fork in a mode that is stricter than ModeDefault and than its parent's is narrower, and so are
// its own forks.
func TestForkMayBeStricterThanItsParentWithholds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name           string
		parent, fork   pegboard.Mode
		without, later pegboard.Mode
		want           pegboard.Mode // empty: refused
	}{
		{name: "plan", parent: pegboard.ModeDefault, fork: pegboard.ModePlan, without: pegboard.ModePlan, want: pegboard.ModePlan},
		{name: "dontAsk under bypass", parent: pegboard.ModeBypass, fork: pegboard.ModeDontAsk, without: pegboard.ModeDontAsk, want: pegboard.ModeDontAsk},
		{name: "plan, withheld later", parent: pegboard.ModeAuto, fork: pegboard.ModePlan, later: pegboard.ModePlan, want: pegboard.ModePlan},
		{name: "auto under bypass", parent: pegboard.ModeBypass, fork: pegboard.ModeAuto, without: pegboard.ModeAuto},
		{name: "default under bypass", parent: pegboard.ModeBypass, fork: pegboard.ModeDefault, without: pegboard.ModeDefault},
		{name: "plan under ask", parent: pegboard.ModeAsk, fork: pegboard.ModePlan},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := rules(t, tt.parent, pegboard.RuleSet{})
			if tt.without != "" {
				p = p.Without(tt.without)
			}
			s := session(t, pegboard.SessionConfig{Permissions: p})
			child, err := s.Fork(pegboard.SessionConfig{Permissions: rules(t, tt.fork, pegboard.RuleSet{})})
			if tt.want == "" {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			below := forked(t, child, pegboard.SessionConfig{})
			require.NoError(t, s.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) {
				if tt.later == "" {
					return p, nil
				}
				return p.Without(tt.later), nil
			}))
			require.NoError(t, child.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) { return p.Without(pegboard.ModeBypass), nil }))
			require.Equal(t, tt.parent, s.Permissions().Mode())
			require.Equal(t, tt.want, child.Permissions().Mode())
			require.Equal(t, tt.want, below.Permissions().Mode())
			require.NoError(t, child.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) { return p.AfterPlan(), nil }))
			require.False(t, child.Permissions().Mode().Laxer(tt.parent))
		})
	}
}

// TestWithheldModesAreNeverEntered by any sequence of changes, in a session or its forks.
func TestWithheldModesAreNeverEntered(t *testing.T) {
	t.Parallel()
	entered := 0
	for seed := range effort.Of(t, uint64(2000)) {
		d := dice{rand.New(rand.NewPCG(seed, 25)), nil}
		mode, _ := d.mode(laxest)
		var gone []pegboard.Mode
		s := session(t, pegboard.SessionConfig{Permissions: rules(t, mode, pegboard.RuleSet{})})
		line := []*pegboard.Session{s}
		for range 12 {
			m, _ := d.mode(laxest)
			at := line[d.IntN(len(line))]
			change := func(p pegboard.Permissions) (pegboard.Permissions, error) {
				switch d.IntN(5) {
				case 0:
					return p.WithAvailable(m), nil
				case 1:
					if at == s && m != pegboard.ModeDeny {
						gone = append(gone, m)
						return p.Without(m), nil
					}
					return p.AfterPlan(), nil
				case 2:
					return p.Apply(setMode(m))
				}
				return p.WithMode(m)
			}
			if err := at.UpdatePermissions(change); err == nil && at.Permissions().Mode() == m {
				entered++
			}
			if fork, err := at.Fork(pegboard.SessionConfig{}); err == nil && d.IntN(4) == 0 {
				line = append(line, fork)
			}
			require.NotContains(t, gone, s.Permissions().Mode(), "seed %d", seed)
			for _, x := range line[1:] {
				if mode := x.Permissions().Mode(); slices.Contains(gone, mode) { // it can only be narrower
					require.True(t, s.Permissions().Mode().Laxer(mode) && pegboard.ModeDefault.Laxer(mode), "seed %d: %s", seed, mode)
				}
			}
		}
	}
	if effort.Full(t) {
		require.Greater(t, entered, 1000)
	}
}

// TestAfterPlanInAFork: a fork leaves plan mode for what its parent has at that moment, or for
// its own stricter mode before it.
func TestAfterPlanInAFork(t *testing.T) {
	t.Parallel()
	const plan, edits, bypass, dontAsk, def = pegboard.ModePlan, pegboard.ModeAcceptEdits, pegboard.ModeBypass, pegboard.ModeDontAsk, pegboard.ModeDefault
	const none = pegboard.Mode("")
	tests := []struct {
		name   string
		parent pegboard.Mode
		starts pegboard.Mode // of the fork; it enters plan mode if it does not start there
		before pegboard.Mode // entered by the fork before plan mode, if any
		then   pegboard.Mode // entered by the parent while the fork plans, if any
		want   pegboard.Mode
		later  pegboard.Mode // entered by the parent afterwards, if any
		last   pegboard.Mode
	}{
		{name: "begun in plan mode", parent: edits, starts: plan, want: edits},
		{name: "begun in plan mode, under default", parent: def, starts: plan, want: def},
		{name: "begun in plan mode, under bypass", parent: bypass, starts: plan, want: bypass},
		{name: "begun in plan mode, under plan mode", parent: plan, starts: plan, want: plan},
		{name: "begun in plan mode, and the parent changes", parent: bypass, starts: plan, then: edits, want: edits},
		{name: "begun in plan mode, and the parent becomes laxer", parent: def, starts: plan, then: edits, want: edits},
		{name: "begun in plan mode, and the parent asks nobody", parent: edits, starts: plan, then: dontAsk, want: dontAsk},
		{name: "begun in plan mode, and the parent changes later", parent: edits, starts: plan, want: edits, later: def, last: def},
		{name: "begun in its parent's mode", parent: edits, want: edits},
		{name: "begun in its parent's mode, which changes", parent: bypass, then: edits, want: edits},
		{name: "begun in a mode of its own", parent: bypass, starts: edits, want: edits},
		{name: "a mode of its own before", parent: bypass, before: edits, want: edits},
		{name: "a mode of its own before, which is too lax now", parent: bypass, before: edits, then: def, want: def},
	}
	for _, tc := range tests {
		for _, by := range []string{"UpdatePermissions", "SetPermissions"} {
			t.Run(tc.name+"/"+by, func(t *testing.T) {
				t.Parallel()
				parent := session(t, pegboard.SessionConfig{Permissions: rules(t, tc.parent, pegboard.RuleSet{}).WithAvailable(bypass)})
				cfg := pegboard.SessionConfig{}
				if tc.starts != none {
					cfg.Permissions = rules(t, tc.starts, pegboard.RuleSet{})
				}
				fork := forked(t, parent, cfg)
				change := func(s *pegboard.Session, f func(pegboard.Permissions) (pegboard.Permissions, error)) {
					if by == "UpdatePermissions" {
						require.NoError(t, s.UpdatePermissions(f))
						return
					}
					p, err := f(s.Permissions())
					require.NoError(t, err)
					require.NoError(t, s.SetPermissions(p))
				}
				enter := func(s *pegboard.Session, m pegboard.Mode) {
					if m != none {
						change(s, func(p pegboard.Permissions) (pegboard.Permissions, error) { return p.WithMode(m) })
					}
				}
				enter(fork, tc.before)
				if tc.starts != plan {
					enter(fork, plan)
				}
				require.Equal(t, plan, fork.Permissions().Mode())
				enter(parent, tc.then)
				change(fork, func(p pegboard.Permissions) (pegboard.Permissions, error) {
					p = p.AfterPlan()
					require.Equal(t, tc.want, p.Mode(), "told at once")
					return p, nil
				})
				require.Equal(t, tc.want, fork.Permissions().Mode())
				if tc.later != none {
					enter(parent, tc.later)
					require.Equal(t, tc.last, fork.Permissions().Mode())
				}
			})
		}
	}
}

// TestModeOfAForkIsNoModeOfAMainSession: what a fork has of its parent's mode does not come
// along to another session.
func TestModeOfAForkIsNoModeOfAMainSession(t *testing.T) {
	t.Parallel()
	parent := session(t, pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeBypass, pegboard.RuleSet{})})
	fork := forked(t, parent, pegboard.SessionConfig{Permissions: rules(t, pegboard.ModePlan, pegboard.RuleSet{})})
	var taken pegboard.Permissions
	require.NoError(t, fork.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) {
		taken = p.AfterPlan()
		return p, nil
	}))
	require.Equal(t, pegboard.ModeBypass, taken.Mode())
	require.Equal(t, pegboard.ModeDefault, session(t, pegboard.SessionConfig{Permissions: taken}).Permissions().Mode())
}
