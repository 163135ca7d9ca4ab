package skills

import (
	"context"
	"slices"

	"github.com/seed49eaa51d/pegboard"
)

// Hooks returns hooks that note which files calls touch. [Options].List gets these files, so that
// it finds the skills of directories that are new to the conversation, and skills with Paths are
// told when a file that they are for was touched.
func (k *Skills) Hooks() pegboard.Hooks {
	return pegboard.Hooks{Post: func(_ context.Context, h *pegboard.HookCall) error {
		var files []string
		for _, t := range h.Call.Targets() {
			if t.Kind == pegboard.TargetPath && !t.Shell.Guess {
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
