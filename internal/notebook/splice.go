package notebook

import (
	"cmp"
	"slices"
)

// A change puts a text in place of a stretch of the file.
type change struct {
	at   span
	text string
}

// splice makes changes that do not overlap. Of two at one place the one that
// only inserts comes first.
func splice(data []byte, changes []change) []byte {
	slices.SortStableFunc(changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.at.start, b.at.start), cmp.Compare(a.at.end, b.at.end))
	})
	size := len(data)
	for _, c := range changes {
		size += len(c.text) - (c.at.end - c.at.start)
	}
	out := make([]byte, 0, size)
	done := 0
	for _, c := range changes {
		out = append(out, data[done:c.at.start]...)
		out = append(out, c.text...)
		done = c.at.end
	}
	return append(out, data[done:]...)
}

// dropMembers removes keys from an object, each with the comma and space that
// parts it from its neighbours. One member at least must stay.
func dropMembers(all []member, drop func(key string) bool) []change {
	var changes []change
	kept := -1 // the last member that stays
	for i, m := range all {
		if drop(m.key) {
			continue
		}
		switch {
		case kept < 0 && i > 0:
			changes = append(changes, change{at: span{all[0].start, m.start}})
		case kept >= 0 && i > kept+1:
			changes = append(changes, change{at: span{all[kept].value.end, all[i-1].value.end}})
		}
		kept = i
	}
	if last := len(all) - 1; kept < last {
		changes = append(changes, change{at: span{all[kept].value.end, all[last].value.end}})
	}
	return changes
}
