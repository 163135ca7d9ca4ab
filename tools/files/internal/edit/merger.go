package edit

import (
	"strings"
)

// A merger carries a change over to a file. The model changes old to wanted and
// believes that the file has old; the file has something like it. Only what the
// model changes is changed in the file.
type merger struct {
	old, file, wanted []string // lines without ends
	// fileLine tells for each old line which line of the file it is; -1 for none.
	fileLine []int
	// unaligned marks old lines that stand for a different number of lines.
	unaligned []bool
}

// mergeLines returns the lines that the file should have. It refuses to change lines
// if it is not clear which lines of the file they are, and characters that the
// file does not have.
func mergeLines(old, file, wanted []string) ([]string, bool) {
	m := &merger{old: old, file: file, wanted: wanted, fileLine: make([]int, len(old)), unaligned: make([]bool, len(old))}
	m.align()
	var out []string
	done := 0 // lines of the file that are dealt with
	for _, r := range regions(old, wanted) {
		if !r.same {
			for i := r.a; i < r.aEnd; i++ {
				if m.unaligned[i] {
					return nil, false
				}
				done = max(done, m.fileLine[i]+1)
			}
			lines, ok := m.mergeRegion(r)
			if !ok {
				return nil, false
			}
			out = append(out, lines...)
			continue
		}
		// Lines that the model does not know of stay if it leaves a line next
		// to them as it is.
		end := done
		for i := r.a; i < r.aEnd; i++ {
			end = max(end, m.fileLine[i]+1)
		}
		for end < len(file) && (r.aEnd == len(old) || m.nextFileLine(r.aEnd) > end) {
			end++
		}
		out = append(out, file[done:end]...)
		done = end
	}
	return out, true
}

// newIndents collects the indentation of the lines that correspond.
func (m *merger) newIndents() indents {
	var in indents
	for i, line := range m.old {
		if m.fileLine[i] < 0 || strings.TrimSpace(line) == "" || strings.TrimSpace(m.file[m.fileLine[i]]) == "" {
			continue
		}
		in.pairs = append(in.pairs, indentPair{i, indentOf(line), indentOf(m.file[m.fileLine[i]])})
	}
	in.modelStep = in.inferStep(m)
	return in
}

// nextFileLine returns the line of the file that an old line is, or the next that
// is known.
func (m *merger) nextFileLine(i int) int {
	for ; i < len(m.old); i++ {
		if m.fileLine[i] >= 0 {
			return m.fileLine[i]
		}
	}
	return len(m.file)
}

// align finds out which lines correspond.
func (m *merger) align() {
	if len(m.old) == len(m.file) {
		for i := range m.fileLine {
			m.fileLine[i] = i
		}
		return
	}
	for _, r := range regions(lineKeys(m.old, foldedLine), lineKeys(m.file, foldedLine)) {
		for i := r.a; i < r.aEnd; i++ {
			m.fileLine[i] = -1
			m.unaligned[i] = r.aEnd-r.a != r.bEnd-r.b
			if !m.unaligned[i] {
				m.fileLine[i] = r.b + i - r.a
			}
		}
	}
}

// mergeRegion returns the new lines of a region that the model changes.
func (m *merger) mergeRegion(r region) ([]string, bool) {
	old, file := m.old[r.a:r.aEnd], make([]string, 0, r.aEnd-r.a)
	for i := r.a; i < r.aEnd; i++ {
		file = append(file, m.file[m.fileLine[i]])
	}
	lines, ok := mergeBodies(lineKeys(old, strings.TrimSpace), lineKeys(file, strings.TrimSpace), lineKeys(m.wanted[r.b:r.bEnd], strings.TrimSpace))
	if !ok {
		return nil, false
	}
	in := m.newIndents()
	for k, body := range lines {
		own := m.wanted[r.b+k]
		if body == "" {
			lines[k] = own
			continue
		}
		space, tail := indentOf(own), trailingSpace(own)
		if k < len(old) && trailingSpace(old[k]) == tail {
			tail = trailingSpace(file[k])
		}
		lines[k] = in.translate(space, min(r.a+k, max(r.aEnd-1, r.a))) + body + tail
	}
	return lines, true
}
