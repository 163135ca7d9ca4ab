package edit

import "strings"

// A merger applies the change from old to wanted, which the model gave, to the lines of
// the file, which resemble old. Lines and characters that the model did not change stay
// as they are in the file.
type merger struct {
	old, file, wanted []string // lines without line ends
	// fileLine has the index in file of each line of old, or -1.
	fileLine []int
	// unaligned marks lines of old that correspond to a different number of lines in
	// file.
	unaligned []bool
}

// mergeLines returns the new lines of the file. It reports false if the model changes a
// line without a clear counterpart in the file, or characters that the file does not
// have.
func mergeLines(old, file, wanted []string) ([]string, bool) {
	m := &merger{old: old, file: file, wanted: wanted, fileLine: make([]int, len(old)), unaligned: make([]bool, len(old))}
	m.align()
	var out []string
	done := 0 // number of lines of the file that were merged
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
		// Extra lines of the file, which are not in old, stay if they are next to an
		// unchanged line.
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

// newIndents collects the indentation of corresponding lines.
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

// nextFileLine returns the index in file of the first line of old, from i on, that has
// a counterpart.
func (m *merger) nextFileLine(i int) int {
	for ; i < len(m.old); i++ {
		if m.fileLine[i] >= 0 {
			return m.fileLine[i]
		}
	}
	return len(m.file)
}

// align finds the corresponding lines of old and file.
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

// mergeRegion returns the new lines for a region that the model changes.
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

// A region is an interval of a and the interval of b that replaced it.
type region struct {
	a, aEnd, b, bEnd int
	same             bool // the two intervals are equal
}

// regions divides a and b into regions that are equal and regions that differ.
func regions[T comparable](a, b []T) []region {
	var all []region
	x, y := 0, 0
	for _, r := range append(commonRuns(a, b), commonRun{a: len(a), b: len(b)}) {
		if x < r.a || y < r.b {
			all = append(all, region{a: x, aEnd: r.a, b: y, bEnd: r.b})
		}
		x, y = r.a+r.n, r.b+r.n
		if r.n > 0 {
			all = append(all, region{a: r.a, aEnd: x, b: r.b, bEnd: y, same: true})
		}
	}
	return all
}
