package anthropic

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/wire/internal/dialect"
)

// The keys of the encoded forms of a tool. Whether the tool is strict and deferred is
// part of every key.
const (
	plainForm      = "anthropic"
	eagerForm      = "anthropic eager"
	refusalForm    = "anthropic refusal"
	useForm        = "anthropic use"
	examplesForm   = "anthropic examples"
	parametersForm = "anthropic parameters"
)

// encode returns d as the API takes it, or nil if the API refuses it.
func (l *toolList) encode(d *pegboard.Declaration) json.RawMessage {
	form, name := plainForm, l.names.API(d.Name)
	eager := l.config.EagerInput || l.eagerTools[d.Name]
	if eager {
		form = eagerForm
	}
	if name != d.Name {
		form += ":" + name
	}
	return d.Encoded(form, func(d pegboard.Declaration) []byte {
		input, err := inputSchema(d)
		if err != nil || !nameRule.Valid(name) {
			return nil
		}
		return encode(d, name, input, eager)
	})
}

func encode(d pegboard.Declaration, name string, input dialect.Converted, eager bool) json.RawMessage {
	o := jsonobject.With("name", jsonobject.Quote(name))
	if d.Description != "" {
		o.Set("description", jsonobject.Quote(d.Description))
	}
	o.Set("input_schema", input.Schema)
	if d.Strict {
		o.Set("strict", json.RawMessage("true"))
	}
	if d.Deferred {
		o.Set("defer_loading", json.RawMessage("true"))
	}
	if examples, _ := fitting(d.Examples, input); len(examples) > 0 {
		o.Set("input_examples", jsonobject.List(examples))
	}
	if eager {
		o.Set("eager_input_streaming", json.RawMessage("true"))
	}
	return o.Encode()
}

// inputSchema returns the schema to send.
func inputSchema(d pegboard.Declaration) (dialect.Converted, error) {
	to := dialect.Anthropic
	if d.Strict {
		to = dialect.AnthropicStrict
	}
	return dialect.Convert(d.InputSchema, to)
}

// renamed returns the parameters of d that have other names in the API.
func renamed(d pegboard.Declaration) dialect.Parameters {
	return dialect.DecodeParameters(d.Encoded(parametersForm, func(d pegboard.Declaration) []byte {
		converted, _ := inputSchema(d)
		return converted.Parameters.Encode()
	}))
}

// refusal returns why the API does not take d as it is declared, or "" if it does.
func refusal(d pegboard.Declaration) string {
	return string(d.Encoded(refusalForm, func(d pegboard.Declaration) []byte {
		if _, err := inputSchema(d); err != nil {
			return []byte(err.Error())
		}
		return nil
	}))
}

// useOf returns how much of the limits of a request the strict form of d uses. It is
// remembered as two bytes, whose maximum is beyond all limits.
func useOf(d pegboard.Declaration) dialect.Use {
	b := d.Encoded(useForm, func(d pegboard.Declaration) []byte {
		input, _ := inputSchema(d)
		use := dialect.UseOf(input.Schema)
		return []byte{byte(min(use.Optional, math.MaxUint8)), byte(min(use.Unions, math.MaxUint8))}
	})
	return dialect.Use{Tools: 1, Optional: int(b[0]), Unions: int(b[1])}
}

// fitting returns the examples that fit the schema, and the number of those that do not:
// the API refuses a request that holds one of those.
func fitting(examples []json.RawMessage, input dialect.Converted) (fit []json.RawMessage, lost int) {
	if len(examples) == 0 {
		return nil, 0
	}
	compiled, err := schema.Compile(input.Schema)
	if err != nil {
		return nil, len(examples)
	}
	for _, e := range examples {
		e = input.Parameters.ToAPI(e)
		if v, err := strictjson.Decode(e, strictjson.Limits{}); err == nil && compiled.Validate(v) == nil {
			fit = append(fit, e)
		}
	}
	return fit, len(examples) - len(fit)
}

// lostExamples returns a text that says how many examples are not sent, or "" if all are.
func lostExamples(d pegboard.Declaration) string {
	return string(d.Encoded(examplesForm, func(d pegboard.Declaration) []byte {
		input, _ := inputSchema(d)
		if _, lost := fitting(d.Examples, input); lost > 0 {
			return fmt.Appendf(nil, "%d of its examples are left out: the input schema as it is sent does not take them", lost)
		}
		return nil
	}))
}
