// Package schema turns Go types into JSON Schemas and checks the input of tools
// against schemas.
//
// A schema may come from anywhere: compiling one opens no file and no
// connection, and whatever is in it, the result is a schema or an error.
package schema

import (
	"encoding/json"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// A Schema is a compiled JSON Schema. It never changes and may be used by many
// goroutines at once.
type Schema struct {
	raw  json.RawMessage
	root *jsonschema.Schema
	// applicable is nil if no object of the schema can be given a key that differs
	// from a declared one by letter case only: then validation finds such keys.
	applicable applicable
	// acceptor knows most inputs that are valid, see Accepts.
	acceptor *acceptor
}

// Bytes returns the canonical text of what was compiled: as it was given,
// without insignificant space. The caller must not change it.
func (s *Schema) Bytes() json.RawMessage { return s.raw }

// Validate checks v, a value as strictjson.Decode returns it. The error is an
// *[Invalid], worded for a model.
//
// The verdict is that of JSON Schema with two additions. A key that is not
// declared but differs from a declared one only by letter case is refused, even
// where the schema allows further keys: encoding/json would take it for the
// declared one. And a number of more than 1000 digits, written out, is refused,
// since comparing it would cost more than any tool can want.
func (s *Schema) Validate(v any) error {
	if p, found := longNumber(v); found {
		return newInvalid([]Problem{p})
	}
	err := goroutine.Try(func() error { return s.root.Validate(v) })
	problems := s.applicable.caseVariants(s.root, v)
	if err == nil && len(problems) == 0 {
		return nil
	}
	if err != nil {
		problems = append(problems, explain(s.root, v, err)...)
	}
	return newInvalid(problems)
}

// Declares reports whether the schema itself names a property, without following
// references.
func (s *Schema) Declares(name string) bool { return s.root.Properties[name] != nil }
