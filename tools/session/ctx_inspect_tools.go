package session

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/seed49eaa51d/pegboard"
)

// A ToolWeight says how much of the context the definition of a tool takes.
type ToolWeight struct {
	Name     string `json:"name"`
	Tokens   int    `json:"tokens"` // an estimate
	External bool   `json:"external,omitempty"`
	// Deferred says that only the name was sent at first; Loaded, that the definition was sent
	// since.
	Deferred bool `json:"deferred,omitempty"`
	Loaded   bool `json:"loaded,omitempty"`
}

// waits reports whether the definition is not in the context.
func (w ToolWeight) waits() bool { return w.Deferred && !w.Loaded }

// state returns how the definition stands, for the model.
func (w ToolWeight) state() string {
	switch {
	case w.waits():
		return "waits"
	case w.Loaded:
		return "loaded"
	}
	return "always sent"
}

// weigh returns the definitions of a pool, the heaviest first.
func weigh(s *pegboard.Session, p *pegboard.Pool) (all []ToolWeight) {
	loaded := map[string]bool{}
	for decl := range p.Loaded() {
		loaded[decl.Name] = true
	}
	for _, name := range s.Loaded() { // since the pool was made, too
		loaded[name] = true
	}
	for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
		for decl := range p.Declarations(part) {
			w := ToolWeight{Name: decl.Name, Tokens: tokensOf(decl), External: part == pegboard.External, Deferred: decl.Deferred}
			w.Loaded = w.Deferred && loaded[decl.Name]
			all = append(all, w)
		}
	}
	slices.SortStableFunc(all, func(a, b ToolWeight) int {
		return cmp.Or(cmp.Compare(b.Tokens, a.Tokens), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// tokensOf estimates the size of a definition in tokens.
func tokensOf(d pegboard.Declaration) int {
	return (len(d.Name) + len(d.Description) + len(d.InputSchema) + 3) / 4
}

// toolTable words the definitions: a sum for each state, and the heaviest.
func toolTable(all []ToolWeight) string {
	sums := newTable("definitions", "tools", "tokens (about)")
	for _, part := range []struct {
		name string
		of   func(ToolWeight) bool
	}{
		{"always sent", func(w ToolWeight) bool { return !w.Deferred }},
		{"loaded since", func(w ToolWeight) bool { return w.Loaded }},
		{"wait, only named", ToolWeight.waits},
		{"of these all, of servers", func(w ToolWeight) bool { return w.External }},
	} {
		count, tokens := 0, 0
		for _, w := range all {
			if part.of(w) {
				count, tokens = count+1, tokens+w.Tokens
			}
		}
		sums.row(part.name, strconv.Itoa(count), strconv.Itoa(tokens))
	}
	heaviest := newTable("tool", "tokens (about)", "definition")
	for _, w := range all[:min(len(all), maxInspected)] {
		heaviest.row(w.Name, strconv.Itoa(w.Tokens), w.state())
	}
	return sums.text(0) + "\n\n" + heaviest.text(len(all)-maxInspected)
}
