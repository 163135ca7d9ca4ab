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
	noteKey  string // the key of the note
	total    int    // number of its items
	items    []item // the first items, at most as many as there may be room for
}

// An item is an element of an array or a member of an object.
type item struct {
	key    []byte // with its quotes and the colon; nil in an array
	value  jsonedit.Span
	length int // of the value in characters; if it does not fit, a number above the room
	share  int // characters that the value may have
}

// containerAt returns the array or object at v with the items that may fit room.
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

// noteKey returns a key for the note that the object does not have yet: a document that
// was cut before has a note, and some readers refuse repeated keys. It tries three keys,
// since the note must stay short.
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

// note returns the note that counts the omitted items.
func (o container) note(left int) string {
	if o.brackets == "[]" {
		return fmt.Sprintf(`{"%s":"%s"}`, o.noteKey, counted(left, "more item"))
	}
	return fmt.Sprintf(`"%s":"%s"`, o.noteKey, counted(left, "more member"))
}

// share returns the number of items to show in room, and sets their shares. An object
// shows as many members as possible, cut if necessary. The elements of an array are mostly
// alike, so an array shows fewer of them with longer shares.
func (c *cutter) share(o container, room int) (shown int) {
	minShare := minValue
	if o.brackets == "[]" {
		minShare = max(minShare, room/8)
	}
	note := utf8.RuneCountInString(o.note(max(o.total, 2))) + len(",")
	used, spare := 0, 0
	for i := range o.items {
		it := &o.items[i]
		it.length = c.length(it.value, room)
		it.share = min(it.length, minShare)
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

// distribute adds spare characters to the shares, in equal parts to the items that can
// use them.
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
