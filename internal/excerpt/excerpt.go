// Package excerpt cuts text that is too long for a model to read. It is the only
// place that does, so that a model finds the same notice everywhere: it stands
// before the text, in a line of its own, since what stands in the middle of a text
// is read as a part of it.
//
// There are four cuts. [Beginning] is for a long text that is stored somewhere, [Ends]
// for the text of a failure, [Outline] for a JSON document that is all in memory, and
// [Last] for what goes on growing; its notice is the caller's.
//
// Where a limit is in characters, those are Unicode code points, and no character is
// cut. A text that is no valid UTF-8 is shown with U+FFFD in the place of each run of
// bytes that are none, each of which counts as a character.
package excerpt

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// DefaultPreview is how many characters of a stored text are shown: about the 2 KB
// that are seen in public transcripts of the harness that the library is compatible
// with.
const DefaultPreview = 2_000

// A Source is what is known of a text: some of its bytes, its size, and where all
// of it is.
type Source struct {
	// Output is the beginning and the end of the text, as far as they are at hand.
	Output
	// Lines is how many lines the text has, counting the last even if it does not
	// end. See [Output.Lines].
	Lines int64
	// Name is what the notice calls the text; "" means "Result".
	Name string
	// Path is the file, or another reference, that has the text, and "" if nothing
	// has.
	Path string
	// Stored is how many bytes of the text are there, from the beginning.
	Stored int64
	// Hint says in half a sentence how to see the rest, such as "read on there with
	// Grep"; "" says nothing.
	Hint string
}

// An Excerpt is what is shown of a text.
type Excerpt struct {
	Note  string // one line on what is shown; "" if that is everything
	Text  string // valid UTF-8
	Shown int64  // bytes of the source that are in Text; 0 for an outline
}

// String returns the note and, below it, the text.
func (x Excerpt) String() string {
	if x.Note == "" || x.Text == "" {
		return x.Note + x.Text
	}
	return x.Note + "\n" + x.Text
}

// Beginning returns at most so many characters from the beginning of a text: whole
// lines, unless that would be less than half of them. 0 or less means
// [DefaultPreview]. Of the source it needs no more than the head.
//
// A text that is all there and not longer is returned as it is, without a note.
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
			s.name(), s.size(), s.rest("All of it is"), len(head)),
		Text:  validText(head),
		Shown: int64(len(head)),
	}
}

// Preview is [Outline] if whole, which is all of the text or "", is a JSON object or
// array, and otherwise [Beginning].
func Preview(s Source, whole string, characters int) Excerpt {
	begin := strings.TrimLeft(whole, " \t\r\n")
	if len(whole) <= MaxJSON && (strings.HasPrefix(begin, "{") || strings.HasPrefix(begin, "[")) {
		document := s
		document.Output = Output{Head: []byte(whole), Total: int64(len(whole))}
		if x, ok := Outline(document, characters); ok {
			return x
		}
	}
	return Beginning(s, characters)
}

// whole returns the text as it is, if it is all there and short enough.
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

// size says how long the text is.
func (s Source) size() string {
	return fmt.Sprintf("%d bytes, %s", s.Total, counted(s.Lines, "line"))
}

func counted[N int | int64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// rest says where the text is, and how to see more of it.
func (s Source) rest(all string) string {
	var text string
	switch {
	case s.Path == "":
		text = "The rest was not kept"
	case s.Stored < s.Total:
		text = fmt.Sprintf("Its first %d bytes are in %s", s.Stored, s.Path)
	default:
		text = all + " in " + s.Path
	}
	if s.Hint == "" {
		return text
	}
	return text + "; " + s.Hint
}

// validText returns output as valid UTF-8, without line ends at its end.
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
