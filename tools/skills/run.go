package skills

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// An Invocation is a skill that a person has started.
type Invocation struct {
	Output
	// Parts belong into the message of the user: the text of the skill, or the report of the agent
	// that ran it.
	Parts []pegboard.Part
}

// Run starts a skill for a person who has typed its name and arguments, in the session of the
// pool: a host calls it for "/deploy staging" with the name deploy. The executor runs the
// commands in the text, which are decided like those of any call; no rule is about the skill
// itself, since the user has asked for it. The rules of the skill hold until the next
// [pegboard.Session.NewTurn], so call that first.
//
// The error wraps ErrUnknown if there is no such skill, ErrRefused if the skill is not for people
// or switched off, and ErrCommand, as a [*CommandError], if a command did not run; then nothing
// has changed.
func (k *Skills) Run(ctx context.Context, x *pegboard.Executor, p *pegboard.Pool, name, args string) (Invocation, error) {
	s := p.Session()
	if s == nil {
		return Invocation{}, fmt.Errorf("%w: the pool has no session", ErrRefused)
	}
	skill, err := k.find(s, name)
	switch {
	case err != nil:
		return Invocation{}, err
	case skill.Visibility == Off:
		return Invocation{}, &wordedError{skill.refusal(), ErrRefused}
	case skill.NoPerson:
		return Invocation{}, &wordedError{"the skill " + skill.Name + " is for the model only", ErrRefused}
	}
	run := func(ctx context.Context, calls ...pegboard.Call) []pegboard.Outcome { return x.Run(ctx, p, calls...) }
	out, err := k.newLaunch(p, skill, args, run).load(ctx)
	if err != nil {
		return Invocation{}, err
	}
	if out.Status == StatusForked {
		k.of(s).used(skill.Name)
		return Invocation{Output: out, Parts: []pegboard.Part{{Text: out.Report}}}, nil
	}
	if out.grants {
		if _, err := grant(s, skill); err != nil {
			return Invocation{}, err
		}
	}
	k.of(s).show(skill.Name, out.message)
	return Invocation{Output: out, Parts: []pegboard.Part{{Text: out.message}}}, nil
}
