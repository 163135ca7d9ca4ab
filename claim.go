package pegboard

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/lane"
	"github.com/seed49eaa51d/pegboard/internal/plain"
	"github.com/seed49eaa51d/pegboard/policy"
)

// claimOf returns what a call holds while it is decided and runs: against the other calls of its
// message all of it, and while it runs the keys against all calls of the conversation. An
// exclusive claim has keys, too, which its lane ignores.
func claimOf(tr Traits, ts []policy.Target) lane.Claim {
	claim := lane.Claim{Exclusive: tr.Concurrency == Exclusive}
	for _, t := range ts {
		if t.Kind == policy.Opaque || t.Kind == policy.Command { // it may touch anything
			claim.Exclusive = claim.Exclusive || tr.Concurrency == PerTarget
			continue
		}
		if t.Shell.Guess {
			continue
		}
		names := t.Names()
		if real := t.Real(); t.Kind == policy.Path && real != "" {
			names = append([]string{real}, t.Aliases...)
		}
		for _, n := range names {
			claim.Keys = append(claim.Keys, lane.Key{
				Name:  t.Kind.String() + ":" + filepath.ToSlash(n),
				Write: t.Access != policy.Read && !isStarted(t),
				Tree:  t.Tree || (t.Kind == policy.Path && t.Access != policy.Read), // a new link there changes the paths below
			})
		}
	}
	claim.Exclusive = claim.Exclusive || len(claim.Keys) == 0 && tr.Concurrency == PerTarget
	return claim
}

func isPath(t policy.Target) bool { return t.Kind == policy.Path }

// isStarted reports whether a call starts an agent or follows a skill. A second one that does
// the same touches nothing that it holds.
func isStarted(t policy.Target) bool {
	return t.Access == policy.Run && (t.Kind == policy.Agent || t.Kind == policy.Skill)
}

// describeConflict says in one line why a and b do not run together.
func describeConflict(a, b *Call, x lane.Conflict) string {
	first, second := plain.Visible(a.ToolName()), plain.Visible(b.ToolName())
	switch {
	case x.FirstExclusive && x.SecondExclusive && first != second:
		return fmt.Sprintf("%s and %s run alone", first, second)
	case x.FirstExclusive:
		return first + " runs alone"
	case x.SecondExclusive:
		return second + " runs alone"
	}
	mine, its := a.keyName(x.First), a.keyName(x.Second)
	switch {
	case mine != its:
		return fmt.Sprintf("%s %s %s, and %s %s %s", first, verbOf(x.First), mine, second, verbOf(x.Second), its)
	case x.First.Write && x.Second.Write:
		return "both write " + mine
	case x.First.Write:
		return fmt.Sprintf("%s writes %s, which %s reads", first, mine, second)
	}
	return fmt.Sprintf("%s reads %s, which %s writes", first, mine, second)
}

func verbOf(k lane.Key) string {
	if k.Write {
		return "writes"
	}
	return "reads"
}

// keyName returns the thing that a key of [claimOf] names, as a person reads it.
func (c *Call) keyName(k lane.Key) string {
	kind, name, _ := strings.Cut(k.Name, ":")
	if kind == policy.Path.String() {
		name = c.ShortPath(filepath.FromSlash(name))
	}
	return plain.Visible(name)
}
