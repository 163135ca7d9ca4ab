// Package schema turns Go types into JSON Schemas and checks the input of tools
// against schemas.
//
// A schema may come from an untrusted source: compiling it opens no file and no connection,
// and results in a schema or an error whatever its content is.
package schema

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// A Schema is a compiled JSON Schema. It is immutable and may be used concurrently.
type Schema struct {
	raw  json.RawMessage
	root *jsonschema.Schema
	// applicable is nil if validation itself refuses all keys that differ from a declared
	// key only by letter case.
	applicable applicable
	// acceptor recognises most valid inputs, see Accepts.
	acceptor *acceptor
	foreign  *foreignBudget // nil if there are no foreign patterns
	defaults map[string]json.RawMessage
	hidden   []string // properties that are refused although the schema does not mention them
}

// Bytes returns the canonical text of the schema: see strictjson.Canonical. The caller must
// not change it.
func (s *Schema) Bytes() json.RawMessage { return s.raw }

// Validate checks v, a value as strictjson.Decode returns it. The error is an
// *[Invalid], worded for a model.
//
// The result is that of JSON Schema, with two additions. Validate refuses an undeclared key
// that differs from a declared one only by letter case, even where the schema allows
// undeclared keys: encoding/json would take it for the declared key. And it refuses numbers
// that have more than 1000 digits when written out, since comparing them is expensive. It
// refuses texts whose foreign patterns take more than a second to match, all together; a
// schema with such patterns validates one value at a time.
func (s *Schema) Validate(v any) error {
	if p, found := longNumber(v); found {
		return newInvalid([]Problem{p})
	}
	err := s.validate(v)
	problems := s.applicable.caseVariants(s.root, v)
	if err != nil {
		problems = append(problems, explain(s.root, v, err)...)
	}
	if len(s.hidden) > 0 {
		problems = append(problems, s.hiddenKeys(v, problems)...)
	}
	if len(problems) == 0 {
		return nil
	}
	return newInvalid(problems)
}

func (s *Schema) validate(v any) error {
	if s.foreign != nil {
		s.foreign.start()
		defer s.foreign.Unlock()
	}
	err := goroutine.Try(func() error { return s.root.Validate(v) })
	if err == nil && s.foreign != nil && s.foreign.exceeded {
		return errPatternTimeout // a schema such as not has accepted the value for it
	}
	return err
}

// Accepts reports whether raw is certainly valid: strictjson.Decode with the default limits
// decodes it, and Validate accepts the value.
//
// False does not mean that raw is invalid: Accepts gives up where a check is rare or
// expensive. It reads the text once, builds no values, and in most cases allocates nothing.
func (s *Schema) Accepts(raw []byte) bool {
	if len(raw) > strictjson.DefaultBytes || !utf8.Valid(raw) {
		return false
	}
	r := acceptReader{text: raw, levels: strictjson.DefaultDepth}
	if !r.value(s.acceptor) {
		return false
	}
	r.space()
	return r.pos == len(raw)
}

// Declares reports whether the schema itself names a property, without following
// references.
func (s *Schema) Declares(name string) bool { return s.root.Properties[name] != nil }

// Properties returns the names of the properties that the schema itself names, in no order.
func (s *Schema) Properties() []string { return slices.Collect(maps.Keys(s.root.Properties)) }

// Defaults returns the defaults of the properties that the schema itself names. The caller
// must not change the map.
func (s *Schema) Defaults() map[string]json.RawMessage { return s.defaults }

// defaultsOf returns the defaults of the properties of a decoded schema.
func defaultsOf(doc map[string]any) map[string]json.RawMessage {
	properties, _ := doc["properties"].(map[string]any)
	var all map[string]json.RawMessage
	for name, p := range properties {
		property, _ := p.(map[string]any)
		value, ok := property["default"]
		if !ok {
			continue
		}
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false) // people read it
		if encoder.Encode(value) == nil {
			if all == nil {
				all = map[string]json.RawMessage{}
			}
			all[name] = bytes.TrimSpace(text.Bytes())
		}
	}
	return all
}
