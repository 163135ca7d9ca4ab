package pegboard_test

import (
	"math/rand/v2"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard"
)

// dice makes random policies and calls that have something to do with each
// other.
type dice struct {
	*rand.Rand
	dirs []string
}

// mode returns a mode that is not laxer than the one at place atMost of strictness.
func (d dice) mode(atMost int) (pegboard.Mode, int) {
	i := d.IntN(atMost + 1)
	return strictness()[i], i
}

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

func one[T any](d dice, from ...T) T { return from[d.IntN(len(from))] }

// strictness lists all modes, the strictest first: the order in which a fork may
// take them.
func strictness() []pegboard.Mode {
	return []pegboard.Mode{
		pegboard.ModeDeny, pegboard.ModeDontAsk, pegboard.ModeAsk, pegboard.ModePlan, pegboard.ModeDefault,
		pegboard.ModeAcceptEdits, pegboard.ModeAuto, pegboard.ModeBypass,
	}
}

const laxest = 7 // of strictness
