package hooks

import (
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Problem is something in the hooks of a file that has no effect, or not the effect that
// its author expects. It is an error, so that a host can refuse a file for it. It holds no
// value of a header.
type Problem struct { //nolint:errname // most are warnings
	Source policy.Source
	File   string // as it was given to Parse
	Path   string // of the value, such as hooks.PreToolUse[0].hooks[1].timeout
	Offset int    // of the value in the data, in bytes
	Event  string // the event as it is written; "" if the problem is about none
	Text   string // the value and the one that is wanted

	// Skipped says that a hook was left out, or that it never runs.
	Skipped bool
	// Guards says that such a hook is one of an event that can block: PreToolUse,
	// PermissionRequest or UserPromptSubmit, or a name near to one of these. In strict mode
	// the file is refused for it.
	Guards bool
}

// Error returns the file, the path of the value, and the text.
func (p Problem) Error() string {
	text := p.Path + ": " + p.Text
	if p.File != "" {
		text = p.File + ": " + text
	}
	return text
}
