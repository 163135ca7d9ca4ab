package edit

import "strings"

// A cut is a place in the view and what shall stand there.
type cut struct {
	start, end int
	text       string
}

// narrow leaves out the lines at both ends of a cut that do not change.
func (t *Text) narrow(c cut) cut {
	for c.start < c.end {
		line, _, ended := strings.Cut(t.view[c.start:c.end], "\n")
		if !ended || !strings.HasPrefix(c.text, line+"\n") {
			break
		}
		c.start += len(line) + 1
		c.text = c.text[len(line)+1:]
	}
	for c.start < c.end {
		from := c.start + strings.LastIndexByte(t.view[c.start:c.end-1], '\n') + 1
		line := t.view[from:c.end]
		// A line must begin in both, or the rest of a longer one would be taken.
		before, found := strings.CutSuffix(c.text, line)
		begins := strings.HasSuffix(before, "\n") || before == "" && t.lineStart(c.start)
		if !found || !begins || !t.lineStart(from) {
			break
		}
		c.end, c.text = from, before
	}
	return c
}

// lineStart reports whether a line of the view begins at an offset.
func (t *Text) lineStart(at int) bool { return at == 0 || t.view[at-1] == '\n' }

// splice makes the cuts, which are in order and do not overlap.
func (t *Text) splice(rung Rung, cuts []cut) (*Change, error) {
	var plain strings.Builder
	change := &Change{Old: t.String(), Rung: rung}
	at := position{lines: t.ends}
	before, after := lineCount{line: 1}, lineCount{line: 1}
	done := 0
	for _, c := range cuts {
		if t.view[c.start:c.end] == c.text {
			continue
		}
		c = t.narrow(c)
		start := at.advance(t.plain, t.view[done:c.start])
		from := at.plain
		end := at.advance(t.plain, t.view[c.start:c.end])
		plain.WriteString(t.plain[start[0]:start[1]])
		plain.WriteString(t.ends.restore(t.plain[from:end[1]], c.text))

		before.pass(t.view[done:c.start])
		after.pass(t.view[done:c.start])
		whole := c.end == len(t.view) || t.lineStart(c.end)
		change.Spans = append(change.Spans, Span{
			Old: before.over(t.view[c.start:c.end], whole),
			New: after.over(c.text, whole),
		})
		done = c.end
	}
	plain.WriteString(t.plain[at.plain:])
	change.Data = t.encoding.encode(plain.String())
	// What was cut out and put in may join to something else, such as "\r" and
	// "\n", so the new text is read and not composed.
	result, err := Parse(change.Data)
	if err != nil {
		return nil, err
	}
	change.New = result.String()
	return change, nil
}

// position is a place in the plain text that moves along with the view.
type position struct {
	lines lineEnds
	plain int
}

// advance passes a piece of the view and returns where it starts and ends in plain.
func (p *position) advance(plain, view string) [2]int {
	start := p.plain
	for len(view) > 0 {
		at := strings.IndexByte(view, '\n')
		if at < 0 {
			p.plain += len(view)
			break
		}
		p.plain += at
		if plain[p.plain] == '\r' && !p.lines.lone {
			p.plain++
		}
		p.plain++
		view = view[at+1:]
	}
	return [2]int{start, p.plain}
}

// lineCount counts lines while text passes.
type lineCount struct {
	line    int
	started bool // something of the line has passed
}

func (c *lineCount) pass(text string) {
	if text == "" {
		return
	}
	c.line += strings.Count(text, "\n")
	c.started = text[len(text)-1] != '\n'
}

// over passes text and returns its lines. whole says that a line starts behind it.
func (c *lineCount) over(text string, whole bool) Range {
	first := *c
	c.pass(text)
	switch {
	case c.started:
		return Range{First: first.line, Last: c.line}
	case text == "" && whole:
		return Range{First: first.line, Last: first.line - 1}
	case text == "":
		return Range{First: first.line, Last: first.line}
	}
	return Range{First: first.line, Last: c.line - 1}
}
