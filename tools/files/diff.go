package files

import (
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/edit"
)

// MaxDiff is the maximum size of a [pegboard.Diff] of this package, in bytes of the lines
// of its hunks: 1 MiB, our choice.
const MaxDiff = 1 << 20

// DiffOf returns the change of the file at path, which must be absolute, from the content
// before to the content after. A nil before means that the file is new. The error says that
// one of the two is not text.
func DiffOf(path string, before, after []byte) (pegboard.Diff, error) {
	d, _, err := diffOf(path, before, after)
	return d, err
}

// diffOf is DiffOf. It also returns all hunks, of which the diff may leave out some.
func diffOf(path string, before, after []byte) (d pegboard.Diff, all []pegboard.Hunk, err error) {
	d = pegboard.Diff{Path: path, New: before == nil, Hunks: []pegboard.Hunk{}}
	to, err := edit.Parse(after)
	if err != nil {
		return d, d.Hunks, err
	}
	if before == nil {
		d.Hunks, d.Omitted = newFileHunks(to.String())
		return d, d.Hunks, nil
	}
	from, err := edit.Parse(before)
	if err != nil {
		return d, d.Hunks, err
	}
	all = patch(from.String(), to.String())
	d.Hunks, d.Omitted = limitHunks(all, MaxDiff)
	return d, all, nil
}

// patch returns the hunks that turn one text into the other.
func patch(from, to string) []pegboard.Hunk {
	const contextLines = 3
	return append([]pegboard.Hunk{}, edit.Patch(from, to, contextLines)...)
}

// newFileHunks returns the hunks that make a file with this text, and the number of lines
// left out. Of a long text it only splits the beginning.
func newFileHunks(text string) (hunks []pegboard.Hunk, omitted int) {
	if end := strings.LastIndexByte(text[:min(len(text), MaxDiff)], '\n') + 1; len(text) > MaxDiff && end > 0 {
		omitted = strings.Count(text[end:], "\n")
		if !strings.HasSuffix(text, "\n") {
			omitted++
		}
		text = text[:end]
	}
	hunks, more := limitHunks(patch("", text), MaxDiff)
	return hunks, omitted + more
}

// limitHunks returns the first hunks whose lines have at most limit bytes in total,
// including line ends, and the number of lines left out. It corrects the line counts of
// a hunk that it cuts.
func limitHunks(hunks []pegboard.Hunk, limit int) (kept []pegboard.Hunk, omitted int) {
	kept = []pegboard.Hunk{}
	for _, h := range hunks {
		n := 0
		for n < len(h.Lines) && (limit >= len(h.Lines[n])+1 || isNoNewlineMark(h.Lines[n]) && n > 0) {
			limit -= len(h.Lines[n]) + 1
			n++
		}
		if n < len(h.Lines) {
			for _, line := range h.Lines[n:] {
				if !isNoNewlineMark(line) {
					omitted++
				}
			}
			h, limit = firstLines(h, n), 0 // later hunks are left out, so that there is no gap
		}
		if n > 0 {
			kept = append(kept, h)
		}
	}
	return slices.Clip(kept), omitted
}

// firstLines returns h with its first n lines only.
func firstLines(h pegboard.Hunk, n int) pegboard.Hunk {
	h.Lines, h.OldLines, h.NewLines = h.Lines[:n], 0, 0
	for _, line := range h.Lines {
		switch line[0] {
		case '-':
			h.OldLines++
		case '+':
			h.NewLines++
		case ' ':
			h.OldLines++
			h.NewLines++
		}
	}
	return h
}

// isNoNewlineMark reports whether a line of a hunk only says that the line before it
// has no line end.
func isNoNewlineMark(line string) bool { return line[0] == '\\' }
