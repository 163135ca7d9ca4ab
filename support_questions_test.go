package pegboard_test

import (
	"github.com/seed49eaa51d/pegboard"
)

// answering returns an asker that notes every question and gives one answer.
func answering(questions *[]*pegboard.Question, d pegboard.Decision, err error) pegboard.Asker {
	return func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
		*questions = append(*questions, q)
		return d, err
	}
}

// alwaysSays returns an asker that always answers d.
func alwaysSays(d pegboard.Decision) pegboard.Asker {
	return func(ctx, *pegboard.Question) (pegboard.Decision, error) { return d, nil }
}

// undecided is a classifier that leaves everything to the person.
func undecided(ctx, *pegboard.Question) (pegboard.Decision, error) { return pegboard.Decision{}, nil }

func allowRule(to pegboard.RuleSource, tool, pattern string) pegboard.PermissionUpdate {
	return pegboard.PermissionUpdate{Type: pegboard.UpdateAddRules, Behavior: pegboard.Allow, Destination: to, Rules: []pegboard.PermissionUpdateRule{{Tool: tool, Pattern: pattern}}}
}
