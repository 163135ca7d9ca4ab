// Package excerpt cuts text that is too long for a model to read. All texts for a model
// are cut here, so that the model finds the same note everywhere. The note stands before
// the text, on a line of its own: a model would read a note in the middle of a text as a
// part of it.
//
// There are four cuts. [Beginning] is for a long text that is stored somewhere, [Ends] for
// the text of a failure, [Outline] for a JSON document that is completely in memory, and
// [Last] for a growing text; its caller writes the note.
//
// Limits in characters count Unicode code points. No cut divides a character. In the
// excerpt of a text that is not valid UTF-8, U+FFFD replaces each run of invalid bytes;
// each of these bytes counts as a character.
package excerpt

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// DefaultPreview is the number of characters in the excerpt of a stored text: about the
// 2 KB that public transcripts of Claude Code have.
const DefaultPreview = 2_000

// A Source describes a text: some of its bytes, its size, and where it is stored.
type Source struct {
	// Output holds the beginning and the end of the text, as far as they were kept.
	Output
	// Lines is the number of lines of the text, including a last line without a line
	// end. See [Output.Lines].
	Lines int64
	// Name is the name of the text in the note; "" means "Result".
	Name string
	// Path is the file, or another reference, where the text is stored; "" if it is not
	// stored.
	Path string
	// Stored is the number of bytes stored at Path, from the beginning of the text.
	Stored int64
	// Hint is half a sentence on how to see the rest, such as "read on there with Grep",
	// or "".
	Hint string
}

// An Excerpt is the part of a text that a model reads.
type Excerpt struct {
	Note  string // one line that describes the cut; "" if Text is complete
	Text  string // valid UTF-8
	Shown int64  // number of the source's bytes in Text; 0 for an outline
}

// String returns the note and, below it, the text.
func (x Excerpt) String() string {
	if x.Note == "" || x.Text == "" {
		return x.Note + x.Text
	}
	return x.Note + "\n" + x.Text
}

// Beginning returns at most that many characters from the beginning of a text: whole
// lines, unless these would be less than half of the characters. 0 or less means
// [DefaultPreview]. The source needs no tail.
//
// A text that is complete and not longer is returned unchanged, without a note.
func Beginning(s Source, characters int) Excerpt {
	if characters <= 0 {
		characters = DefaultPreview
	}
	if x, ok := s.whole(characters); ok {
		return x
	}
	head := s.Head
	if s.Omitted == 0 {
		head = slices.Concat(s.Head, s.Tail)
	}
	head = trimEnd(firstCharacters(head, characters))
	return Excerpt{
		Note: fmt.Sprintf("[%s too long to show: %s. %s. Below are its first %d bytes.]",
			s.name(), s.size(), s.location(), len(head)),
		Text:  validText(head),
		Shown: int64(len(head)),
	}
}

// Preview returns an [Outline] if whole is a JSON object or array, and otherwise the
// [Beginning]. Whole is the complete text or "". The lines of s may be broken by
// [BreakLines], those of whole need not be.
func Preview(s Source, whole string, characters int) Excerpt {
	begin := strings.TrimLeft(whole, " \t\r\n")
	if len(whole) <= MaxJSON && (strings.HasPrefix(begin, "{") || strings.HasPrefix(begin, "[")) {
		document := s
		document.Output = Output{Head: []byte(whole), Total: s.Total}
		if x, ok := Outline(document, characters); ok {
			return x
		}
	}
	return Beginning(s, characters)
}

// whole returns the text unchanged if it is complete and short enough.
func (s Source) whole(characters int) (x Excerpt, ok bool) {
	kept := len(s.Head) + len(s.Tail)
	if s.Omitted > 0 || kept/utf8.UTFMax > characters {
		return Excerpt{}, false
	}
	if utf8.RuneCount(slices.Concat(s.Head, s.Tail)) > characters {
		return Excerpt{}, false
	}
	return Excerpt{Text: s.Text(), Shown: int64(kept)}, true
}

func (s Source) name() string {
	if s.Name == "" {
		return "Result"
	}
	return s.Name
}

// size words the length of the text.
func (s Source) size() string {
	return fmt.Sprintf("%d bytes, %s", s.Total, counted(s.Lines, "line"))
}

func counted[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// location words where the text is stored and how to see more of it.
func (s Source) location() string {
	var text string
	switch {
	case s.Path == "":
		text = "The rest was not kept"
	case s.Stored < s.Total:
		text = fmt.Sprintf("Its first %d bytes are in %s", s.Stored, s.Path)
	default:
		text = "All of it is in " + s.Path
	}
	if s.Hint == "" {
		return text
	}
	return text + "; " + s.Hint
}

// validText returns b as valid UTF-8, without line ends at its end.
func validText(b []byte) string {
	return strings.TrimRight(strings.ToValidUTF8(string(b), string(utf8.RuneError)), "\n")
}

// firstCharacters returns the longest beginning of b with at most n characters.
func firstCharacters(b []byte, n int) []byte {
	end := 0
	for ; n > 0 && end < len(b); n-- {
		_, size := utf8.DecodeRune(b[end:])
		end += size
	}
	return b[:end]
}

// lastCharacters returns the longest end of b with at most n characters.
func lastCharacters(b []byte, n int) []byte {
	start := len(b)
	for ; n > 0 && start > 0; n-- {
		_, size := utf8.DecodeLastRune(b[:start])
		start -= size
	}
	return b[start:]
}

// Ends returns at most that many characters of a text, half of them from its beginning and
// half from its end, in whole lines unless the lines are too long. Only a line end stands
// between the two parts, since a model could take anything else for a part of the text.
// The note says where the first part ends.
//
// A text that is complete and not longer is returned unchanged, without a note.
func Ends(s Source, characters int) Excerpt {
	characters = max(characters, 0)
	if x, ok := s.whole(characters); ok {
		return x
	}
	head, tail, atLine := s.ends(characters)
	whole := bytes.HasSuffix(head, []byte{'\n'})
	joined := slices.Clip(head)
	if len(head) > 0 && len(tail) > 0 && !whole {
		joined = append(joined, '\n')
	}
	first := fmt.Sprintf("the first %d bytes", len(head))
	if whole {
		first += fmt.Sprintf(" (lines 1 to %d)", bytes.Count(head, []byte{'\n'}))
	}
	last := fmt.Sprintf("the last %d bytes", len(tail))
	if atLine && len(tail) > 0 {
		lines := bytes.Count(bytes.TrimSuffix(tail, []byte{'\n'}), []byte{'\n'}) + 1
		last += fmt.Sprintf(" (from line %d)", s.Lines-int64(lines)+1)
	}
	return Excerpt{
		Note: fmt.Sprintf("[%s cut: %s. Below are %s and, right after them, %s. %s.]",
			s.name(), s.size(), first, last, s.location()),
		Text:  validText(append(joined, tail...)),
		Shown: int64(len(head) + len(tail)),
	}
}

// ends returns the two parts and reports whether the second is known to begin a line.
func (s Source) ends(characters int) (head, tail []byte, atLine bool) {
	head = firstCharacters(s.Head, characters/2)
	rest := s.Tail
	if s.Omitted == 0 {
		rest = slices.Concat(s.Head[len(head):], s.Tail)
	}
	tail = trimStart(lastCharacters(rest, characters-utf8.RuneCount(head)))
	before := rest[:len(rest)-len(tail)]
	return trimEnd(head), tail, bytes.HasSuffix(before, []byte{'\n'})
}
