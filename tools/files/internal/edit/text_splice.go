package edit

import "strings"

// splice applies edits, which must be in order and not overlap.
func (t *Text) splice(level MatchLevel, edits []byteEdit) (*Change, error) {
	var plain strings.Builder
	change := &Change{Old: t.String(), Level: level}
	at := plainCursor{lineEnds: t.lineEnds}
	before, after := lineCounter{line: 1}, lineCounter{line: 1}
	done := 0
	for _, c := range edits {
		if t.normalized[c.start:c.end] == c.text {
			continue
		}
		c = t.narrow(c)
		start := at.advance(t.plain, t.normalized[done:c.start])
		from := at.offset
		end := at.advance(t.plain, t.normalized[c.start:c.end])
		plain.WriteString(t.plain[start[0]:start[1]])
		plain.WriteString(t.lineEnds.restore(t.plain[from:end[1]], c.text))

		before.advance(t.normalized[done:c.start])
		after.advance(t.normalized[done:c.start])
		whole := c.end == len(t.normalized) || t.isLineStart(c.end)
		change.Spans = append(change.Spans, Span{
			Old: before.advanceOver(t.normalized[c.start:c.end], whole),
			New: after.advanceOver(c.text, whole),
		})
		done = c.end
	}
	plain.WriteString(t.plain[at.offset:])
	change.Data = t.encoding.encode(plain.String())
	// Parse the new bytes instead of composing the new text: bytes at the border of an
	// edit may combine, such as "\r" and "\n".
	result, err := Parse(change.Data)
	if err != nil {
		return nil, err
	}
	change.New = result.String()
	return change, nil
}

// narrow removes unchanged lines from both ends of an edit.
func (t *Text) narrow(c byteEdit) byteEdit {
	for c.start < c.end {
		line, _, ended := strings.Cut(t.normalized[c.start:c.end], "\n")
		if !ended || !strings.HasPrefix(c.text, line+"\n") {
			break
		}
		c.start += len(line) + 1
		c.text = c.text[len(line)+1:]
	}
	for c.start < c.end {
		from := c.start + strings.LastIndexByte(t.normalized[c.start:c.end-1], '\n') + 1
		line := t.normalized[from:c.end]
		// The line must start in both texts, or the end of a longer line would match.
		before, found := strings.CutSuffix(c.text, line)
		begins := strings.HasSuffix(before, "\n") || before == "" && t.isLineStart(c.start)
		if !found || !begins || !t.isLineStart(from) {
			break
		}
		c.end, c.text = from, before
	}
	return c
}

// isLineStart reports whether a line of the normalized text starts at an offset.
func (t *Text) isLineStart(at int) bool { return at == 0 || t.normalized[at-1] == '\n' }
