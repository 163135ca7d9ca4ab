package agents

import "github.com/seed49eaa51d/pegboard/internal/untrusted"

// harmless returns text that an agent wrote, which cannot be taken for words of the host.
func harmless(text string) string { return untrusted.Text(text) }

// escapeMarks is harmless for a text within another.
func escapeMarks(text string) string { return untrusted.Escape(text) }

// harmlessErr returns err, or nil, with a text that imitates no marks of the host.
func harmlessErr(err error) error { return untrusted.Err(err) }
