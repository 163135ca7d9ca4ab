package pegboard

import (
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// discovery records which tools a conversation has mentioned, and of which of them the
// model has seen the definition. The zero value is empty.
type discovery struct {
	mu        lock.Mutex
	mentioned []string // each once, in the order of first mention
	seen      []string // tools whose definition the model has seen
}

// tools returns the mentioned tools.
func (d *discovery) tools() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.mentioned)
}

// reset replaces everything recorded by tools, whose definitions the model has seen.
func (d *discovery) reset(tools []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mentioned, d.seen = nil, slices.Clone(tools)
	for _, name := range tools {
		d.mentioned = appendOnce(d.mentioned, name)
	}
}

// record records that a tool was mentioned, and whether the model has seen its
// definition by now.
func (d *discovery) record(name string, seen bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.mentioned = appendOnce(d.mentioned, name); seen {
		d.seen = appendOnce(d.seen, name)
	}
}

// hasSeen reports whether the model has seen the definition of a tool, under its name
// or an alias.
func (d *discovery) hasSeen(i *Info) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.seen, i.answersTo)
}

func appendOnce(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}
