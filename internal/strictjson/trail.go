package strictjson

// A Trail is the way from the root of a value to a part of it. The nil Trail is
// the root. It costs nothing until somebody asks for its Path.
type Trail struct {
	parent *Trail
	key    string
	index  int // -1 for a key
}

// Key returns the way to the value under a key of what t leads to.
func (t *Trail) Key(key string) *Trail { return &Trail{parent: t, key: key, index: -1} }

// Index returns the way to an item of the list that t leads to.
func (t *Trail) Index(i int) *Trail { return &Trail{parent: t, index: i} }

// Path returns the way as it stands in messages, such as items[2].name.
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
