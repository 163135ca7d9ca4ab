package strictjson

// A Trail is a path from the root of a value to a part of it. The nil Trail is the root. It
// becomes a text only when Path is called.
type Trail struct {
	parent *Trail
	key    string
	index  int // -1 for a key
}

// Key returns the trail to a member of the object at t.
func (t *Trail) Key(key string) *Trail { return &Trail{parent: t, key: key, index: -1} }

// Index returns the trail to an element of the list at t.
func (t *Trail) Index(i int) *Trail { return &Trail{parent: t, index: i} }

// Path returns the path for a message, such as items[2].name.
func (t *Trail) Path() string {
	switch {
	case t == nil:
		return ""
	case t.index < 0:
		return AppendKey(t.parent.Path(), t.key)
	default:
		return AppendIndex(t.parent.Path(), t.index)
	}
}
