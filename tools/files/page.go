package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A page is the part of a text that one call of Read shows.
type page struct {
	o        ReadOptions
	first    int    // number of the first line
	count    int    // of lines
	tokens   int    // of them, numbers included
	over     int    // tokens of the line that did not fit
	numbered []byte // for the model
	plain    []byte // for the host
	utf      string // the encoding of the file
	garbled  bool   // something in it was not text in that
	short    bool   // a line was cut
}

// A stop is why a page ends.
type stop int

// The stops.
const (
	atEnd    stop = iota // of the text
	atLimit              // as many lines as were asked for
	atBytes              // the next line has too many bytes
	atTokens             // or too many tokens; either is lost then
	inLine               // the last one goes on for too long
)

// lost reports whether a line was read that did not fit.
func (s stop) lost() bool { return s == atBytes || s == atTokens }

// fill takes lines from l, at most limit, until the page is full.
func (p *page) fill(ctx context.Context, l *lines, limit int) (stop, error) {
	keep := p.o.keep()
	for p.count < limit {
		if p.count%1024 == 0 && ctx.Err() != nil {
			return atEnd, context.Cause(ctx)
		}
		line, size, err := l.next(ctx, keep)
		if errors.Is(err, io.EOF) {
			return atEnd, nil
		}
		if err != nil {
			return atEnd, err
		}
		if why, ok := p.add(line, size, l.broken); !ok {
			l.takeBack()
			return why, nil
		}
		if l.broken {
			return inLine, nil
		}
	}
	return atLimit, nil
}

// keep returns how many bytes hold the part of a line that is shown.
func (o *ReadOptions) keep() int {
	return min(o.MaxLineLength, math.MaxInt/utf8.UTFMax) * utf8.UTFMax
}

// add appends the next line, of which line is the beginning. It reports false,
// and why, if there is no room; a page has room for one line at least.
func (p *page) add(line []byte, size int64, broken bool) (stop, bool) {
	text, garbled, short := p.o.wording(line, size, broken)
	before := len(p.numbered)
	if p.count > 0 {
		p.numbered = append(p.numbered, '\n')
	}
	p.numbered = p.o.appendLine(p.numbered, p.first+p.count, text)
	tokens := p.o.tokens(p.numbered[before:])
	if p.count > 0 {
		why := atLimit
		switch {
		case tokens > p.o.MaxTokens-p.tokens:
			why, p.over = atTokens, tokens
		case len(p.numbered) > p.o.MaxBytes:
			why = atBytes
		}
		if why != atLimit {
			p.numbered = p.numbered[:before]
			return why, false
		}
		p.plain = append(p.plain, '\n')
	}
	p.plain = append(p.plain, text...)
	p.count++
	p.tokens += tokens
	p.garbled = p.garbled || garbled
	p.short = p.short || short
	return 0, true
}

// wording returns the text of a line of size bytes as it is shown, whether some
// of it was not text, and whether some was left out.
func (o *ReadOptions) wording(line []byte, size int64, broken bool) (text []byte, garbled, short bool) {
	shown := cut(line, o.MaxLineLength)
	text, garbled = readable(shown)
	rest := size - int64(len(shown))
	switch {
	case broken:
		text = fmt.Appendf(bytes.Clone(text), " … [at least %d more bytes in this line]", rest)
	case rest > 0:
		text = fmt.Appendf(bytes.Clone(text), " … [%d more bytes in this line]", rest)
	}
	return text, garbled, rest > 0
}

// tokens returns what text costs the model.
func (o *ReadOptions) tokens(text []byte) int {
	if o.Tokens != nil {
		return max(0, o.Tokens(text))
	}
	return estimate(text)
}

// estimate counts a token for four ASCII characters, begun ones included, and
// one for each other character.
func estimate(text []byte) int {
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

// appendLine appends line n in the form in which the model sees it.
func (o *ReadOptions) appendLine(to []byte, n int, text []byte) []byte {
	if o.Line != nil {
		return append(to, o.Line(n, string(text))...)
	}
	const width = 6
	var digits [20]byte
	number := strconv.AppendInt(digits[:0], int64(n), 10)
	for range width - len(number) {
		to = append(to, ' ')
	}
	to = append(append(to, number...), '\t')
	return append(to, text...)
}

// cut returns at most n characters of line.
func cut(line []byte, n int) []byte {
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

// readable returns line with U+FFFD in the place of what is no text: runs of
// bytes that are not UTF-8, and NUL, which many a program stops at.
func readable(line []byte) (text []byte, garbled bool) {
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

// readText reads the page that in asks for from l, whose file has size bytes. A
// page that was asked for by its lines and has too many tokens is refused.
func (o ReadOptions) readText(ctx context.Context, l *lines, in readInput, size int64) (TextFile, error) {
	p := page{o: o, first: orDefault(in.Offset, 1), utf: "UTF-8"}
	room := int(min(size, 128<<10)) // a usual page does not grow
	p.plain, p.numbered = make([]byte, 0, room), make([]byte, 0, room+room/4)
	passed, end, err := l.pass(ctx, p.first-1, endless)
	if err != nil {
		return TextFile{}, err
	}
	l.begin()
	limit := orDefault(in.Limit, o.MaxLines)
	why, err := p.fill(ctx, l, limit)
	if err != nil {
		return TextFile{}, err
	}
	if why == atTokens && in.ranged() {
		return TextFile{}, p.tooMany(ctx, l, limit)
	}
	if l.tape != nil {
		p.utf, p.garbled = "UTF-16", bytes.Contains(p.plain, []byte("\uFFFD"))
	}
	t := TextFile{Content: string(p.plain), NumLines: p.count, StartLine: p.first, TotalLines: passed + p.count, TruncatedByTokenCap: why == atTokens}
	if why.lost() || !end && l.more() {
		t.Partial = true
		if err := t.countRest(ctx, l, why); err != nil {
			return TextFile{}, err
		}
		t.Partial = t.TotalLines != p.first+p.count-1
	}
	shown := p.notices(t, why, size)
	if p.count > 0 {
		shown = append(shown, string(p.numbered))
	}
	t.text = strings.Join(shown, "\n")
	t.cut = t.Partial && (in.Limit == 0 || why.lost())
	t.short = p.short
	return t, nil
}

// countRest adds the lines behind the page to those of t, if they can be
// counted in reasonable time.
func (t *TextFile) countRest(ctx context.Context, l *lines, why stop) error {
	behind, end, err := l.pass(ctx, math.MaxInt, counted)
	if err != nil {
		return err
	}
	if why.lost() {
		behind++ // the line that did not fit
	}
	if why == inLine {
		behind = max(0, behind-1) // the rest of a line is counted as one
	}
	t.TotalLines += behind
	if !end {
		t.TotalLines = -1
	}
	return nil
}

// tooMany words that the lines asked for, limit of them, have too many tokens.
// The page holds those that have not.
func (p *page) tooMany(ctx context.Context, l *lines, limit int) error {
	tokens, count, start := p.tokens+p.over, p.count+1, l.at
	bound := ""
	var scratch []byte
	for ; count < limit; count++ {
		if l.broken || l.at-start > counted {
			bound = "more than "
			break
		}
		line, size, err := l.next(ctx, p.o.keep())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		text, _, _ := p.o.wording(line, size, l.broken)
		scratch = p.o.appendLine(append(scratch[:0], '\n'), p.first+count, text)
		tokens += p.o.tokens(scratch)
	}
	return &adviceError{text: fmt.Sprintf("Lines %d to %d are %sabout %d tokens, more than the %d that one call shows. Ask for offset %d and limit %d, which fits, or find the place with Grep.",
		p.first, p.first+count-1, bound, tokens, p.o.MaxTokens, p.first, p.count)}
}

// notices tells what the model should know beside the lines.
func (p *page) notices(t TextFile, why stop, size int64) (notes []string) {
	switch {
	case p.count == 0 && t.TotalLines == 0:
		return []string{"[The file exists but is empty.]"}
	case p.count == 0:
		return []string{fmt.Sprintf("[Nothing to show: offset %d is past the end, the file has %s. Use a smaller offset.]",
			p.first, plural(t.TotalLines, "line"))}
	case t.Partial:
		notes = append(notes, p.partial(t, why, size))
	}
	if p.garbled {
		notes = append(notes, fmt.Sprintf("[Some bytes are not %s text; each run of them is shown as \uFFFD. Do not write this text back.]", p.utf))
	}
	return notes
}

// partial says which part of the text is shown and how to see more.
func (p *page) partial(t TextFile, why stop, size int64) string {
	last := p.first + p.count - 1
	note := fmt.Sprintf("[PARTIAL view: lines %d to %d of %d", p.first, last, t.TotalLines)
	if t.TotalLines < 0 {
		note = fmt.Sprintf("[PARTIAL view: lines %d to %d, more lines follow", p.first, last)
	}
	note += fmt.Sprintf("; the file has %d bytes.", size)
	switch why {
	case atBytes:
		note += fmt.Sprintf(" One call shows %d bytes at most.", p.o.MaxBytes)
	case atTokens:
		// The next call names its lines, and is refused if they are too many.
		return note + fmt.Sprintf(" One call shows about %d tokens at most. Go on with offset %d and limit %d.]", p.o.MaxTokens, last+1, p.count)
	}
	return note + fmt.Sprintf(" Go on with offset %d.]", last+1)
}

// plural counts things in words.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
