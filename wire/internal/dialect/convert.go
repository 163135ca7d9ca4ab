package dialect

import (
	"encoding/json"
	"errors"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// Converted is a schema in the dialect of a provider.
type Converted struct {
	// Schema is the text to send. The same schema gives the same bytes.
	Schema json.RawMessage
	// Lost describes the constraints that the schema has lost, in its order. The
	// descriptions in the schema tell the model of them instead. Empty means that nothing
	// is lost.
	Lost []string
	// Nulls means that optional properties became required ones that may be null: the
	// model's input must pass through [Denull].
	Nulls bool
	// Parameters are the parameters whose names the dialect does not take: the model's input
	// must pass through [Parameters.ToTool].
	Parameters Parameters
}

// Convert returns a schema in a dialect. The error is a *[RefusalError]: the dialect cannot
// express the schema. The schema must be that of a tool's input, and one that the package
// internal/schema compiles. Convert does not change it.
//
// The converted schema accepts every input that the schema accepts, so that the model can
// write every input that local validation against the schema accepts. The exceptions are
// conventions:
//
//   - The strict dialects allow only declared properties. Convert refuses a schema that
//     requires others (additionalProperties, or an object other than the root without
//     properties), and closes one that only does not forbid them.
//   - Keywords of one type without a type imply that type, such as properties an object.
//   - A list with a schema for its first items has no other items, unless the schema allows
//     them.
//   - An alternative at the root that does not declare a property does not use it.
//   - A parameter whose name the dialect does not take has another name.
//   - In the dialect [OpenAIStrict] an optional property is null instead of missing.
//
// Convert refuses a schema that would be too large with its references and alternatives
// written out. That costs little.
func Convert(schema json.RawMessage, to Dialect) (Converted, error) {
	doc, err := decode(schema)
	if err != nil {
		return Converted{}, err
	}
	root, err := rootOf(doc)
	if err != nil {
		return Converted{}, err
	}
	parameters, err := root.renameParameters(to)
	if err != nil {
		return Converted{}, err
	}
	switch to {
	case AnthropicStrict, OpenAIStrict, GeminiSchema:
		converted, err := rewrite(doc, root, to)
		converted.Parameters = parameters
		return converted, err
	}
	if root.changed {
		schema = jsonobject.Encode(root.described())
	}
	return Converted{Schema: schema, Lost: root.lost, Parameters: parameters}, nil
}

// A Form is the converted schema of a tool with its dialect.
type Form struct {
	Converted
	Dialect Dialect
	Refused []error // the errors of the preferred dialects
}

// First returns the schema in the first of the dialects that can express it. The error joins
// the errors of all dialects.
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
