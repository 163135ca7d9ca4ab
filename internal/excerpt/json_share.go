package excerpt

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
)

// A container is an array or object that has to be cut.
type container struct {
	brackets string
	noteKey  string // of the note; of an object, one that it does not have
	total    int    // items that it has
	items    []item // the first of them, as many as there may be room for
}

// An item is an element of an array or a member of an object.
type item struct {
	key    []byte // with its quotes and the colon; nil in an array
	value  jsonedit.Span
	length int // characters of the value, or more than there is room for
	share  int // characters it may be cut to
}

// containerAt returns the array or object at v, of which no more than room is shown.
func (c *cutter) containerAt(v jsonedit.Span, room int) container {
	if c.document.Opens(v, '[') {
		elements := c.document.Elements(v)
		o := container{brackets: "[]", noteKey: "…", total: len(elements)}
		o.items = make([]item, min(o.total, room))
		for i, e := range elements[:len(o.items)] {
			o.items[i].value = e
		}
		return o
	}
	members := c.document.Top()
	if v != c.document.Root() {
		members = c.document.Members(v)
	}
	o := container{brackets: "{}", noteKey: noteKey(members), total: len(members)}
	o.items = make([]item, min(o.total, room))
	for i, m := range members[:len(o.items)] {
		o.items[i].key = c.document.Bytes(jsonedit.Span{Start: m.Start, End: m.Value.Start})
		o.items[i].value = m.Value
	}
	return o
}

// noteKey returns a key for the note. A document that was cut before has one in use,
// and a key twice is an error to some who read it. Three are enough to look at: the
// note has to stay short.
func noteKey(members []jsonedit.Member) string {
	key := "…"
	for range 2 {
		if jsonedit.IndexOf(members, key) < 0 {
			break
		}
		key += "…"
	}
	return key
}

// note says that items were left out at the end.
func (o container) note(left int) string {
	if o.brackets == "[]" {
		return fmt.Sprintf(`{"%s":"%s"}`, o.noteKey, counted(left, "more item"))
	}
	return fmt.Sprintf(`"%s":"%s"`, o.noteKey, counted(left, "more member"))
}

// share decides how many of the items are shown in room, and gives each of them its
// share. An object shows as many members as it can, each cut down if need be. The
// elements of an array are mostly of one kind, so that some of them tell more when
// they are whole.
func (c *cutter) share(o container, room int) (shown int) {
	least := minValue
	if o.brackets == "[]" {
		least = max(least, room/8)
	}
	note := utf8.RuneCountInString(o.note(max(o.total, 2))) + len(",")
	used, spare := 0, 0
	for i := range o.items {
		it := &o.items[i]
		it.length = c.length(it.value, room)
		it.share = min(it.length, least)
		used += utf8.RuneCount(it.key) + it.share
		if i > 0 {
			used += len(",")
		}
		if used > room {
			break
		}
		switch {
		case i == o.total-1:
			shown, spare = i+1, room-used
		case used+note <= room:
			shown, spare = i+1, room-used-note
		}
	}
	distribute(o.items[:shown], spare)
	return shown
}

// distribute adds spare to the shares, the same to each that can use it.
func distribute(items []item, spare int) {
	order := make([]*item, len(items))
	for i := range items {
		order[i] = &items[i]
	}
	slices.SortStableFunc(order, func(a, b *item) int { return cmp.Compare(a.length-a.share, b.length-b.share) })
	for i, it := range order {
		more := min(it.length-it.share, spare/(len(order)-i))
		it.share += more
		spare -= more
	}
}
