// Package function encodes tools of a pool as functions of OpenAI's APIs.
package function

import (
	"encoding/json"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/dialect"
)

// Parameters returns the schema that the model is held to, or, if the schema has no
// strict form, the schema that it is only shown.
func Parameters(d pegboard.Declaration) (dialect.Form, error) {
	if d.Strict {
		return dialect.First(d.InputSchema, dialect.OpenAIStrict, dialect.OpenAI)
	}
	return dialect.First(d.InputSchema, dialect.OpenAI)
}

// Strict returns, as JSON, whether a schema is the strict form.
func Strict(f dialect.Form) json.RawMessage {
	if f.Dialect == dialect.OpenAIStrict {
		return json.RawMessage("true")
	}
	return json.RawMessage("false")
}

// Refused returns why a tool cannot be sent, in the words of [wire.Lint].
func Refused(d pegboard.Declaration) wire.Problem {
	p := wire.Problem{Tool: d.Name, Omitted: true}
	if _, err := Parameters(d); err != nil {
		p.Reason = "its input schema cannot be sent: " + strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	return p
}

// WithoutNulls returns the input of a call of d without the nulls that the model had to
// write for properties that it wanted to leave out, because the schema was sent in the
// strict form.
func WithoutNulls(d pegboard.Declaration, input json.RawMessage) json.RawMessage {
	if !WritesNulls(d) {
		return input
	}
	return dialect.Denull(input, d.InputSchema)
}

// WritesNulls reports whether the model may have to write null for a property of d that
// it wants to leave out.
func WritesNulls(d pegboard.Declaration) bool {
	return d.Strict && d.Encoded("openai-nulls", func(d pegboard.Declaration) []byte {
		f, err := Parameters(d)
		if err != nil || f.Dialect != dialect.OpenAIStrict || !f.Nulls {
			return nil
		}
		return []byte("nulls")
	}) != nil
}

// A ChoiceForm is how an API writes the parts of a choice.
type ChoiceForm struct {
	// Tool returns a reference to a tool.
	Tool func(tool string) json.RawMessage
	// Allowed returns the choice among some tools, in a mode of the API.
	Allowed func(mode string, tools []json.RawMessage) json.RawMessage
}

// Choice returns the members of a request that express c, as an object. It leaves out a member
// that would only repeat the default of the API, so that services that do not know these members
// take the request.
func Choice(c wire.Choice, form ChoiceForm) json.RawMessage {
	var o jsonobject.Object
	switch {
	case c.Mode == wire.One:
		o.Set("tool_choice", form.Tool(c.Tool))
	case c.Mode == wire.None:
		o.Set("tool_choice", jsonobject.Quote("none"))
	case len(c.Tools) > 0:
		mode := "auto"
		if c.Mode == wire.Required {
			mode = "required"
		}
		var tools []json.RawMessage
		for _, tool := range c.Tools {
			tools = append(tools, form.Tool(tool))
		}
		o.Set("tool_choice", form.Allowed(mode, tools))
	case c.Mode == wire.Required:
		o.Set("tool_choice", jsonobject.Quote("required"))
	}
	if c.Sequential {
		o.Set("parallel_tool_calls", json.RawMessage("false"))
	}
	return o.Encode()
}
