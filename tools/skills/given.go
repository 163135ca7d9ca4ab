package skills

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// Text returns the text of a skill for an agent whose definition names it: it is the func of the
// option Skill of package agents, and s is the agent's session. No call runs the commands of such
// a text, so each is replaced by a note. The rules of the skill do not count. A skill that the
// model cannot load, or that a deny rule is about, is an error.
func (k *Skills) Text(ctx context.Context, s *pegboard.Session, name string) (string, error) {
	skill, err := k.find(s, name)
	if err != nil {
		return "", err
	}
	if why := skill.refusal(); why != "" {
		return "", &wordedError{why, ErrRefused}
	}
	r := denying(s, skill.Name)
	if r == "" && skill.prompt != nil {
		r = skill.prompt.rule(s, pegboard.Deny)
	}
	if r != "" {
		return "", fmt.Errorf("%w by the rule %s", pegboard.ErrDenied, r)
	}
	l := &launch{skills: k, session: s, skill: skill, noCommands: "[a command that runs when the skill is loaded by the tool Skill]"}
	text, err := l.text(ctx)
	if err != nil {
		return "", err
	}
	l.lend()
	message := l.message(text)
	if !hasCommands(skill.Body) {
		k.of(s).show(skill.Name, message)
	}
	return message, nil
}

// denying returns the deny rule that is about a skill without arguments, or "".
func denying(s *pegboard.Session, name string) string {
	for _, r := range s.Permissions().Rules() {
		if r.Behavior != pegboard.Deny || !pattern.NameMatches(r.Tool, toolName, "", false) {
			continue
		}
		if r.Pattern == "" {
			return r.String()
		}
		spec, err := pattern.Parse(r.Tool, r.Pattern)
		if err != nil || spec.Touches(pattern.Subject{Kind: pattern.Text, Write: true, Names: []string{name}}) {
			return r.String()
		}
	}
	return ""
}
