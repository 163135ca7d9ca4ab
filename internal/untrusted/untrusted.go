// Package untrusted words text for the model that neither the user nor the host has written:
// the report of an agent, the answer of an MCP server, a skill of a project, the words of a hook.
// Such text must not look like words of the user or of the host, nor differ from the text that
// a person sees.
package untrusted

import (
	"fmt"
	"iter"
	"regexp"
	"strings"
	"unicode"
)

// tags are the names of the tags by which a host tells the model who speaks. A longer name with
// the same beginning and a hyphen counts, too.
var tags = []string{
	"system", "task-notification", "teammate-message", "agent-message", "function_calls", "function_results", "tool_use_error", "tool_result",
	"user-prompt-submit-hook", "command-name", "command-message", "command-args", "local-command-stdout", "local-command-stderr",
	"bash-input", "bash-stdout", "bash-stderr", "antml", "web-page", "search-results", "hook-words", "functions",
}

// tag matches, at the beginning of a text, the name of one of the tags.
var tag = newTag()

// speaker matches, at the beginning of a text, the words that introduce a user or a model, a
// message between agents, or a notice of a background task. Messages and notices are among them so
// that no text of an agent looks like two messages. The notice of an idle teammate may be of any
// length, so that is left to idleScan.
var speaker = regexp.MustCompile(`^(?:(?:` + spelled("Human") + `|` + spelled("Assistant") + `)` + blank + `[:\x{FF1A}]` +
	`|(?:Message|Shutdown request|Plan|Answer) from the (?:main )?agent\b|\(An agent wrote this|Background task \w+_\w+)`)

// ignorable is the class of the letters and marks that Unicode lets a reader leave out
// (Default_Ignorable_Code_Point beyond the category Cf).
const ignorable = `\x{34F}\x{115F}\x{1160}\x{17B4}\x{17B5}\x{180B}-\x{180D}\x{180F}\x{2065}\x{3164}\x{FE00}-\x{FE0F}\x{FFA0}\x{FFF0}-\x{FFF8}\x{E0000}-\x{E0FFF}`

// blank and unseen match characters that a reader does not see.
const blank, unseen = `[\s\p{Z}\p{Cf}\p{Cc}` + ignorable + `]*`, `[\p{Cf}` + ignorable + `]*`

func newTag() *regexp.Regexp {
	names := make([]string, len(tags))
	for i, name := range tags {
		names[i] = spelled(name)
	}
	return regexp.MustCompile(`^(?i:(?:` + strings.Join(names, "|") + `)` + unseen + `(?:[^\pL\pN]|$))`)
}

// spelled returns an expression for a word that may be spelled with characters which cannot be
// seen, or with other hyphens than the usual one.
func spelled(word string) string {
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

// firstLine is the first line of a text in which something was made harmless.
const firstLine = "[The text below imitates marks of this program, which it cannot use. A backslash stands before each.]"

// Text returns [Escape] of text, below a first line that says so if something in it imitates a mark
// of the host.
func Text(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if marked := mark(text); marked != text {
		return firstLine + "\n" + spellOut(marked)
	}
	return spellOut(text)
}

// Escape returns text in which a backslash stands before everything that imitates a mark of the
// host, and characters that steer a terminal, turn the direction of writing or hide words are
// spelled as in a Go string. Nothing is removed, and a text without such a thing is returned as it
// is. A text that was escaped stays the same. The time is proportional to the length of the text.
func Escape(text string) string { return spellOut(mark(text)) }

// Imitates reports whether text imitates a mark of the host.
func Imitates(text string) bool { return mark(text) != text }

// mark returns text with a backslash before each imitation of a mark.
func mark(text string) string {
	var b strings.Builder
	from := 0
	for at := range scan(text) {
		if at > 0 && text[at-1] == '\\' {
			continue
		}
		b.WriteString(text[from:at] + `\`)
		from = at
	}
	return b.String() + text[from:]
}

// spellOut returns text with its steering characters spelled.
func spellOut(text string) string {
	at := strings.IndexFunc(text, steers)
	if at < 0 {
		return text
	}
	var b strings.Builder
	for _, c := range text[at:] {
		switch {
		case !steers(c):
			b.WriteRune(c)
		case c < 0x80:
			fmt.Fprintf(&b, `\x%02x`, c)
		case c <= 0xFFFF:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			fmt.Fprintf(&b, `\U%08x`, c)
		}
	}
	return text[:at] + b.String()
}

// steers reports whether a character is a control character other than white space, turns the
// direction of writing, or is one of the tags with which words are hidden from people.
func steers(c rune) bool {
	return unicode.IsControl(c) && c != '\t' && !lineEnd(c) || unicode.Is(unicode.Bidi_Control, c) && c != 0x200E && c != 0x200F && c != 0x61C ||
		c >= 0xE0000 && c <= 0xE007F
}

// scan yields where the imitations of marks begin: a tag, which may have blanks and slashes
// before its name, or words at the beginning of a line, which may be indented. Only there are the
// expressions tried: a search for them is slow.
func scan(text string) iter.Seq[int] {
	return func(yield func(int) bool) {
		const none = -1
		open, begun, idle := none, true, idleScan{text: text}
		for i, c := range text {
			if open == none && !begun && c > '\r' && c < 0x7F && c != '<' && (c < 0x1C || c > 0x1E) {
				continue
			}
			found := none
			switch {
			case lineEnd(c):
				begun = true
			case isBlank(c), c == '/' && open != none:
				if c == '/' {
					begun = false
				}
			default:
				if open != none && unicode.IsLetter(c) && tag.MatchString(text[i:]) {
					found = open
				}
				if begun && (c == '(' || unicode.IsLetter(c)) && (speaker.MatchString(text[i:]) || idle.at(i)) {
					found = i
				}
				open, begun = none, false
				if c == '<' || c == 0xFF1C || c == 0xFE64 { // the latter are forms of it in other widths
					open = i
				}
			}
			if found != none && !yield(found) {
				return
			}
		}
	}
}

// lineEnd reports whether a reader may see a new line behind the character.
func lineEnd(c rune) bool {
	return c >= '\n' && c <= '\r' || c >= 0x1C && c <= 0x1E || c == 0x85 || c == 0x2028 || c == 0x2029
}

func isBlank(c rune) bool {
	return unicode.In(c, unicode.Z, unicode.Cf, unicode.Cc, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Quote returns [Escape] of text between the marks <tag> and </tag>, each on a line of its own. If
// tag is one of the tags of this package, the text cannot imitate the marks.
func Quote(tag, text string) string {
	return "<" + tag + ">\n" + Escape(strings.ToValidUTF8(text, "\uFFFD")) + "\n</" + tag + ">"
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
