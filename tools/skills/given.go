package skills

import (
	"context"

	"github.com/seed49eaa51d/pegboard"
)

// Text returns the text of a skill for an agent whose definition names it: it is the func of the
// option Skill of package agents, and s is the agent's session. No call runs the commands of such
// a text, so each is replaced by a note. The rules of the skill do not count.
func (k *Skills) Text(ctx context.Context, s *pegboard.Session, name string) (string, error) {
	skill, err := k.find(s, name)
	if err != nil {
		return "", err
	}
	if skill.Visibility == Off {
		return "", &wordedError{skill.refusal(), ErrRefused}
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
