package excerpt

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"
)

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
