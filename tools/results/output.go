package results

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
)

// Output is the Result.Data of [Read].
type Output struct {
	Ref     string `json:"ref"`               // as the store knows it
	Offset  int64  `json:"offset"`            // of the first byte that was shown or searched
	End     int64  `json:"end"`               // offset after the last byte that was shown or searched
	Size    int64  `json:"size"`              // of the result in bytes; -1 if the store does not report it
	More    bool   `json:"more"`              // the result has bytes at End
	Matches int    `json:"matches,omitempty"` // of the pattern in Content
	Content string `json:"content"`           // the text for the model, without the notice

	notice string
	value  any // for code, see Result.Value; nil if the model made the call
}

// setValue sets what code gets: the content, or if all of it is wanted and too long, the
// file of the store.
func (o *Output) setValue(store pegboard.ResultStore, all bool) {
	o.value = o.Content
	if !all || !o.More {
		return
	}
	o.value = &pegboard.CodeError{Kind: pegboard.KindFailed, Text: fmt.Sprintf("Result %s has more than %d bytes from %d on. Read it in parts, with offset and limit.", o.Ref, pegboard.MaxInMemory, o.Offset)}
	if d, ok := store.(interface{ Dir() string }); ok && o.Offset == 0 {
		file := filepath.Join(d.Dir(), o.Ref)
		if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() {
			o.value = pegboard.FileValue{Path: file, Size: info.Size()}
		}
	}
}

// sizeText returns the size of the result for the notice.
func (o *Output) sizeText() string {
	if o.Size < 0 {
		return " (of how many, the store does not tell)"
	}
	return fmt.Sprintf(" of %d", o.Size)
}

// line describes the part that was read, for a person.
func (o *Output) line() string {
	switch {
	case o.Matches == 1:
		return "Found 1 line"
	case o.Matches > 1:
		return fmt.Sprintf("Found %d lines", o.Matches)
	}
	if o.Size < 0 {
		return fmt.Sprintf("Read %d bytes", o.End-o.Offset)
	}
	return fmt.Sprintf("Read %d bytes of %d", o.End-o.Offset, o.Size)
}

// setEmpty sets the notice that the result has no bytes at the offset.
func (o *Output) setEmpty(r *resultReader) {
	o.End, o.Size = o.Offset, r.pos
	o.notice = fmt.Sprintf("[Nothing to show: offset %d is not before the end of result %s, which has %d bytes. Use a smaller offset.]", o.Offset, o.Ref, o.Size)
	if o.Size == 0 {
		o.notice = fmt.Sprintf("[Result %s is empty.]", o.Ref)
	}
}

// readPage shows at most limit bytes. limit must be enough for any character.
func (o *Output) readPage(r *resultReader, limit int) error {
	b, err := r.next(make([]byte, limit+1)) // one more byte shows whether the result goes on
	if err != nil {
		return err
	}
	if len(b) == 0 {
		o.setEmpty(r)
		return nil
	}
	if o.Size = r.size; r.atEnd {
		o.Size = r.pos
	}
	if o.More = len(b) > limit; o.More {
		b = b[:pageEnd(b[:limit])]
	}
	o.End = o.Offset + int64(len(b))
	var garbled bool
	o.Content, garbled = cleanText(b)

	var s strings.Builder
	fmt.Fprintf(&s, "[Result %s: bytes %d to %d%s", o.Ref, o.Offset, o.End, o.sizeText())
	ends := int64(bytes.Count(b, []byte{'\n'}))
	inLine := b[len(b)-1] != '\n'
	last := ends
	if inLine {
		last++
	}
	switch {
	case r.lines < 0:
		fmt.Fprintf(&s, ", lines: %d.", last)
	default:
		fmt.Fprintf(&s, ", lines %d to %d.", r.lines+1, r.lines+last)
	}
	switch {
	case !o.More:
		s.WriteString(" This is its end.")
	case inLine:
		fmt.Fprintf(&s, " Go on with offset %d, where the last line goes on.", o.End)
	default:
		fmt.Fprintf(&s, " Go on with offset %d.", o.End)
	}
	o.notice = s.String() + garbledNote(garbled) + "]"
	return nil
}

// garbledNote returns a sentence for the notice if some bytes were not text.
func garbledNote(garbled bool) string {
	if !garbled {
		return ""
	}
	return " Some bytes are no UTF-8 text; each run of them is shown as \uFFFD."
}

// pageEnd returns how many bytes of b, which is not the end of the result, make a
// page.
func pageEnd(b []byte) int {
	if lines := bytes.LastIndexByte(b, '\n') + 1; lines > 0 && lines >= len(b)/2 {
		return lines
	}
	return len(b) - partialRune(b)
}

// partialRune returns the number of bytes at the end of b that begin an incomplete
// character.
func partialRune(b []byte) int {
	for n := 1; n < utf8.UTFMax && n < len(b); n++ {
		if last := b[len(b)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}

// cleanText returns b as valid UTF-8 without NUL, and reports whether that differs
// from b.
func cleanText(b []byte) (text string, garbled bool) {
	text = strings.ReplaceAll(strings.ToValidUTF8(string(b), "\uFFFD"), "\x00", "\uFFFD")
	return text, text != string(b)
}

// search shows the matches from the reader's position on, in about limit bytes, but
// at least one.
func (o *Output) search(ctx context.Context, r *resultReader, pattern *regexp.Regexp, limit int) error {
	f, garbled := finder{pattern: pattern}, false
	var text strings.Builder
	var carry []byte // the end of a piece whose line goes on
	br, start := bufio.NewReaderSize(r.src, chunkSize), r.pos
	for !r.atEnd && !o.More {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		piece, err := br.ReadSlice('\n')
		r.pos += int64(len(piece))
		inLine := errors.Is(err, bufio.ErrBufferFull)
		if r.atEnd = errors.Is(err, io.EOF); err != nil && !r.atEnd && !inLine {
			return err
		}
		part := len(carry) > 0 || inLine
		if len(carry) > 0 {
			piece = append(carry, piece...)
		}
		for _, h := range f.hits(piece, r.pos-int64(len(piece)), part) {
			line, bad := cleanText(h.text)
			line = fmt.Sprintf("%d:%s\n", h.at, line)
			if o.Matches > 0 && text.Len()+len(line) > limit {
				o.More, o.End = true, h.at
				break
			}
			text.WriteString(line)
			garbled = garbled || bad
			o.Matches++
		}
		if carry = carry[:0]; inLine {
			carry = append(carry, piece[len(piece)-pieceOverlap:]...)
		}
	}
	if o.Size = r.size; !o.More {
		o.End, o.Size = r.pos, r.pos
	}
	if start == r.pos {
		o.setEmpty(r)
		return nil
	}
	o.Content = text.String()
	o.setSearchNotice(f.truncated, garbled)
	return nil
}

// setSearchNotice sets the notice of a search.
func (o *Output) setSearchNotice(truncated, garbled bool) {
	where := fmt.Sprintf("bytes %d to %d%s", o.Offset, o.End, o.sizeText())
	if o.Matches == 0 {
		o.notice = fmt.Sprintf("[Result %s: nothing in %s matches. Try another pattern", o.Ref, where)
		if o.Offset > 0 {
			o.notice += ", or a smaller offset"
		}
		o.notice += ".]"
		return
	}
	o.notice = fmt.Sprintf("[Result %s: searched %s, found %d. Each is shown behind its offset and a colon.", o.Ref, where, o.Matches)
	if truncated {
		o.notice += fmt.Sprintf(" Of a line over %d bytes the part around a match is shown.", maxLine)
	}
	if o.notice += " Read there with that offset"; o.More {
		o.notice += fmt.Sprintf("; search on with offset %d", o.End)
	}
	o.notice += "." + garbledNote(garbled) + "]"
}

const (
	maxLine       = 1_000   // bytes; of a longer line only the text around matches is shown
	contextBefore = 100     // bytes shown before a match in a long line
	contextAfter  = 400     // bytes shown from the start of the match on
	pieceOverlap  = 1 << 10 // bytes that two pieces of a line over chunkSize share
)

// A hit is a line, or a part of a long line, that is shown.
type hit struct {
	at   int64 // offset of its first byte
	text []byte
}

// A finder finds the matches of a pattern line by line.
type finder struct {
	pattern   *regexp.Regexp
	shownTo   int64 // offset of the end of the last hit
	truncated bool  // a part of a long line was shown
}

// hits returns the parts of a piece to show. The piece begins at offset at. The
// result is the whole line if the piece is a line of at most maxLine bytes, otherwise
// each match with the text around it. part says that the piece is not a whole line.
func (f *finder) hits(piece []byte, at int64, part bool) []hit {
	line := bytes.TrimRight(piece, "\r\n")
	if !part && len(line) <= maxLine {
		if len(piece) == 0 || !f.pattern.Match(line) {
			return nil
		}
		return []hit{{at, line}}
	}
	var hits []hit
	for _, match := range f.pattern.FindAllIndex(line, -1) {
		if at+int64(match[0]) < f.shownTo {
			continue // the previous hit contains it
		}
		from := max(0, match[0]-contextBefore, int(max(0, f.shownTo-at)))
		for from < match[0] && !utf8.RuneStart(line[from]) {
			from++
		}
		to := min(len(line), max(match[0]+contextAfter, from+1))
		to -= partialRune(line[from:to])
		if from == to {
			continue
		}
		f.shownTo, f.truncated = at+int64(to), true
		hits = append(hits, hit{at + int64(from), line[from:to]})
	}
	return hits
}
