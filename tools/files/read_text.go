package files

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

// readPage reads the page that in names from l. size is the size of the file in bytes.
// A page that the call names by its lines is refused if it has too many tokens.
func (o ReadOptions) readPage(ctx context.Context, l *lineReader, in readInput, size int64) (TextFile, error) {
	p := page{options: o, first: orDefault(in.Offset, 1), firstByte: in.ByteOffset, encodingName: "UTF-8"}
	room := int(min(size, 128<<10)) // enough for most pages
	p.plain, p.numbered = make([]byte, 0, room), make([]byte, 0, room+room/4)
	passed, end, err := l.skipLines(ctx, p.first-1, unlimited)
	if err != nil {
		return TextFile{}, err
	}
	l.startRange()
	limit := orDefault(in.Limit, o.limits.Lines)
	if in.Limit == 0 && in.ByteOffset > 0 {
		limit = 1
	}
	stop, err := p.fill(ctx, l, limit)
	if err != nil {
		return TextFile{}, err
	}
	if stop == tokenLimit && in.hasRange() {
		return TextFile{}, p.tooManyTokens(ctx, l, limit)
	}
	if l.source != nil {
		p.encodingName, p.hasInvalid = "UTF-16", bytes.Contains(p.plain, []byte("\uFFFD"))
	}
	t := TextFile{Content: string(p.plain), NumLines: p.lines, StartLine: p.first, TotalLines: passed + p.lines, TruncatedByTokenCap: stop == tokenLimit}
	if stop.droppedLine() || !end && l.hasMore() {
		t.Partial = true
		if err := t.countRest(ctx, l, stop); err != nil {
			return TextFile{}, err
		}
		t.Partial = t.TotalLines != p.first+p.lines-1
	}
	shown := p.notices(t, stop, size)
	if p.lines > 0 {
		shown = append(shown, string(p.numbered))
	}
	t.text = strings.Join(shown, "\n")
	t.truncated = t.Partial && (in.Limit == 0 || stop.droppedLine())
	t.linesCut, t.withinLine = p.linesCut, p.firstByte > 0
	return t, nil
}

// maxLineBytes returns the maximum length of the shown part of a line, in bytes.
func (o *ReadOptions) maxLineBytes() int {
	return min(o.limits.LineLength, math.MaxInt/utf8.UTFMax) * utf8.UTFMax
}

// renderLine returns the text of a line as shown, and reports bytes that are not text,
// and whether the text is only a part of the line.
func (o *ReadOptions) renderLine(line readLine) (text []byte, hasInvalid, cut bool) {
	shown := firstRunes(line.text, o.limits.LineLength)
	text, hasInvalid = printable(shown)
	next := line.from + int64(len(shown))
	if rest := line.size - next; rest > 0 {
		atLeast := ""
		if line.cutOff {
			atLeast = "at least "
		}
		text = fmt.Appendf(bytes.Clone(text), " … [%s%d more bytes in this line; go on with offset %d and byte_offset %d]", atLeast, rest, line.number, next)
		cut = true
	}
	return text, hasInvalid, cut || line.from > 0
}

// appendNumbered appends line n in the form in which the model sees it: the number in six
// columns, a tab and the text. No public documentation specifies this form.
func appendNumbered(to []byte, n int, text []byte) []byte {
	const width = 6
	var digits [20]byte
	number := strconv.AppendInt(digits[:0], int64(n), 10)
	for range width - len(number) {
		to = append(to, ' ')
	}
	to = append(append(to, number...), '\t')
	return append(to, text...)
}

// countTokens returns the number of tokens of text.
func (o *ReadOptions) countTokens(text []byte) int {
	if o.limits.Tokens != nil {
		return max(0, o.limits.Tokens(text))
	}
	return estimateTokens(text)
}

// estimateTokens counts one token for four ASCII characters, rounded up, and one for
// each other character.
func estimateTokens(text []byte) int {
	ascii, others := 0, 0
	for _, b := range text {
		switch {
		case b < utf8.RuneSelf:
			ascii++
		case utf8.RuneStart(b):
			others++
		}
	}
	return (ascii+3)/4 + others
}

// firstRunes returns the first n characters of line.
func firstRunes(line []byte, n int) []byte {
	if len(line) <= n {
		return line
	}
	end := 0
	for range n {
		if end == len(line) {
			break
		}
		_, size := utf8.DecodeRune(line[end:])
		end += size
	}
	return line[:end]
}

// printable replaces invalid text by U+FFFD: each run of bytes that are not UTF-8, and
// each NUL, at which many programs stop.
func printable(line []byte) (text []byte, hasInvalid bool) {
	nul := bytes.IndexByte(line, 0) >= 0
	if !nul && utf8.Valid(line) {
		return line, false
	}
	line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
	if nul {
		line = bytes.ReplaceAll(line, []byte{0}, []byte("\uFFFD"))
	}
	return line, true
}

// An UnchangedFile is a text or notebook whose requested part is in the conversation
// already.
type UnchangedFile struct {
	FilePath string `json:"filePath"` // absolute

	text string // for the model
}

// recordView records the part of the file t that the session has seen. If a result that the model
// still has shows the same part, recordView replaces the output by a notice, once: if the model
// repeats the call, it can no longer see the text, and gets it. A call of a script always gets the
// text, and the model does not have its result.
func (o *ReadOptions) recordView(c *pegboard.Call, t policy.Target, out ReadOutput) ReadOutput {
	if out.view == nil {
		return out
	}
	s := c.Session()
	state := reads.Of(s)
	if out.names != nil {
		cellNamesOf(s).set(t.Real(), out.names)
	}
	state.Record(t.Real(), *out.view)
	if o.limits.Again || !out.repeats || c.Parent() != nil {
		return out
	}
	same := UnchangedFile{FilePath: t.Value, text: fmt.Sprintf(
		"[%s has not changed since you read this part of it: the text above still holds. If you cannot see it any more, send the same call once more.]", t.Value)}
	if by := state.ShownBy(t.Real(), *out.view); by != "" && !s.Trimmed(by) && out.modelBytes() > len(same.text) {
		state.SetShown(t.Real(), *out.view, "")
		return ReadOutput{Type: "file_unchanged", File: same}
	}
	out.real = t.Real()
	return out
}

// shown records that the model has the output, if it is sent it as it is.
func (out *ReadOutput) shown(s *pegboard.Session, sent pegboard.Outcome) {
	for _, part := range out.parts() {
		same := func(p pegboard.Part) bool {
			return strings.Contains(p.Text, part.Text) && bytes.Equal(p.Data, part.Data)
		}
		if !slices.ContainsFunc(sent.Result.Parts, same) {
			return
		}
	}
	reads.Of(s).SetShown(out.real, *out.view, sent.Call.ID)
}
