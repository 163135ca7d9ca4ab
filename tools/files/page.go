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
	numbered []byte // for the model
	plain    []byte // for the host
	garbled  bool   // something in it was not text
}

// counted is how many bytes Read looks at to count the lines behind a page.
const counted = 8 << 20

// fill takes lines from l, at most limit, until the page is full. It reports
// whether a line did not fit any more, which is lost then.
func (p *page) fill(ctx context.Context, l *lines, limit int) (full bool, err error) {
	keep := min(p.o.MaxLineLength, math.MaxInt/utf8.UTFMax) * utf8.UTFMax // bytes that hold so many characters
	for p.count < limit {
		if p.count%1024 == 0 && ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		line, size, err := l.next(ctx, keep)
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if !p.add(line, size) {
			return true, nil
		}
	}
	return false, nil
}

// add appends the next line, of which line is the beginning. It reports false if
// there is no room; a page has room for one line at least.
func (p *page) add(line []byte, size int64) bool {
	shown := cut(line, p.o.MaxLineLength)
	text, garbled := readable(shown)
	if rest := size - int64(len(shown)); rest > 0 {
		text = fmt.Appendf(bytes.Clone(text), " … [%d more bytes in this line]", rest)
	}
	before := len(p.numbered)
	if p.count > 0 {
		p.numbered = append(p.numbered, '\n')
	}
	p.numbered = p.o.appendLine(p.numbered, p.first+p.count, text)
	if p.count > 0 && len(p.numbered) > p.o.MaxBytes {
		p.numbered = p.numbered[:before]
		return false
	}
	if p.count > 0 {
		p.plain = append(p.plain, '\n')
	}
	p.plain = append(p.plain, text...)
	p.count++
	p.garbled = p.garbled || garbled
	return true
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

// readText reads the page that in asks for from l, whose text has size bytes.
func (o ReadOptions) readText(ctx context.Context, l *lines, in readInput, size int64) (TextFile, error) {
	p := page{o: o, first: orDefault(in.Offset, 1)}
	passed, end, err := l.pass(ctx, p.first-1, endless)
	if err != nil {
		return TextFile{}, err
	}
	full, err := p.fill(ctx, l, orDefault(in.Limit, o.MaxLines))
	if err != nil {
		return TextFile{}, err
	}
	t := TextFile{Content: string(p.plain), NumLines: p.count, StartLine: p.first, TotalLines: passed + p.count}
	if full || !end && l.more() {
		t.Partial = true
		behind, end, err := l.pass(ctx, math.MaxInt, counted)
		if err != nil {
			return TextFile{}, err
		}
		if full {
			behind++ // the line that did not fit
		}
		t.TotalLines += behind
		if !end {
			t.TotalLines = -1
		}
	}
	shown := p.notices(t, full, size)
	if p.count > 0 {
		shown = append(shown, string(p.numbered))
	}
	t.text = strings.Join(shown, "\n")
	return t, nil
}

// notices tells what the model should know beside the lines.
func (p *page) notices(t TextFile, full bool, size int64) (notes []string) {
	switch {
	case p.count == 0 && t.TotalLines == 0:
		return []string{"[The file exists but is empty.]"}
	case p.count == 0:
		return []string{fmt.Sprintf("[Nothing to show: offset %d is past the end, the file has %s. Use a smaller offset.]",
			p.first, plural(t.TotalLines, "line"))}
	case t.Partial:
		last := p.first + p.count - 1
		note := fmt.Sprintf("[PARTIAL view: lines %d to %d of %d", p.first, last, t.TotalLines)
		if t.TotalLines < 0 {
			note = fmt.Sprintf("[PARTIAL view: lines %d to %d, more lines follow", p.first, last)
		}
		note += fmt.Sprintf("; the file has %d bytes.", size)
		if full {
			note += fmt.Sprintf(" One call shows %d bytes at most.", p.o.MaxBytes)
		}
		notes = append(notes, note+fmt.Sprintf(" Go on with offset %d.]", last+1))
	}
	if p.garbled {
		notes = append(notes, "[Some bytes are not UTF-8 text; each run of them is shown as \uFFFD. Do not write this text back.]")
	}
	return notes
}

// plural counts things in words.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
