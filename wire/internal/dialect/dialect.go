package dialect

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// A Dialect is the part of JSON Schema that one member of a provider's request
// takes.
type Dialect int

// The dialects, and where they go.
const (
	Anthropic       Dialect = iota // input_schema
	AnthropicStrict                // input_schema beside strict
	OpenAI                         // parameters
	OpenAIStrict                   // parameters beside strict
	GeminiSchema                   // parameters: a subset of OpenAPI 3.0
	GeminiJSON                     // parametersJsonSchema
)

// String returns the dialect's name.
func (d Dialect) String() string {
	switch d {
	case Anthropic:
		return "Anthropic"
	case AnthropicStrict:
		return "Anthropic strict"
	case OpenAI:
		return "OpenAI"
	case OpenAIStrict:
		return "OpenAI strict"
	case GeminiSchema:
		return "Gemini parameters"
	case GeminiJSON:
		return "Gemini parametersJsonSchema"
	default:
		return "unknown dialect"
	}
}

// NameRule returns what the provider takes as the name of a tool (contracts 3.1,
// 3.2, 3.3). Of the limits that are documented for OpenAI and for Gemini it is the
// one that holds everywhere.
func (d Dialect) NameRule() NameRule {
	if d == GeminiSchema || d == GeminiJSON {
		return NameRule{Max: 63, Letter: true}
	}
	return NameRule{Max: 64}
}

// A Converted schema is what a provider takes in place of a canonical one.
type Converted struct {
	// Schema is the text to send. The same schema gives the same bytes.
	Schema json.RawMessage
	// Lost says in plain words what the schema sent does not hold the model to, in the
	// order of the schema. Its descriptions tell the model instead. Empty means that
	// nothing is lost.
	Lost []string
	// Nulls says that optional properties became required ones that may be null: what
	// the model sends goes through [Denull] first.
	Nulls bool
}

// A RefusalError is the reason why a dialect cannot express a schema.
type RefusalError struct {
	At     string // the property, such as "filter.tags[]"; empty for the root
	Reason string // what cannot be said, and what to change
}

// Error returns the reason, after the place.
func (r *RefusalError) Error() string {
	if r.At == "" {
		return r.Reason
	}
	return fmt.Sprintf("%s: %s", r.At, r.Reason)
}

// Convert returns schema as the dialect takes it. An error is a *[RefusalError]: it
// cannot be expressed. The schema is that of a tool's input, one that local
// validation compiles; it is not changed.
//
// What the schema accepts, the converted one accepts too, so that local validation
// against the canonical schema loses nothing. The exceptions are conventions:
//
//   - The strict dialects allow declared properties only. A schema that asks for
//     more (additionalProperties, or an object with no properties that is not the
//     root) is refused; one that merely does not forbid more is closed.
//   - Keywords of one type without a type mean that type: properties an object.
//   - A list whose first items are described has no others, unless it says so.
//   - Of alternatives at the root, one that does not declare a property does not
//     want it.
//   - In the dialect [OpenAIStrict] an optional property is not left out but null.
//
// A conversion of what would be too large when references and alternatives are
// written out is refused, and costs little.
func Convert(schema json.RawMessage, to Dialect) (Converted, error) {
	doc, err := decode(schema)
	if err != nil {
		return Converted{}, err
	}
	root, err := rootOf(doc)
	if err != nil {
		return Converted{}, err
	}
	if err := checkParameters(root.schema, to); err != nil {
		return Converted{}, err
	}
	switch to {
	case AnthropicStrict, OpenAIStrict, GeminiSchema:
		return rewrite(doc, root, to)
	}
	if root.changed {
		schema = jsonobject.Encode(root.described())
	}
	return Converted{Schema: schema, Lost: root.lost}, nil
}

// A Form is how the schema of a tool is sent.
type Form struct {
	Converted
	Dialect Dialect
	Refused []error // why the dialects that were preferred do not do
}

// First returns the schema in the first of the dialects that can express it. The
// error joins the reasons of all.
func First(schema json.RawMessage, dialects ...Dialect) (Form, error) {
	var passed []error
	for _, d := range dialects {
		c, err := Convert(schema, d)
		if err == nil {
			return Form{Converted: c, Dialect: d, Refused: passed}, nil
		}
		passed = append(passed, err)
	}
	return Form{}, errors.Join(passed...)
}

// checkParameters refuses names of parameters, which are the properties of the
// root. Anthropic takes 1 to 64 letters, digits, _, . and -; Gemini letters, digits
// and _, a digit not first (contracts 3.3).
func checkParameters(root *jsonobject.Tree, to Dialect) error {
	for name := range root.Child("properties").All() {
		switch to {
		case Anthropic, AnthropicStrict:
			if !fits(name, '.', '-') {
				return &RefusalError{At: name, Reason: "the name of a parameter is 1 to 64 letters, digits, _, . and -"}
			}
		case GeminiSchema, GeminiJSON:
			if !fits(name) || !letter(name[0]) {
				return &RefusalError{At: name, Reason: "the name of a parameter is 1 to 64 letters, digits and _, a digit not first"}
			}
		}
	}
	return nil
}

// fits reports whether name is 1 to 64 letters, digits, _ and others.
func fits(name string, others ...byte) bool {
	for i := range len(name) {
		c := name[i]
		ok := letter(c) || c >= '0' && c <= '9'
		for _, other := range others {
			ok = ok || c == other
		}
		if !ok {
			return false
		}
	}
	return name != "" && len(name) <= 64
}
