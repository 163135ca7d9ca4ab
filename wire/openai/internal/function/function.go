// Package function is what a tool of a pool is as a function of OpenAI, whichever of
// its APIs is spoken.
package function

import (
	"encoding/json"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/dialect"
)

// Names chooses a name for every tool of a pool.
func Names(p *pegboard.Pool, rule dialect.NameRule) dialect.Names {
	return rule.Names(namesOf(p, pegboard.Builtin), namesOf(p, pegboard.External))
}

func namesOf(p *pegboard.Pool, part pegboard.Partition) (list []string) {
	for d := range p.Declarations(part) {
		list = append(list, d.Name)
	}
	return list
}

// Parameters returns the schema that the model is held to, or only shown if there is
// no strict form of it.
func Parameters(d pegboard.Declaration) (dialect.Form, error) {
	if d.Strict {
		return dialect.First(d.InputSchema, dialect.OpenAIStrict, dialect.OpenAI)
	}
	return dialect.First(d.InputSchema, dialect.OpenAI)
}

// Strict says, as JSON, whether a schema is the strict form.
func Strict(f dialect.Form) json.RawMessage {
	if f.Dialect == dialect.OpenAIStrict {
		return json.RawMessage("true")
	}
	return json.RawMessage("false")
}

// Refused says why a tool cannot be sent, as [wire.Lint] does.
func Refused(d pegboard.Declaration) wire.Problem {
	p := wire.Problem{Tool: d.Name, Omitted: true}
	if _, err := Parameters(d); err != nil {
		p.Reason = "its input schema cannot be sent: " + strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	return p
}

// WritesNulls reports whether the model may have to write null where it leaves out a
// property of the tool, because its schema is sent in the strict form.
func WritesNulls(d pegboard.Declaration) bool {
	return d.Strict && d.Encoded("openai-nulls", func(d pegboard.Declaration) []byte {
		f, err := Parameters(d)
		if err != nil || f.Dialect != dialect.OpenAIStrict || !f.Nulls {
			return nil
		}
		return []byte("nulls")
	}) != nil
}
