// Package toolset holds the tools of a request: those of a pool, in the form of a
// provider and under its names.
package toolset

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/dialect"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
)

// A Form is how a provider takes tools.
type Form struct {
	Names dialect.NameRule
	// Encode returns a tool under its name in the API, or nil if the API refuses it.
	Encode func(d pegboard.Declaration, name string) json.RawMessage
	// Refused says why Encode returned nil.
	Refused func(d pegboard.Declaration) wire.Problem
	// Parameters is that of the Set.
	Parameters func(d pegboard.Declaration) dialect.Parameters
}

// A Set is the tools of one request. The zero Set has none, and maps every name to
// itself.
type Set struct {
	Pool     *pegboard.Pool // nil for the zero Set
	Names    dialect.Names
	Encoded  json.RawMessage // the request's member "tools"; nil if the request has no tools
	Problems []wire.Problem
	// Parameters returns the names of parameters that a definition has changed. Nil
	// changes none.
	Parameters func(d pegboard.Declaration) dialect.Parameters

	form Form
}

// New returns the set of a pool, without Encoded, and the tools to send after the
// entries in first. Request yields the tools of the pool, and whether the request
// leaves each out; one that is left out may have no forbidden name either.
func New(p *pegboard.Pool, form Form, first []json.RawMessage, request iter.Seq2[pegboard.Declaration, bool]) (s Set, tools []json.RawMessage) {
	s = Set{Pool: p, Parameters: form.Parameters, form: form}
	tools, ok := s.encode(first, request)
	if !ok { // most pools have no name that the API refuses
		s.Names = Names(p, form.Names)
		tools, _ = s.encode(first, request)
	}
	return s, tools
}

// encode appends the tools to send to first, and notes those that the API refuses. It
// fails at a name that the API refuses.
func (s *Set) encode(first []json.RawMessage, request iter.Seq2[pegboard.Declaration, bool]) (tools []json.RawMessage, ok bool) {
	s.Problems = nil
	tools = append(make([]json.RawMessage, 0, len(first)+s.Pool.Len()), first...)
	for d, waits := range request {
		name := s.Names.API(d.Name)
		if !s.form.Names.Valid(name) {
			return nil, false
		}
		if waits {
			continue
		}
		if tool := s.form.Encode(d, name); tool != nil {
			tools = append(tools, tool)
		} else {
			s.Problems = append(s.Problems, s.form.Refused(d))
		}
	}
	return tools, true
}

// All yields the tools of a pool, in its order.
func All(p *pegboard.Pool) iter.Seq[pegboard.Declaration] {
	return func(yield func(pegboard.Declaration) bool) {
		for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
			for d := range p.Declarations(part) {
				if !yield(d) {
					return
				}
			}
		}
	}
}

// Names chooses the names of a pool's tools in an API.
func Names(p *pegboard.Pool, rule dialect.NameRule) dialect.Names {
	namesOf := func(part pegboard.Partition) (list []string) {
		for d := range p.Declarations(part) {
			list = append(list, d.Name)
		}
		return list
	}
	return rule.Names(namesOf(pegboard.Builtin), namesOf(pegboard.External))
}

// List returns the request's member "tools".
func (s *Set) List() json.RawMessage {
	if s.Encoded == nil {
		return json.RawMessage("[]")
	}
	return s.Encoded
}

// Tool returns the name in the pool of the tool that the API calls api.
func (s *Set) Tool(api string) string { return s.canonical(s.Names.Tool(api)) }

// Input returns the input of a call, of which the API calls the tool api, with the names of
// parameters that the tool declares.
func (s *Set) Input(api string, input json.RawMessage) json.RawMessage {
	if s.Parameters == nil {
		return input
	}
	d, ok := s.Declaration(s.Names.Tool(api))
	if !ok {
		return input
	}
	return s.Parameters(d).ToTool(input)
}

// canonical returns the name of a tool that may be called by an alias.
func (s *Set) canonical(tool string) string {
	if s.Pool != nil {
		if t, ok := s.Pool.Lookup(tool); ok {
			return t.Info().Name
		}
	}
	return tool
}

// Declaration returns the declaration of a tool, which may be called by an alias.
func (s *Set) Declaration(tool string) (d pegboard.Declaration, ok bool) {
	if s.Pool == nil {
		return d, false
	}
	tool = s.canonical(tool)
	for d := range All(s.Pool) {
		if d.Name == tool {
			return d, true
		}
	}
	return d, false
}

// Definition returns a tool as the request holds it, now or once it is loaded. It is
// nil if the request cannot hold the tool.
func (s *Set) Definition(tool string) json.RawMessage {
	d, ok := s.Declaration(tool)
	if !ok {
		return nil
	}
	return s.form.Encode(d, s.Names.API(d.Name))
}

// Sendable reports whether the request can hold a tool.
func (s *Set) Sendable(tool string) bool { return s.Definition(tool) != nil }

// Definitions words the references to tools that parts begin with: the definitions of
// the tools, and the names of those that cannot be called.
func (s *Set) Definitions(parts []pegboard.Part) (texts []string) {
	var found []json.RawMessage
	var missing []string
	for _, p := range parts {
		if p.Tool == "" {
			break
		}
		if d := s.Definition(p.Tool); d != nil {
			found = append(found, d)
		} else {
			missing = append(missing, p.Tool)
		}
	}
	if len(found) > 0 {
		texts = append(texts, history.FunctionsBlock(found))
	}
	if len(missing) > 0 {
		texts = append(texts, fmt.Sprintf("(Not available any more: %s. Search again.)", strings.Join(missing, ", ")))
	}
	return texts
}
