package files

import (
	"context"
	"errors"
	"fmt"
	"io"
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
