package definition

import (
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/untrusted"
)

// MaxText is how many bytes of a description, and of a server's instructions, a model is
// shown: the 2 KB that Claude Code documents.
const MaxText = 2 << 10

// Instructions returns the instructions of a server as a model is shown them, for
// [pegboard.Registry.SetDescription].
func Instructions(text string) string { return shown(strings.TrimSpace(text)) }

// shown returns words of a server as a model is shown them.
func shown(text string) string { return cut(untrusted.Escape(cut(text, MaxText)), MaxText) }

const ellipsis = "…"

// cut returns text as valid UTF-8 of at most limit bytes. A text that is cut ends in an
// ellipsis.
func cut(text string, limit int) string {
	shortened := len(text) > limit
	if shortened { // the rest cannot be shown, however short it becomes
		text = text[:limit]
	}
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	if !shortened && len(text) <= limit {
		return text
	}
	end := min(len(text), limit-len(ellipsis))
	for end > 0 && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + ellipsis
}
