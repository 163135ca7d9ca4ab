package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A page is the part of a text that one call of Read shows.
type page struct {
	options        ReadOptions
	first          int    // number of the first line
	firstByte      int64  // offset in the first line at which the page begins
	lines          int    // number of lines
	tokens         int    // of the lines, including line numbers
	rejectedTokens int    // tokens of the line that did not fit
	numbered       []byte // for the model
	plain          []byte // for the host
	encodingName   string // of the file
	hasInvalid     bool   // the file has bytes that are not text in this encoding
	linesCut       bool   // a line was cut
}

// A pageEnd is the reason why a page ends.
type pageEnd int

// The reasons.
const (
	endOfText  pageEnd = iota // the text ends
	lineLimit                 // the page has the requested number of lines
	byteLimit                 // the next line exceeds MaxBytes; that line is dropped
	tokenLimit                // the next line exceeds MaxTokens; that line is dropped
	longLine                  // the last line was cut, since it is too long to be read to its end
)

// droppedLine reports whether a line was read that did not fit.
func (s pageEnd) droppedLine() bool { return s == byteLimit || s == tokenLimit }

// fill reads lines from l until the page is full or has limit lines.
func (p *page) fill(ctx context.Context, l *lineReader, limit int) (pageEnd, error) {
	keep := p.options.maxLineBytes()
	for p.lines < limit {
		if p.lines%1024 == 0 && ctx.Err() != nil {
			return endOfText, context.Cause(ctx)
		}
		line := readLine{number: p.first + p.lines}
		if p.lines == 0 {
			line.from = p.firstByte
		}
		var err error
		line.text, line.size, err = l.nextFrom(ctx, line.from, keep)
		if errors.Is(err, io.EOF) {
			return endOfText, nil
		}
		if err != nil {
			return endOfText, err
		}
		if line.from > 0 && line.from >= line.size {
			return endOfText, line.pastEnd()
		}
		line.cutOff = l.cutOff
		if p.lines == 0 {
			line.startAtCharacter()
			p.firstByte = line.from
		}
		if stop, ok := p.addLine(line); !ok {
			l.dropLastLine()
			return stop, nil
		}
		if l.cutOff {
			return longLine, nil
		}
	}
	return lineLimit, nil
}

// addLine appends the next line. If it does not fit, addLine reports false and the reason.
// The first line always fits.
func (p *page) addLine(line readLine) (pageEnd, bool) {
	text, hasInvalid, cut := p.options.renderLine(line)
	before := len(p.numbered)
	if p.lines > 0 {
		p.numbered = append(p.numbered, '\n')
	}
	p.numbered = appendNumbered(p.numbered, p.first+p.lines, text)
	tokens := p.options.countTokens(p.numbered[before:])
	if p.lines > 0 {
		stop := lineLimit
		switch {
		case tokens > p.options.MaxTokens-p.tokens:
			stop, p.rejectedTokens = tokenLimit, tokens
		case len(p.numbered) > p.options.limits.Bytes:
			stop = byteLimit
		}
		if stop != lineLimit {
			p.numbered = p.numbered[:before]
			return stop, false
		}
		p.plain = append(p.plain, '\n')
	}
	p.plain = append(p.plain, text...)
	p.lines++
	p.tokens += tokens
	p.hasInvalid = p.hasInvalid || hasInvalid
	p.linesCut = p.linesCut || cut
	return 0, true
}

// tooManyTokens returns the error for a range of limit lines with too many tokens. The
// page has the lines that fit.
func (p *page) tooManyTokens(ctx context.Context, l *lineReader, limit int) error {
	tokens, count, start := p.tokens+p.rejectedTokens, p.lines+1, l.offset
	bound := ""
	var scratch []byte
	for ; count < limit; count++ {
		if l.cutOff || l.offset-start > maxCountedBytes {
			bound = "more than "
			break
		}
		text, size, err := l.next(ctx, p.options.maxLineBytes())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		text, _, _ = p.options.renderLine(readLine{text: text, number: p.first + count, size: size, cutOff: l.cutOff})
		scratch = appendNumbered(append(scratch[:0], '\n'), p.first+count, text)
		tokens += p.options.countTokens(scratch)
	}
	within := ""
	if p.firstByte > 0 {
		within = fmt.Sprintf(", byte_offset %d", p.firstByte)
	}
	return &adviceError{text: fmt.Sprintf("Lines %d to %d are %sabout %d tokens, more than the %d that one call shows. Ask for offset %d%s and limit %d, which fits, or find the place with Grep.",
		p.first, p.first+count-1, bound, tokens, p.options.MaxTokens, p.first, within, p.lines)}
}

// notices returns the notes for the model besides the lines.
func (p *page) notices(t TextFile, stop pageEnd, size int64) (notes []string) {
	switch {
	case p.lines == 0 && t.TotalLines == 0:
		return []string{"[The file exists but is empty.]"}
	case p.lines == 0:
		return []string{fmt.Sprintf("[Nothing to show: offset %d is past the end, the file has %s. Use a smaller offset.]",
			p.first, plural(t.TotalLines, "line"))}
	case t.Partial:
		notes = append(notes, p.partialNotice(t, stop, size))
	}
	if p.firstByte > 0 {
		notes = append(notes, fmt.Sprintf("[Line %d is shown from its byte %d on.]", p.first, p.firstByte))
	}
	if p.hasInvalid {
		notes = append(notes, fmt.Sprintf("[Some bytes are not %s text; each run of them is shown as \uFFFD. Do not write this text back.]", p.encodingName))
	}
	return notes
}

// partialNotice says which part of the text is shown and how to read on.
func (p *page) partialNotice(t TextFile, stop pageEnd, size int64) string {
	last := p.first + p.lines - 1
	note := fmt.Sprintf("[PARTIAL view: lines %d to %d of %d", p.first, last, t.TotalLines)
	if t.TotalLines < 0 {
		note = fmt.Sprintf("[PARTIAL view: lines %d to %d, more lines follow", p.first, last)
	}
	note += fmt.Sprintf("; the file has %d bytes.", size)
	switch stop {
	case byteLimit:
		note += fmt.Sprintf(" One call shows %d bytes at most.", p.options.limits.Bytes)
	case tokenLimit:
		// Name a limit: a call with a range is refused if the range has too many tokens.
		return note + fmt.Sprintf(" One call shows about %d tokens at most. Go on with offset %d and limit %d.]", p.options.MaxTokens, last+1, p.lines)
	}
	return note + fmt.Sprintf(" Go on with offset %d.]", last+1)
}

// A pageRange is the value of the field pages.
type pageRange struct {
	first int
	last  int // 0: the last page of the document
}

// parsePages parses "3", "1-5" or "10-". The text of the error is for the model.
func parsePages(s string) (pageRange, error) {
	from, to, dash := strings.Cut(strings.TrimSpace(s), "-")
	r := pageRange{}
	var ok bool
	if r.first, ok = pageNumber(from); ok {
		switch {
		case !dash:
			r.last = r.first
			return r, nil
		case strings.TrimSpace(to) == "":
			return r, nil
		}
		if r.last, ok = pageNumber(to); ok && r.first <= r.last {
			return r, nil
		}
	}
	return pageRange{}, fmt.Errorf(`pages is %q; send one range of pages, counted from 1, such as "3", "1-5" or "10-"`, s)
}

// pageNumber parses a positive number.
func pageNumber(s string) (int, bool) {
	n, err := strconv.ParseUint(strings.TrimSpace(s), 10, 31)
	return int(n), err == nil && n > 0
}
