package notebook

import (
	"crypto/sha256"
	"slices"
	"strings"
)

// Names are the ids by which a reader knows the cells of a notebook: their own ids, and
// for cells without one names such as cell-3. A name stays with its cell whatever happens
// to the others, and is never given to another cell. Names are immutable.
type Names struct {
	cells []namedCell
	next  int      // number of the next name that is made up
	gone  []string // names of cells that are not there any more, the newest last
}

// maxGone is the maximum number of names in Names.gone.
const maxGone = 1000

// A namedCell is what Names know of one cell.
type namedCell struct {
	name string
	mark mark
}

// A mark is a hash of the content of a cell. It identifies the cell after other programs changed
// the notebook.
type mark [sha256.Size]byte

// fill names the cells that have no name yet. Cells that before knows keep their names.
// Any other cell gets the number of its place if before is nil, and a new number
// otherwise.
func (all *Names) fill(before *Names) {
	taken := map[string]bool{"": true}
	for _, c := range all.cells {
		taken[c.name] = true
	}
	give := func(place int, name string) {
		if c := &all.cells[place]; c.name == "" && !taken[name] {
			c.name, taken[name] = name, true
		}
	}
	all.next = len(all.cells)
	if before == nil {
		for i := range all.cells {
			give(i, numberedName(i))
		}
	} else {
		all.next = before.next
		for now, old := range sameCells(before.cells, all.cells) {
			if name := before.cells[old].name; strings.HasPrefix(name, numberPrefix) {
				give(now, name)
			}
		}
		all.gone = before.goneWithout(taken)
	}
	for _, name := range all.gone {
		taken[name] = true
	}
	for i := range all.cells {
		for ; all.cells[i].name == ""; all.next++ {
			give(i, numberedName(all.next))
		}
	}
}

// goneWithout returns the names that are gone when only the names in left are there.
func (all *Names) goneWithout(left map[string]bool) []string {
	gone := slices.Clone(all.gone)
	for _, c := range all.cells {
		if !left[c.name] {
			gone = append(gone, c.name)
		}
	}
	return gone[max(0, len(gone)-maxGone):]
}

// sameCells returns, for cells of the second list, the place of the same cell in the
// first: those at both ends that say the same; between them those that say what no other
// cell does, or the only one that changed.
func sameCells(before, now []namedCell) map[int]int {
	same := map[int]int{}
	head, shorter := 0, min(len(before), len(now))
	for ; head < shorter && before[head].mark == now[head].mark; head++ {
		same[head] = head
	}
	tail := 0
	for ; tail < shorter-head && before[len(before)-1-tail].mark == now[len(now)-1-tail].mark; tail++ {
		same[len(now)-1-tail] = len(before) - 1 - tail
	}
	old, changed := before[head:len(before)-tail], now[head:len(now)-tail]
	if len(old) == 1 && len(changed) == 1 {
		same[head] = head
		return same
	}
	places := uniqueMarks(old)
	for m, i := range uniqueMarks(changed) {
		if at, ok := places[m]; ok {
			same[head+i] = head + at
		}
	}
	return same
}

// uniqueMarks returns the places of the marks that only one of the cells has.
func uniqueMarks(cells []namedCell) map[mark]int {
	places, count := map[mark]int{}, map[mark]int{}
	for i, c := range cells {
		places[c.mark] = i
		count[c.mark]++
	}
	for m, n := range count {
		if n > 1 {
			delete(places, m)
		}
	}
	return places
}

// splice returns the names with cells without a name in place of those from start to end.
// The marks are to be set by the caller.
func (all *Names) splice(start, end, added int) *Names {
	now := &Names{cells: slices.Replace(slices.Clone(all.cells), start, end, make([]namedCell, added)...), next: all.next, gone: slices.Clone(all.gone)}
	for _, c := range all.cells[start:end] {
		now.gone = append(now.gone, c.name)
	}
	return now
}
