package grep

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sort"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
)

// A Searcher searches one file after another and reuses its buffers. It must not be
// used concurrently.
type Searcher struct {
	program   *Program
	finder    *finder
	machine   *machine
	automaton *automaton
	stopped   func() bool // reports whether the context of the search has ended

	passedBytes int // bytes searched
	failedBytes int // bytes of lines that contain the needle without a match

	buf []byte
	fileSearch
}

// The sizes of the buffer, in bytes.
const (
	windowSize    = 64 << 10 // initially; longer lines make it grow
	maxWindowSize = 64 << 20 // for one line, or for a file if matches may cross lines
	maxKeptWindow = 1 << 20  // between two files
)

// ErrTooLong means that a line is longer than 64 MiB, or a file if matches may cross
// lines.
var ErrTooLong = errors.New("a line is longer than 64 MiB")

// NewSearcher returns a Searcher for p.
func NewSearcher(p *Program) *Searcher {
	s := &Searcher{program: p, buf: make([]byte, windowSize)}
	r := charReader{ascii: p.query.ASCII}
	if p.hasAssertions && !r.ascii {
		r.wordChars = wordSet(false)
	}
	s.stopped = func() bool { return false }
	s.machine = newMachine(p, r, func() bool { return s.stopped() })
	s.automaton = newAutomaton(p, r)
	if p.needle != nil {
		s.finder = newFinder(p.needle)
	}
	return s
}

// Search searches the text of r until r or ctx ends. The error is that of r or ctx, or
// ErrTooLong; the result then has the matches up to that point.
func (s *Searcher) Search(ctx context.Context, r io.Reader, w SearchOptions) (Result, error) {
	s.fileSearch = fileSearch{options: w}
	s.stopped = func() bool { return ctx.Err() != nil }
	var err error
	if s.program.wholeFile {
		err = s.searchWhole(ctx, r)
	} else {
		err = s.searchLines(ctx, r)
	}
	if len(s.buf) > maxKeptWindow {
		s.buf = make([]byte, windowSize)
	}
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if s.result.Denied {
		return Result{Denied: true}, err
	}
	if s.result.Binary && !w.IncludeBinary && s.program.query.Mode == Count {
		s.result.Matches = 0 // a partial count is useless
	}
	return s.result, err
}

// collect searches f and adds the result to c. path returns the path of f in the report, and
// is called if there is a match. If the search ends early, the matches up
// to then are added, except in the mode Count. The end of ctx is not returned as an
// error.
func (s *Searcher) collect(ctx context.Context, c *collector, path func() string, f io.Reader, binary bool) error {
	var name string
	found, err := s.Search(ctx, f, SearchOptions{
		Accept:        func() (int, bool) { name = path(); return c.accept(name) },
		MaxBytes:      c.maxBytes,
		IncludeBinary: binary,
	})
	if err == nil || s.program.query.Mode != Count {
		c.add(name, found)
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}

// searchLines reads and searches one window after another. A window ends at a line end.
func (s *Searcher) searchLines(ctx context.Context, r io.Reader) error {
	r, have, err := s.readStart(ctx, r)
	last, from := 0, 0 // start of the bytes read last, and of the bytes not yet searched
	for !s.done {
		ended := errors.Is(err, io.EOF)
		if err != nil && !ended {
			return err
		}
		if !s.checkBinary(s.buf[last:have]) {
			return nil
		}
		end := have
		if !ended {
			end = last + bytes.LastIndexByte(s.buf[last:have], '\n') + 1
		}
		if end > last || ended && end > from {
			s.searchWindow(s.buf[:end], from)
		}
		if ended || s.done {
			break
		}
		if end > last {
			have, from = s.shiftWindow(have, end)
		}
		last = have
		var n int
		n, err = s.read(ctx, r, have)
		have += n
	}
	return nil
}

// checkBinary reports whether the search may go on after the bytes b. A zero byte means
// that the file is not text.
func (s *Searcher) checkBinary(b []byte) bool {
	i := bytes.IndexByte(b, 0)
	if i < 0 {
		return true
	}
	s.result.Binary = true
	for ; i < len(b); i++ {
		if b[i] == 0 {
			b[i] = '\n' // otherwise a binary file could be one huge line
		}
	}
	return s.options.IncludeBinary
}

// searchWindow searches the lines of b from an offset on.
func (s *Searcher) searchWindow(b []byte, from int) {
	if s.finder != nil {
		s.finder.reset()
	}
	for !s.done && !s.stopped() {
		start, end, ok := s.nextLine(b, from)
		if !ok {
			break
		}
		s.addLine(b, start, end)
		from = end + 1
	}
	if s.trailing > 0 && !s.done {
		s.addContextAfter(b, len(b))
	}
}

// addLine adds a matching line to the result.
func (s *Searcher) addLine(b []byte, start, end int) {
	if !s.acceptFile() {
		return
	}
	if !s.program.query.OnlyMatching {
		s.result.Matches++
		if s.program.query.Mode == Content {
			s.addContextBefore(b, start)
			s.addRow(b, rowBounds{start, end, s.firstMatch(b, start, end)}, false)
			s.trailing = s.program.query.After
		}
		return
	}
	line := b[start:end]
	s.eachMatch(line, func(from, to int) {
		s.result.Matches++
		if s.program.query.Mode == Content && (from < to || !s.program.query.Multiline) {
			s.addRow(b, rowBounds{start + from, start + to, start + from}, false)
		}
	})
}

// firstMatch returns the start of the first match in a line, or start if a row shows the
// whole line in any case.
func (s *Searcher) firstMatch(b []byte, start, end int) int {
	longLine := s.program.query.LongLine
	if longLine <= 0 || end-start <= longLine {
		return start
	}
	from, _, ok := s.machine.find(b[start:end], 0, false)
	if !ok {
		return start
	}
	return start + from
}

// eachMatch calls f for each match in b.
func (s *Searcher) eachMatch(b []byte, f func(from, to int)) {
	last := -1
	for at := 0; at <= len(b) && !s.stopped(); {
		from, to, ok := s.machine.find(b, at, false)
		if !ok {
			break
		}
		at = to
		if from == to {
			at++
			if from == last {
				continue // an empty match adjacent to another match does not count
			}
		}
		last = to
		f(from, to)
	}
}

// shiftWindow removes the lines before end from the buffer, except for those that may
// become context. It returns the number of bytes left and the offset at which the
// search continues.
func (s *Searcher) shiftWindow(have, end int) (left, from int) {
	keep := end
	if s.program.query.Mode == Content {
		keep = s.contextStart(s.buf, end)
		s.linesBefore += bytes.Count(s.buf[s.countedTo:keep], []byte{'\n'})
	}
	s.countedTo, s.shownTo = 0, max(-1, s.shownTo-keep)
	return copy(s.buf, s.buf[keep:have]), end - keep
}

// nextLine returns the first matching line of b that starts at from or later, without
// its line feed.
func (s *Searcher) nextLine(b []byte, from int) (start, end int, found bool) {
	switch {
	case from >= len(b):
		return 0, 0, false
	case s.automaton.matchesEmpty:
		return from, lineEnd(b, from), true
	case s.finder != nil:
		return s.nextCandidate(b, from)
	}
	return s.nextByAutomaton(b, from)
}

func (s *Searcher) nextByAutomaton(b []byte, from int) (start, end int, found bool) {
	if s.automaton.thrashing {
		return s.nextByMachine(b, from)
	}
	_, i, found := s.automaton.find(b, from, textEdge, b[len(b)-1] != '\n')
	if !found {
		return 0, 0, false
	}
	return lineStart(b, from, i), lineEnd(b, i), true
}

func (s *Searcher) nextByMachine(b []byte, from int) (start, end int, found bool) {
	for from < len(b) && !s.stopped() {
		end := lineEnd(b, from)
		if _, _, ok := s.machine.find(b[from:end], 0, false); ok {
			return from, end, true
		}
		from = end + 1
	}
	return 0, 0, false
}

// nextCandidate is nextLine for a program with a needle. It only looks at lines that
// contain the needle.
func (s *Searcher) nextCandidate(b []byte, from int) (start, end int, found bool) {
	for at := from; at < len(b); {
		p := s.finder.find(b, at)
		if p < 0 {
			s.passedBytes += len(b) - at
			break
		}
		start, end = lineStart(b, at, p), lineEnd(b, p)
		if s.program.needle.whole || s.lineMatches(b[start:end]) {
			return start, end, true
		}
		s.passedBytes += end - at
		s.failedBytes += end - start
		if s.passedBytes > windowSize && s.failedBytes > s.passedBytes/2 {
			s.finder = nil // most lines contain the needle, so it does not help
			return s.nextLine(b, end+1)
		}
		at = end + 1
	}
	return 0, 0, false
}

// lineMatches reports whether line has a match.
func (s *Searcher) lineMatches(line []byte) bool {
	if s.automaton.thrashing {
		_, _, found := s.machine.find(line, 0, false)
		return found
	}
	_, _, found := s.automaton.find(line, 0, textEdge, true)
	return found
}

// nextMatch returns the first match in b that starts at from or later.
func (s *Searcher) nextMatch(b []byte, from int) (start, end int, found bool) {
	if s.finder != nil && s.program.needle.prefix {
		for p := s.finder.find(b, from); p >= 0; p = s.finder.find(b, p+1) {
			if start, end, found := s.machine.find(b, p, true); found {
				return start, end, true
			}
		}
		return 0, 0, false
	}
	if s.finder != nil && s.finder.find(b, from) < 0 {
		return 0, 0, false
	}
	if !s.automaton.thrashing && !s.automaton.matchesEmpty {
		low, _, found := s.automaton.find(b, from, s.machine.previous(b, from), true)
		if !found {
			return 0, 0, false
		}
		from = low
	}
	return s.machine.find(b, from, false)
}

// readStart reads the start of a file into the buffer. It returns a reader of the rest
// and the number of bytes in the buffer. It drops a byte order mark, and converts
// UTF-16 to UTF-8.
func (s *Searcher) readStart(ctx context.Context, r io.Reader) (rest io.Reader, have int, err error) {
	for have < 3 && err == nil {
		var n int
		n, err = s.read(ctx, r, have)
		have += n
	}
	rest, mark, recoded := decode(r, s.buf[:have])
	if recoded {
		return rest, 0, nil
	}
	return rest, copy(s.buf, s.buf[mark:have]), err
}

// decode looks for a byte order mark in head, the bytes that were read so far. For
// UTF-8, mark is the length of the byte order mark. For UTF-16, recoded is true and
// rest yields the whole file as UTF-8.
func decode(r io.Reader, head []byte) (rest io.Reader, mark int, recoded bool) {
	endian := unicode.LittleEndian
	switch {
	case bytes.HasPrefix(head, []byte("\uFEFF")):
		return r, len("\uFEFF"), false
	case bytes.HasPrefix(head, []byte{0xFE, 0xFF}):
		endian = unicode.BigEndian
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE}):
	default:
		return r, 0, false
	}
	all := io.MultiReader(bytes.NewReader(bytes.Clone(head)), r)
	return unicode.UTF16(endian, unicode.UseBOM).NewDecoder().Reader(all), 0, true
}

// read appends to the first have bytes of the buffer, and enlarges the buffer if it is
// full.
func (s *Searcher) read(ctx context.Context, r io.Reader, have int) (int, error) {
	if have == len(s.buf) {
		if len(s.buf) >= maxWindowSize {
			return 0, ErrTooLong
		}
		buf := make([]byte, 2*len(s.buf))
		copy(buf, s.buf)
		s.buf = buf
	}
	n, err := r.Read(s.buf[have:])
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	return n, err
}

func (s *Searcher) readAll(ctx context.Context, r io.Reader) ([]byte, error) {
	r, have, err := s.readStart(ctx, r)
	for err == nil {
		var n int
		n, err = s.read(ctx, r, have)
		have += n
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return s.buf[:have], nil
}

// acceptFile calls Accept at the first match, and reports whether rows and matches are
// to be added.
func (s *Searcher) acceptFile() bool {
	if s.acceptAsked {
		return true
	}
	s.acceptAsked = true
	ok := true
	s.maxRows = int(^uint(0) >> 1)
	if s.options.Accept != nil {
		s.maxRows, ok = s.options.Accept()
	}
	s.result.Denied = !ok
	s.done = !ok
	switch {
	case !ok:
		return false
	case s.program.query.Mode == Files:
		s.result.Matches = 1
		s.done = true
		return false
	}
	return true
}

// addContextBefore adds the lines of context before a match at start.
func (s *Searcher) addContextBefore(b []byte, start int) {
	s.addContextAfter(b, start)
	for from := s.contextStart(b, start); from < start; {
		end := lineEnd(b, from)
		s.addRow(b, rowBounds{from, end, from}, true)
		from = end + 1
	}
}

// contextStart returns the start of the lines that may be context before start.
func (s *Searcher) contextStart(b []byte, start int) int {
	low := max(0, s.shownTo)
	for range s.program.query.Before {
		if start <= low {
			break
		}
		start = lineStart(b, low, start-1)
	}
	return start
}

// addContextAfter adds the lines of context that are still due after the last match, up
// to an offset.
func (s *Searcher) addContextAfter(b []byte, upTo int) {
	for s.trailing > 0 && s.shownTo < upTo {
		end := lineEnd(b, s.shownTo)
		s.addRow(b, rowBounds{s.shownTo, end, s.shownTo}, true)
		s.trailing--
	}
}

// addRow adds a row. context marks a line without a match.
func (s *Searcher) addRow(b []byte, row rowBounds, context bool) {
	if s.result.Binary {
		s.done = true // a binary file has no rows
		return
	}
	s.result.NumRows++
	gap := row.start != s.shownTo && s.result.NumRows > 1 && s.program.query.Before+s.program.query.After > 0
	s.shownTo = row.end + 1
	if s.result.Truncated || len(s.result.Rows) >= s.maxRows {
		return
	}
	r := Row{Number: s.lineNumber(b, row.start), Context: context, Gap: gap}
	from := row.shownFrom(b, s.program.query.LongLine)
	text := b[from:row.end]
	if limit := s.program.query.MaxColumns; limit > 0 && len(text) > limit {
		text = wholeRunes(text[:limit])
	}
	r.Text, r.Skipped, r.Omitted = string(text), from-row.start, row.end-from-len(text)
	s.rowMemory += r.memory()
	if s.result.Truncated = s.options.MaxBytes > 0 && s.rowMemory > s.options.MaxBytes && len(s.result.Rows) > 0; s.result.Truncated {
		return
	}
	s.result.Rows = append(s.result.Rows, r)
}

// wholeRunes removes an incomplete character from the end of b.
func wholeRunes(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[:i]
			}
			break
		}
	}
	return b
}

// lineNumber returns the number of the line that contains start, counted from 1.
func (s *Searcher) lineNumber(b []byte, start int) int {
	s.linesBefore += bytes.Count(b[s.countedTo:start], []byte{'\n'})
	s.countedTo = start
	return s.linesBefore + 1
}

// searchWhole reads and searches a file as a whole, because matches may cross lines.
func (s *Searcher) searchWhole(ctx context.Context, r io.Reader) error {
	b, err := s.readAll(ctx, r)
	if err != nil {
		return err
	}
	if bytes.IndexByte(b[:min(len(b), windowSize)], 0) >= 0 {
		s.result.Binary = true
		if !s.options.IncludeBinary {
			return nil
		}
	}
	if s.finder != nil {
		s.finder.reset()
	}
	var run block
	for at := 0; at < len(b) && !s.done && !s.stopped(); {
		from, to, ok := s.nextMatch(b, at)
		if !ok {
			break
		}
		at = to
		if from == to {
			at++
		}
		start, end := linesAround(b, from, to)
		switch {
		case start == end: // after the last line
		case run.started && start <= run.end:
			run.end = max(run.end, end)
			run.addSpan(from, to)
		default:
			s.addBlock(b, &run)
			run = block{started: true, start: start, end: end, spans: run.spans[:0]}
			run.addSpan(from, to)
		}
	}
	s.addBlock(b, &run)
	if s.trailing > 0 && !s.done {
		s.addContextAfter(b, len(b))
	}
	return nil
}

// addBlock adds a block to the result.
func (s *Searcher) addBlock(b []byte, k *block) {
	if !k.started || s.done || !s.acceptFile() {
		return
	}
	s.result.Binary = s.result.Binary || bytes.IndexByte(b[k.start:k.end], 0) >= 0
	s.result.Matches += len(k.spans)
	if s.program.query.Mode != Content {
		return
	}
	if !s.program.query.OnlyMatching {
		s.addContextBefore(b, k.start)
		for at := k.start; at < k.end && !s.done; {
			end := lineEnd(b, at)
			s.addRow(b, rowBounds{at, end, k.firstMatch(at, end)}, false)
			at = end + 1
		}
		s.trailing = s.program.query.After
		return
	}
	for _, span := range k.spans {
		for at, end := span[0], span[1]; at < end && !s.done; {
			stop := min(end, lineEnd(b, at))
			if stop > at {
				s.addRow(b, rowBounds{at, stop, at}, false)
			}
			at = stop + 1
		}
	}
}

// lineStart returns the start of the line that contains p. The line must not start
// before low.
func lineStart(b []byte, low, p int) int {
	return low + bytes.LastIndexByte(b[low:p], '\n') + 1
}

// lineEnd returns the end of the line that contains p, before its line feed.
func lineEnd(b []byte, p int) int {
	if i := bytes.IndexByte(b[p:], '\n'); i >= 0 {
		return p + i
	}
	return len(b)
}

// linesAround returns the bounds of the lines that contain a match, including the last
// line feed.
func linesAround(b []byte, from, to int) (start, end int) {
	start = lineStart(b, 0, from)
	if to > start && b[to-1] == '\n' {
		return start, to
	}
	return start, min(lineEnd(b, to)+1, len(b))
}

// A block is a run of adjacent lines with matches.
type block struct {
	started    bool // the block has lines
	start, end int
	spans      [][2]int // start and end of each match
}

// addSpan adds a match, unless it is empty and adjacent to the one before.
func (k *block) addSpan(from, to int) {
	if n := len(k.spans); from == to && n > 0 && k.spans[n-1][1] == from {
		return
	}
	k.spans = append(k.spans, [2]int{from, to})
}

// firstMatch returns the start of the first match in the line from start to end, or start
// if the line has none.
func (k *block) firstMatch(start, end int) int {
	i := sort.Search(len(k.spans), func(i int) bool { return k.spans[i][1] > start })
	if i == len(k.spans) || k.spans[i][0] > end {
		return start
	}
	return max(start, k.spans[i][0])
}

// A Row is one line of the result for a file.
type Row struct {
	Number  int    // of the line, counted from 1
	Text    string // without the line feed
	Skipped int    // bytes of the line before Text
	Omitted int    // bytes of the line that are cut off at the end of Text
	Context bool   // a line of context without a match
	Gap     bool   // lines are missing between this row and the one before
}

// memory returns the approximate memory of r, in bytes.
func (r *Row) memory() int { return 64 + len(r.Text) }

// rowBounds are the bounds of a row in a text.
type rowBounds struct {
	start, end int
	match      int // start of the first match in the row; start in a row without a match
}

// shownFrom returns the offset in b at which the text of the row begins. See
// [Query.LongLine].
func (r rowBounds) shownFrom(b []byte, longLine int) int {
	if longLine <= 0 || r.match-r.start <= longLine/2 || r.end-r.start <= longLine {
		return r.start
	}
	if utf8.RuneCount(b[r.start:r.match]) <= longLine/2 || utf8.RuneCount(b[r.start:r.end]) <= longLine {
		return r.start
	}
	from := r.match
	for range longLine / 20 {
		_, size := utf8.DecodeLastRune(b[r.start:from])
		from -= size
	}
	return from
}
