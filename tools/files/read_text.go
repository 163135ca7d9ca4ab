package files

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

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

// keep returns how many bytes hold the part of a line that is shown.
func (o *ReadOptions) keep() int {
	return min(o.MaxLineLength, math.MaxInt/utf8.UTFMax) * utf8.UTFMax
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
