package pegboard

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
)

// A source holds the tools of one source. It is never written to after newSource.
type source struct {
	name, server string           // server is the prefix of its tools' names
	tools        []entry          // sorted by exposed name, which is unique
	quarantined  map[string]error // by raw name
	exclusions   []Exclusion      // the quarantined tools as a pool reports them, sorted by raw name
}

// newSource takes the tools of a source, and quarantines those that cannot be offered.
func newSource(name string, tools []Tool) *source {
	s := &source{name: name, server: toolname.Server(name), tools: make([]entry, 0, len(tools)), quarantined: map[string]error{}}
	for i, t := range tools {
		e, err := newExternalEntry(name, t)
		switch raw := e.info.Origin.Tool; {
		case err != nil && raw == "":
			s.quarantined[fmt.Sprintf("tool %d", i+1)] = err
		case err != nil:
			s.quarantined[raw] = err
		default:
			e.cacheDeclaration(t)
			s.tools = append(s.tools, e)
		}
	}
	s.makeNamesUnique()
	for _, raw := range slices.Sorted(maps.Keys(s.quarantined)) {
		s.exclusions = append(s.exclusions, Exclusion{
			Name:   toolname.Exposed(name, raw),
			Origin: Origin{Source: name, Tool: raw},
			Reason: "quarantined: " + s.quarantined[raw].Error(),
		})
	}
	return s
}

// offers returns the tools of s, or nil if s is nil.
func (s *source) offers() []entry {
	if s == nil {
		return nil
	}
	return s.tools
}

// makeNamesUnique keeps one tool for each exposed name: the exact one, or the one whose
// raw name sorts first. The order in which the source lists them does not matter.
func (s *source) makeNamesUnique() {
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

// A catalog is a snapshot of a registry, in the order of a pool. It is sorted when a
// source changes, so that it need not be sorted for every pool. It is immutable: a change
// makes a new catalog.
type catalog struct {
	builtins []*entry                  // sorted by name
	sources  []*source                 // sorted by name
	external []*entry                  // the tools of all sources, sorted by byNameAndSource
	clashes  map[string]toolname.Clash // of servers whose names could mean another one
	ages     map[string]int            // of sources, also of those that were detached: the smallest is the oldest
	removed  map[string]string         // exposed names that are no longer offered, with their source
	about    map[string]string         // descriptions of sources
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

// describe returns the description of the source whose tools have that prefix, or "".
func (c catalog) describe(server string) string {
	for _, s := range c.sources {
		if s.server == server && c.about[s.name] != "" {
			return c.about[s.name]
		}
	}
	return ""
}

// replace returns the catalog with next instead of the source called name, or without
// that source if next is nil.
func (c catalog) replace(name string, next *source) catalog {
	at, known := c.find(name)
	old, rest := c.source(name), c.sources[at:]
	if known {
		rest = rest[1:]
	}
	var added []*source
	if next != nil {
		added = []*source{next}
	}
	c.sources = slices.Concat(c.sources[:at], added, rest)
	c.external = splice(c.external, old.offers(), next.offers())
	c.removed = updateRemoved(c.removed, old, next)
	if known != (next != nil) {
		c.ages = c.withAge(name)
		c.clashes = toolname.Clashes(c.servers())
	}
	return c
}

// withAge returns the ages of the sources with that of name. A source that was there before
// has its old one, so that no other can take its place while it reconnects.
func (c catalog) withAge(name string) map[string]int {
	if _, ok := c.ages[name]; ok {
		return c.ages
	}
	ages := maps.Clone(c.ages)
	if ages == nil || len(ages) >= maxRemoved { // only those that are attached keep theirs
		ages = map[string]int{}
		for _, src := range c.byAge() {
			if src.name != name {
				ages[src.name] = len(ages)
			}
		}
	}
	ages[name] = len(ages)
	return ages
}

// byAge returns the sources, the oldest first.
func (c catalog) byAge() []*source {
	return slices.SortedFunc(slices.Values(c.sources), func(a, b *source) int { return cmp.Compare(c.ages[a.name], c.ages[b.name]) })
}

// servers returns the prefixes of all sources, the oldest first.
func (c catalog) servers() []string {
	var servers []string
	for _, src := range c.byAge() {
		servers = append(servers, src.server)
	}
	return servers
}

// knows reports whether name is that of an external tool or of a server.
func (c catalog) knows(name string) bool {
	if slices.ContainsFunc(c.sources, func(s *source) bool { return s.server == name }) {
		return true
	}
	_, ok := slices.BinarySearchFunc(c.external, name, func(e *entry, name string) int { return cmp.Compare(e.info.Name, name) })
	return ok
}

// splice returns list without old, which list contains, and with next. All three are
// sorted by byNameAndSource.
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

// maxRemoved limits how many names of removed tools are kept, so that a model that calls
// one is told why it is not there.
const maxRemoved = 1000

// updateRemoved returns removed with the names that old offers and next does not, and
// without those that next offers.
func updateRemoved(removed map[string]string, old, next *source) map[string]string {
	if len(removed) > maxRemoved {
		removed = nil
	}
	var lost, back []string
	for before, after := range pairs(old, next) {
		if after == nil {
			lost = append(lost, before.info.Name)
		} else if _, ok := removed[after.info.Name]; ok {
			back = append(back, after.info.Name)
		}
	}
	if len(lost)+len(back) == 0 {
		return removed
	}
	removed = maps.Clone(removed)
	if removed == nil {
		removed = map[string]string{}
	}
	for _, name := range lost {
		removed[name] = old.name
	}
	for _, name := range back {
		delete(removed, name)
	}
	return removed
}

// difference returns what changes when next replaces old.
func difference(old, next *source) AttachReport {
	report := AttachReport{Quarantined: maps.Clone(next.quarantined)}
	for before, after := range pairs(old, next) {
		switch {
		case before == nil:
			report.Added = append(report.Added, after.info.Name)
		case after == nil:
			report.Removed = append(report.Removed, before.info.Name)
		case before.info.annotations != after.info.annotations, before.info.RequiresUser != after.info.RequiresUser, !sameDeclaration(before.tool, after.tool):
			report.Changed = append(report.Changed, after.info.Name)
		}
	}
	return report
}

// pairs yields the tools of two sources by exposed name: the tool before and the tool
// after, one of which may be nil. Either source may be nil.
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

// sameDeclaration reports whether a model would see no difference. A tool that cannot
// declare itself without a session counts as changed.
func sameDeclaration(a, b Tool) bool {
	var x, y Declaration
	err := goroutine.Try(func() error {
		x, _ = a.Declare(Scope{})
		y, _ = b.Declare(Scope{})
		return nil
	})
	return err == nil && x.Description == y.Description && string(x.InputSchema) == string(y.InputSchema) && string(x.OutputSchema) == string(y.OutputSchema)
}

// contest returns which allow rules for a tool could be meant for another source. If several
// names become one exposed name, a rule is meant for the exact one. If one server's name
// continues another's, it is meant for the older one, unless both have a tool of that name.
func (c catalog) contest(i *Info) contest {
	clash, ok := c.clashes[i.server]
	switch {
	case !ok:
		return uncontested
	case clash.Nested:
		return contestedServer
	case clash.Folded && i.server != toolname.Prefix+i.Origin.Source:
		return contestedFolded
	}
	below := func(server string) bool { return i.Name == server || strings.HasPrefix(i.Name, server+"__") }
	if slices.ContainsFunc(clash.Older, below) || c.offersElsewhere(i) {
		return contestedName
	}
	return uncontested
}

// offersElsewhere reports whether another server has a tool of the same exposed name.
func (c catalog) offersElsewhere(i *Info) bool {
	at, _ := slices.BinarySearchFunc(c.external, i.Name, func(e *entry, name string) int { return cmp.Compare(e.info.Name, name) })
	for ; at < len(c.external) && c.external[at].info.Name == i.Name; at++ {
		if c.external[at].info.server != i.server {
			return true
		}
	}
	return false
}

// conflicts returns the names of the sources that a rule for the source called name could
// mean as well, sorted.
func (c catalog) conflicts(name string) (others []string) {
	server := toolname.Server(name)
	for _, s := range c.sources {
		if s.name != name && (s.server == server || strings.HasPrefix(s.server, server+"__") || strings.HasPrefix(server, s.server+"__")) {
			others = append(others, s.name)
		}
	}
	return others
}
