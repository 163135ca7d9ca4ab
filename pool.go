package pegboard

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/internal/rank"
)

// A Pool is the immutable list of tools that one agent may use in one turn.
// Its methods may be called concurrently.
type Pool struct {
	session  *Session
	tools    []offered // built-ins, then external tools, each part sorted by name
	builtins int
	index    map[string]int // by name and alias
	from     catalog        // what there was when the pool was assembled
	excluded []Exclusion    // sorted by name
	deferral Deferral
	waiting  []int         // the tools whose definitions wait for a search
	loaded   []int         // of these, in the order in which they were loaded
	library  *rank.Library // of the registry
	inside   *Pool         // what REPL hides and scripts in it may call; nil without Gates.REPL

	searching sync.Once // makes the fields below, when the pool is first searched
	words     *rank.Index
	places    [][]int // of what words finds, by source, in tools
}

// offered is a tool in a pool, with what its model is told.
type offered struct {
	*entry
	decl *Declaration // not to be written to: pools may share it
}

// An Exclusion is a registered tool that is not in the pool.
type Exclusion struct {
	Name   string // the exposed name
	Origin Origin
	Reason string // which rule, gate, restriction or tool keeps it out

	aliases []string
}

// A Partition is a part of a pool with a place of its own in the prompt cache.
type Partition int

// The partitions.
const (
	Builtin  Partition = iota // the stable prefix
	External                  // the suffix: sources come and go
)

// Session returns the session that the pool was assembled for.
func (p *Pool) Session() *Session { return p.session }

// Len returns the number of tools.
func (p *Pool) Len() int { return len(p.tools) }

// Lookup finds a tool by name or alias in constant time.
func (p *Pool) Lookup(name string) (Tool, bool) {
	if i, ok := p.index[name]; ok {
		return p.tools[i].tool, true
	}
	return nil, false
}

// lookup also says whether the tool's name is contested, which depends on the
// sources beside its own.
func (p *Pool) lookup(name string) (e *entry, ok bool) {
	i, ok := p.index[name]
	if !ok {
		return nil, false
	}
	e = p.tools[i].entry
	if p.from.contested(&e.info) {
		contested := *e
		contested.info.contested = true
		e = &contested
	}
	return e, true
}

// All yields the tools in prompt order: built-ins by name, then external tools
// by name.
func (p *Pool) All() iter.Seq[Tool] {
	return func(yield func(Tool) bool) {
		for _, t := range p.tools {
			if !yield(t.tool) {
				return
			}
		}
	}
}

// Declarations yields what the model is told of each tool of a partition, in
// prompt order.
func (p *Pool) Declarations(part Partition) iter.Seq[Declaration] {
	return func(yield func(Declaration) bool) {
		for _, t := range p.part(part) {
			if !yield(*t.decl) {
				return
			}
		}
	}
}

func (p *Pool) part(part Partition) []offered {
	if part == Builtin {
		return p.tools[:p.builtins]
	}
	return p.tools[p.builtins:]
}

// Unfiltered yields the built-ins of the pool followed by every external tool that
// is attached, neither denied nor sorted nor deduplicated. It is for counting
// what definitions weigh, not for calling.
func (p *Pool) Unfiltered() iter.Seq[Tool] {
	return func(yield func(Tool) bool) {
		for _, t := range p.tools[:p.builtins] {
			if !yield(t.tool) {
				return
			}
		}
		for _, e := range p.from.external {
			if !yield(e.tool) {
				return
			}
		}
	}
}

// Excluded returns the registered tools that are not in the pool, by name.
func (p *Pool) Excluded() []Exclusion { return slices.Clone(p.excluded) }

// Explain says why name is in the pool or not, in one sentence.
func (p *Pool) Explain(name string) string {
	text, _ := p.explain(name)
	return text
}

// explain also reports whether name is one that is registered.
func (p *Pool) explain(name string) (text string, known bool) {
	if e, ok := p.lookup(name); ok {
		from := "a built-in tool"
		if o := e.info.Origin; o.External() {
			from = fmt.Sprintf("the tool %q of %q", o.Tool, o.Source)
		}
		return fmt.Sprintf("%s is available: %s", e.info.Name, from), true
	}
	for _, known := range []func(Exclusion) bool{
		func(x Exclusion) bool { return x.Name == name || slices.Contains(x.aliases, name) },
		func(x Exclusion) bool { return x.Origin.External() && x.Origin.Tool == name },
	} {
		if i := slices.IndexFunc(p.excluded, known); i >= 0 {
			return fmt.Sprintf("%s is not available here: %s", p.excluded[i].Name, p.excluded[i].Reason), true
		}
	}
	if source, ok := p.from.gone[name]; ok {
		return fmt.Sprintf("%s is no longer there: %q has withdrawn it or is disconnected", name, source), true
	}
	return name + " is not a registered tool", false
}

// suggest returns up to three names in the pool that name may have meant.
func (p *Pool) suggest(name string) []string {
	names := make([]string, 0, len(p.tools))
	for _, t := range p.tools {
		names = append(names, t.info.Name)
	}
	return nearest.Names(name, names, 3)
}

// Fingerprint returns a hash of a partition's declarations: while it is the
// same, so are the bytes that a provider sees.
func (p *Pool) Fingerprint(part Partition) string {
	h := sha256.New()
	for d := range p.Declarations(part) {
		_, _ = fmt.Fprintf(h, "%q%q%q%q%t%t", d.Name, d.Description, d.InputSchema, d.Examples, d.Strict, d.Deferred)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// finish builds the index and orders the exclusions.
func (p *Pool) finish() {
	p.index = make(map[string]int, len(p.tools))
	for i, t := range p.tools {
		p.index[t.info.Name] = i
	}
	for i, t := range p.tools[:p.builtins] {
		for _, a := range t.info.Aliases {
			p.index[a] = i
		}
	}
	slices.SortStableFunc(p.excluded, func(a, b Exclusion) int { return strings.Compare(a.Name, b.Name) })
	p.deferTools()
}
