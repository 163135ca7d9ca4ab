package pegboard

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/seed49eaa51d/pegboard/internal/rank"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
)

// A Registry is the set of tools a host has. Which of them an agent may use is
// settled by [Registry.AssemblePool]. The zero value is empty and ready.
//
// # Concurrency
//
// All methods may be called concurrently. A pool is a snapshot: it does not see
// what is added, attached or detached after it was assembled.
type Registry struct {
	mu      sync.RWMutex
	byName  map[string]string // of the built-in tools, by name and alias
	now     catalog
	library rank.Library // of the pools that were searched
}

// Add adds built-in tools: all of them, or none and an error. A name or alias
// that is taken already gives an error wrapping [ErrDuplicate].
func (r *Registry) Add(tools ...Tool) error {
	entries := make([]*entry, 0, len(tools))
	for _, t := range tools {
		e, err := probe(t)
		if err != nil {
			return err
		}
		e.fix(t)
		entries = append(entries, &e)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := maps.Clone(r.byName)
	if taken == nil {
		taken = map[string]string{}
	}
	for _, e := range entries {
		for _, name := range append([]string{e.info.Name}, e.info.Aliases...) {
			if owner, ok := taken[name]; ok {
				return &BuildError{Tool: e.info.Name, Field: "Info.Name", Err: fmt.Errorf("%w: %q is taken by %s", ErrDuplicate, name, owner)}
			}
			taken[name] = e.info.Name
		}
	}
	r.byName = taken
	r.now.builtins = slices.SortedFunc(slices.Values(slices.Concat(r.now.builtins, entries)), byName)
	return nil
}

// AttachReport says what an Attach changed, by exposed name.
type AttachReport struct {
	Added, Removed, Changed []string
	// Quarantined holds the tools that cannot be offered, by the name their
	// source knows them by, each with the reason.
	Quarantined map[string]error
	// NameConflicts holds the tools that are offered though their names could be taken
	// for another's of the same source, by the name their source knows them by,
	// with that other name. A rule on either speaks of it alone.
	NameConflicts map[string]string
}

// Attach replaces all that source offered before by tools, as when an MCP
// server's list changes. Info.Name is the name that the source knows a tool by;
// the model sees mcp__source__name. A tool that cannot be offered is left out
// and named in the report, the others are offered all the same.
//
// It is an error if source holds no letter and no digit, or a control character;
// then nothing changes.
func (r *Registry) Attach(name string, tools ...Tool) (AttachReport, error) {
	if err := checkName(name); err != nil {
		return AttachReport{}, fmt.Errorf("source: %w", err)
	}
	if !strings.ContainsFunc(name, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return AttachReport{}, fmt.Errorf("source: the name %q holds no letter and no digit", name)
	}
	next := newSource(name, tools)
	var names []string
	report := difference(r.snapshot().source(name), next) // without the lock: it calls the tools
	for _, e := range next.tools {
		names = append(names, e.info.Origin.Tool)
	}
	report.NameConflicts = toolname.Lookalikes(names)

	if len(report.Added)+len(report.Removed)+len(report.Changed) > 0 {
		defer r.library.Forget(name) // without the lock: somebody may be making an index
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.replace(name, next)
	return report, nil
}

// Detach removes all that source offered.
func (r *Registry) Detach(source string) {
	defer r.library.Forget(source) // without the lock: somebody may be making an index
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.replace(source, nil)
}

// SetDescription says what a source is for, whether or not it is attached: a search for
// tools reads it, and the model does when there are too many tools to name, see
// [Pool.Announce]. An MCP server's instructions are such a text.
func (r *Registry) SetDescription(source, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	about := maps.Clone(r.now.about)
	if about == nil {
		about = map[string]string{}
	}
	if about[source] = text; text == "" {
		delete(about, source)
	}
	r.now.about = about
}

// snapshot returns what is registered now.
func (r *Registry) snapshot() catalog {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.now
}
