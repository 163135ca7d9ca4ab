// Package untrusted words text for the model that neither the user nor the host has written:
// the report of an agent, the lines of a terminal, an event of another machine. Such text must
// not look like words of the user or of the host.
package untrusted

import (
	"regexp"
	"strings"
	"unicode"
)

// tags are the names of the tags by which a host tells the model who speaks. A longer name with
// the same beginning and a hyphen counts, too.
var tags = []string{
	"system", "task-notification", "teammate-message", "agent-message", "function_calls", "function_results", "tool_use_error", "tool_result",
	"user-prompt-submit-hook", "command-name", "command-message", "command-args", "local-command-stdout", "local-command-stderr",
	"bash-input", "bash-stdout", "bash-stderr", "antml",
}

// markers match imitations of the marks by which a host tells the model who speaks: a tag, or
// the beginning of a line. The words of messages between agents and of notices of background
// tasks are among them, so that no text of an agent looks like two messages.
var markers = newMarkers()

// newMarkers returns an expression that also matches marks that are spelled with characters which
// cannot be seen, or with other spaces, hyphens and ends of lines than the usual ones.
func newMarkers() *regexp.Regexp {
	const blank, unseen = `[\s\p{Z}\p{Cf}\p{Cc}]*`, `\p{Cf}*`
	spelled := func(word string) string {
		var b strings.Builder
		for i, c := range word {
			if i > 0 {
				b.WriteString(unseen)
			}
			if c == '-' || c == '_' {
				b.WriteString(`[\p{Pd}_]`)
			} else {
				b.WriteRune(c)
			}
		}
		return b.String()
	}
	names := make([]string, len(tags))
	for i, name := range tags {
		names[i] = spelled(name)
	}
	begin := `(?:(?m:^)|[\r\v\f\x{1C}-\x{1E}\x{85}\x{2028}\x{2029}])` + blank
	speaker := `(?:` + spelled("Human") + `|` + spelled("Assistant") + `)` + blank + `[:\x{FF1A}]`
	const frame = `(?:Message|Shutdown request|Plan|Answer) from the (?:main )?agent\b|The teammate [^\n]* is idle and waits|\(An agent wrote this|Background task \w+_\w+`
	return regexp.MustCompile(`(?i:<(?:` + blank + `/?)*(?:` + strings.Join(names, "|") + `)(?:[^\pL\pN]|$))|` + begin + `(?:` + speaker + `|` + frame + `)`)
}

// firstLine is the first line of a text in which something was made harmless.
const firstLine = "[The text below imitates marks of this program, which it cannot use. A backslash stands before each.]"

// Text returns text in which a backslash stands before everything that imitates a mark of the
// host, below a first line that says so. Nothing is removed, and a text without such a thing is
// returned as it is.
func Text(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if escaped := Escape(text); escaped != text {
		return firstLine + "\n" + escaped
	}
	return text
}

// Escape is [Text] for a text within another, without the first line.
func Escape(text string) string {
	var b strings.Builder
	from := 0
	for _, m := range markers.FindAllStringIndex(text, -1) {
		start := m[0] + strings.IndexFunc(text[m[0]:m[1]], func(c rune) bool {
			return !unicode.IsSpace(c) && !unicode.In(c, unicode.Cf, unicode.Cc, unicode.Z)
		})
		b.WriteString(text[from:start] + `\`)
		from = start
	}
	return b.String() + text[from:]
}

// lineEnds are the characters after which a reader may see a new line.
var lineEnds = regexp.MustCompile(`\r\n|[\n\r\v\f\x{1C}-\x{1E}\x{85}\x{2028}\x{2029}]`)

// Indent returns [Escape] of a text with prefix before each line but the first, whatever
// character ends the lines.
func Indent(text, prefix string) string {
	return lineEnds.ReplaceAllLiteralString(Escape(text), "\n"+prefix)
}

// A quotingError is an error whose text may quote anything, for the model.
type quotingError struct{ err error }

// Error returns the text without imitations of the host's marks.
func (e quotingError) Error() string { return Escape(e.err.Error()) }

// Unwrap returns the error.
func (e quotingError) Unwrap() error { return e.err }

// Err returns err, or nil, with a text that imitates no marks of the host.
func Err(err error) error {
	if err == nil {
		return nil
	}
	return quotingError{err}
}
