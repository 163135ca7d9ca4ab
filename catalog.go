package pegboard

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
)

// source is all that one source offers. It is never written to once it is
// settled.
type source struct {
	name, server string           // server is the prefix of its tools' names
	tools        []entry          // sorted by exposed name, which no two share
	quarantined  map[string]error // by raw name
	exclusions   []Exclusion      // the quarantined tools as a pool reports them, by raw name
}

// newSource takes what a source lists, and quarantines what cannot be offered.
func newSource(name string, tools []Tool) *source {
	s := &source{name: name, server: toolname.Server(name), tools: make([]entry, 0, len(tools)), quarantined: map[string]error{}}
	for i, t := range tools {
		e, err := attach(name, t)
		switch raw := e.info.Origin.Tool; {
		case err != nil && raw == "":
			s.quarantined[fmt.Sprintf("tool %d", i+1)] = err
		case err != nil:
			s.quarantined[raw] = err
		default:
			e.fix(t)
			s.tools = append(s.tools, e)
		}
	}
	s.settleNames()
	for _, raw := range slices.Sorted(maps.Keys(s.quarantined)) {
		s.exclusions = append(s.exclusions, Exclusion{
			Name:   toolname.Exposed(name, raw),
			Origin: Origin{Source: name, Tool: raw},
			Reason: "quarantined: " + s.quarantined[raw].Error(),
		})
	}
	return s
}

// offers returns what s offers: nothing if s is nil.
func (s *source) offers() []entry {
	if s == nil {
		return nil
	}
	return s.tools
}

// settleNames keeps one tool for each exposed name: the one that is called just
// so, or whose raw name sorts first, so that the order in which a source lists them does not matter.
func (s *source) settleNames() {
	slices.SortStableFunc(s.tools, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.info.Name, b.info.Name), exactFirst(&a, &b), cmp.Compare(a.info.Origin.Tool, b.info.Origin.Tool))
	})
	kept := s.tools[:0]
	for _, e := range s.tools {
		if n := len(kept); n > 0 && kept[n-1].info.Name == e.info.Name {
			s.quarantined[e.info.Origin.Tool] = fmt.Errorf("%w: the source offers %s already", ErrDuplicate, e.info.Name)
			continue
		}
		kept = append(kept, e)
	}
	clear(s.tools[len(kept):])
	s.tools = kept
}

// catalog is what a registry holds at one moment, in the order in which a pool
// takes it. It is put in that order when a source changes, and only there, not
// for every pool. Nothing that it holds is ever written to: a change makes a new
// catalog.
type catalog struct {
	builtins []*entry                  // sorted by name
	sources  []*source                 // sorted by name
	external []*entry                  // the tools of all sources, as byNameAndSource sorts them
	shared   map[string]toolname.Clash // by server
	gone     map[string]string         // exposed names that were offered once, with their source
	about    map[string]string         // what sources are for
}

// source returns the source called name, or nil.
func (c catalog) source(name string) *source {
	if at, ok := c.find(name); ok {
		return c.sources[at]
	}
	return nil
}

func (c catalog) find(name string) (at int, ok bool) {
	return slices.BinarySearchFunc(c.sources, name, func(s *source, name string) int { return cmp.Compare(s.name, name) })
}

// describe returns what the source is for whose tools have that prefix, or "".
func (c catalog) describe(server string) string {
	for _, s := range c.sources {
		if s.server == server && c.about[s.name] != "" {
			return c.about[s.name]
		}
	}
	return ""
}

// replace returns the catalog with next in the place of the source called name,
// or without that source if next is nil.
func (c catalog) replace(name string, next *source) catalog {
	at, known := c.find(name)
	old, rest := c.source(name), c.sources[at:]
	if known {
		rest = rest[1:]
	}
	var put []*source
	if next != nil {
		put = []*source{next}
	}
	c.sources = slices.Concat(c.sources[:at], put, rest)
	c.external = splice(c.external, old.offers(), next.offers())
	c.gone = remember(c.gone, old, next)
	if known != (next != nil) {
		servers := make([]string, len(c.sources))
		for i, src := range c.sources {
			servers[i] = src.server
		}
		c.shared = toolname.Clashes(servers)
	}
	return c
}

// knows reports whether name is that of an external tool or of a server.
func (c catalog) knows(name string) bool {
	if _, ok := c.shared[name]; ok {
		return true
	}
	_, ok := slices.BinarySearchFunc(c.external, name, func(e *entry, name string) int { return cmp.Compare(e.info.Name, name) })
	return ok
}

// splice returns list without old, which it holds, and with next. All are sorted
// by name, then as exactFirst says, then by source.
func splice(list []*entry, old, next []entry) []*entry {
	out := make([]*entry, 0, len(list)-len(old)+len(next))
	for _, e := range list {
		if len(old) > 0 && e == &old[0] {
			old = old[1:]
			continue
		}
		for len(next) > 0 && byNameAndSource(&next[0], e) < 0 {
			out, next = append(out, &next[0]), next[1:]
		}
		out = append(out, e)
	}
	for i := range next {
		out = append(out, &next[i])
	}
	return out
}

func byName(a, b *entry) int { return cmp.Compare(a.info.Name, b.info.Name) }

func byNameAndSource(a, b *entry) int {
	return cmp.Or(byName(a, b), exactFirst(a, b), cmp.Compare(a.info.Origin.Source, b.info.Origin.Source))
}

func exactFirst(a, b *entry) int {
	switch x, y := a.info.exact(), b.info.exact(); {
	case x && !y:
		return -1
	case y && !x:
		return 1
	}
	return 0
}

// maxGone is how many names of tools that are gone are remembered, so that a
// model which calls one is told what became of it.
const maxGone = 1000

// remember returns gone with what a source offered before and does not offer now.
func remember(gone map[string]string, old, next *source) map[string]string {
	if len(gone) > maxGone {
		gone = nil
	}
	var lost, back []string
	for before, after := range pairs(old, next) {
		if after == nil {
			lost = append(lost, before.info.Name)
		} else if _, ok := gone[after.info.Name]; ok {
			back = append(back, after.info.Name)
		}
	}
	if len(lost)+len(back) == 0 {
		return gone
	}
	gone = maps.Clone(gone)
	if gone == nil {
		gone = map[string]string{}
	}
	for _, name := range lost {
		gone[name] = old.name
	}
	for _, name := range back {
		delete(gone, name)
	}
	return gone
}

// difference says what changes when next takes the place of old.
func difference(old, next *source) AttachReport {
	report := AttachReport{Quarantined: maps.Clone(next.quarantined)}
	for before, after := range pairs(old, next) {
		switch {
		case before == nil:
			report.Added = append(report.Added, after.info.Name)
		case after == nil:
			report.Removed = append(report.Removed, before.info.Name)
		case !alike(before.tool, after.tool):
			report.Changed = append(report.Changed, after.info.Name)
		}
	}
	return report
}

// pairs yields the tools of two sources, either of which may be nil, by exposed
// name: what was offered under a name before and what is now. One of them is nil
// if there is none.
func pairs(old, next *source) iter.Seq2[*entry, *entry] {
	return func(yield func(before, after *entry) bool) {
		a, b := old.offers(), next.offers()
		for len(a) > 0 || len(b) > 0 {
			var before, after *entry
			switch {
			case len(b) == 0 || (len(a) > 0 && byName(&a[0], &b[0]) < 0):
				before, a = &a[0], a[1:]
			case len(a) == 0 || byName(&a[0], &b[0]) > 0:
				after, b = &b[0], b[1:]
			default:
				before, after, a, b = &a[0], &b[0], a[1:], b[1:]
			}
			if !yield(before, after) {
				return
			}
		}
	}
}

// alike reports whether a model would see no difference. A tool that cannot
// declare itself outside a session counts as changed.
func alike(a, b Tool) bool {
	var x, y Declaration
	err := goroutine.Try(func() error {
		x, _ = a.Declare(nil)
		y, _ = b.Declare(nil)
		return nil
	})
	return err == nil && x.Description == y.Description && string(x.InputSchema) == string(y.InputSchema)
}

// contested reports whether an allow rule on the tool's name or server could be
// meant for another source. Of those that fold to one name, it is meant for the
// one that is called just so.
func (c catalog) contested(i *Info) bool {
	switch c.shared[i.server] {
	case toolname.NestedClash:
		return true
	case toolname.FoldedClash:
		return i.server != toolname.Prefix+i.Origin.Source
	}
	return false
}
