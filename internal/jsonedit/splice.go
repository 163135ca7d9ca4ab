package jsonedit

import (
	"cmp"
	"slices"
)

// A Change puts a text in place of a stretch of the document.
type Change struct {
	At   Span
	Text string
}

// Splice returns the document's bytes with changes that do not overlap. Of two at
// one place the one that only inserts comes first. Space and a byte order mark
// around the value stay as well.
func (d *Document) Splice(changes []Change) []byte {
	slices.SortStableFunc(changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.At.Start, b.At.Start), cmp.Compare(a.At.End, b.At.End))
	})
	size := len(d.data)
	for _, c := range changes {
		size += len(c.Text) - (c.At.End - c.At.Start)
	}
	out := make([]byte, 0, size)
	done := 0
	for _, c := range changes {
		out = append(out, d.data[done:c.At.Start]...)
		out = append(out, c.Text...)
		done = c.At.End
	}
	return append(out, d.data[done:]...)
}

// DropMembers removes keys from an object, each with the comma and space that
// parts it from its neighbours. One member at least must stay.
func DropMembers(all []Member, drop func(key string) bool) []Change {
	changes, _ := dropParts(memberSpans(all), func(i int) bool { return drop(all[i].Key) })
	return changes
}

// dropParts removes parts of an object or list. kept is the last that stays, and
// -1 if none would: then nothing is removed.
func dropParts(parts []Span, drop func(i int) bool) (changes []Change, kept int) {
	kept = -1
	for i, p := range parts {
		if drop(i) {
			continue
		}
		switch {
		case kept < 0 && i > 0:
			changes = append(changes, Change{At: Span{parts[0].Start, p.Start}})
		case kept >= 0 && i > kept+1:
			changes = append(changes, Change{At: Span{parts[kept].End, parts[i-1].End}})
		}
		kept = i
	}
	if last := len(parts) - 1; kept >= 0 && kept < last {
		changes = append(changes, Change{At: Span{parts[kept].End, parts[last].End}})
	}
	return changes, kept
}

// memberSpans returns where members lie, keys included.
func memberSpans(all []Member) []Span {
	parts := make([]Span, len(all))
	for i, m := range all {
		parts[i] = m.span()
	}
	return parts
}
