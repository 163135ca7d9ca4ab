package jsonedit

// A Change replaces a range of the document with a text.
type Change struct {
	At   Span
	Text string
}

// DropMembers returns the changes that remove members of an object, each with the comma and
// space that separate it from its neighbours. At least one member must stay.
func DropMembers(all []Member, drop func(key string) bool) []Change {
	changes, _ := dropParts(memberSpans(all), func(i int) bool { return drop(all[i].Key) })
	return changes
}

// dropParts returns the changes that remove parts of an object or list, and the index of
// the last part that stays. If none would stay, it returns no changes and -1.
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
