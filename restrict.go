package pegboard

import (
	"cmp"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// A Restriction narrows a pool by name. In its lists a star stands for any run
// of characters. The zero Restriction removes nothing.
type Restriction struct {
	Reason       string   // for [Pool.Explain] of a removed tool
	Only         []string // if not nil, all other tools are removed
	Without      []string // removed, even if in Only
	Always       []string // kept, even if Only or Without would remove them
	SkipExternal bool     // keep all attached tools
}

// removes reports whether r removes a tool.
func (r Restriction) removes(i *Info) bool {
	if r.SkipExternal && i.Origin.External() {
		return false
	}
	if listed(r.Always, i) {
		return false
	}
	return listed(r.Without, i) || (r.Only != nil && !listed(r.Only, i))
}

// keeps reports whether r leaves a tool in the pool, and why it removes the others.
func (r Restriction) keeps(i *Info) (ok bool, reason string) {
	return !r.removes(i), cmp.Or(r.Reason, "a restriction of the host")
}

// listed reports whether a list of names, which may hold stars, names a tool.
func listed(names []string, i *Info) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		return i.answersTo(n) || pattern.Name(n, i.Name)
	})
}
