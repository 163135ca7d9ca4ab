package skills

import (
	"context"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// Options configure [New]. List is required.
type Options struct {
	// List returns the skills of a session, sorted or not. Of several with one name the first
	// counts. It is called between turns, when [Skills.Announce] is, and before a session's first
	// call. Touched are the files that calls of the session have touched, sorted, as absolute
	// paths: at first none. It may be called concurrently.
	List func(s *pegboard.Session, touched []string) []Skill

	// ProjectDir returns what ${CLAUDE_PROJECT_DIR} stands for; nil means the session's directory.
	// The patterns of Skill.Paths are relative to it.
	ProjectDir func(s *pegboard.Session) string
	// Effort returns what ${CLAUDE_EFFORT} stands for. Nil means that the placeholder stays.
	Effort func(s *pegboard.Session) string
	// NoCommands puts a note in the place of each command. Claude Code's setting
	// disableSkillShellExecution means this.
	NoCommands bool
	// MaxListed is how many characters [Skills.Announce] tells of all skills together; 0 means
	// DefaultMaxListed.
	MaxListed int
}

// DefaultMaxListed is the number of characters that Claude Code documents for the list of
// skills if the size of the context window is not known.
const DefaultMaxListed = 8000

// Hooks returns hooks that note which files calls touch. [Options].List gets these files, so that
// it finds the skills of directories that are new to the conversation, and skills with Paths are
// told when a file that they are for was touched.
func (k *Skills) Hooks() pegboard.Hooks {
	return pegboard.Hooks{Post: func(_ context.Context, h *pegboard.HookCall) error {
		var files []string
		for _, t := range h.Call.Targets() {
			if t.Kind == policy.Path && !t.Shell.Guess {
				files = append(files, t.Value)
			}
		}
		k.Touch(h.Call.Session(), files...)
		return nil
	}}
}

// Touch notes files that a session has touched, absolute paths, for a host that has other ways
// than calls: an open editor, or a file that the user mentions.
func (k *Skills) Touch(s *pegboard.Session, files ...string) {
	if len(files) > 0 {
		k.of(s).touch(slices.Clone(files))
	}
}
