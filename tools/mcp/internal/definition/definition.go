// Package definition makes tools of the definitions that MCP servers list.
//
// It reads the bytes of an answer to tools/list and knows nothing of connections. A
// definition that no call could be made with becomes a [pegboard.InvalidTool], so that one
// wrong definition never costs the others.
package definition

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// MaxResult is how many characters of text a result may have, unless the tool's _meta says
// otherwise: the 25,000 tokens that Claude Code documents for MCP.
const MaxResult = 100_000

// maxName is the maximum length of a tool's name in bytes. The protocol advises at most 128
// characters.
const maxName = 256

// A Definition describes one tool of a server.
type Definition struct {
	// Name is the name that the server has for the tool; empty if it has none.
	Name string
	// Tool is for [pegboard.Registry.Attach]. It is never nil. A definition that cannot be
	// used is a [pegboard.InvalidTool].
	Tool pegboard.Tool
	// AppOnly means that the model must not see the tool: it is for the server's own user
	// interface, and must not be attached.
	AppOnly bool
	// ResourceURI is the address, with the scheme ui, of the user interface for the results
	// of the tool; empty if it has no such interface.
	ResourceURI string
	// Warnings are for a log: about parts of the definition that were ignored, and calls that
	// will fail.
	Warnings []string
}

// Read returns the definition in raw, one element of the tools that a server lists. It keeps
// no reference to raw. Calls of the tool go to call.
//
// The schema of the input stays as the server sent it, but for descriptions in it that imitate
// marks of the host, and nothing is loaded for it. Calls
// are checked against all of it, also where combinators at its root have to be flattened for
// a provider.
func Read(s Server, raw json.RawMessage, call Caller) Definition {
	e, err := readEntry(raw)
	d := Definition{Name: e.name, AppOnly: e.ui.appOnly, ResourceURI: e.ui.resource}
	if err == nil {
		d.Tool, d.Warnings, err = build(s, &e, call)
	}
	if err != nil {
		d.Tool, d.Warnings = pegboard.InvalidTool(cut(e.name, maxName), err), nil
	}
	return d
}

// build makes a tool of an entry. It leaves out a schema of the output that is wrong: the
// result of a call is shown whatever that schema says.
func build(s Server, e *entry, call Caller) (t pegboard.Tool, warnings []string, err error) {
	d, warnings := describe(s, e, call), e.warnings
	input, err := shownSchema(e.input)
	if err != nil {
		return nil, nil, err
	}
	if d.OutputSchema, err = shownSchema(e.output); err != nil {
		warnings = append(warnings, "its outputSchema is ignored: "+err.Error())
	}
	t, err = pegboard.BuildRaw(input, d)
	if err != nil && len(d.OutputSchema) > 0 {
		first := err
		d.OutputSchema = nil
		t, err = pegboard.BuildRaw(input, d)
		warnings = append(warnings, "its outputSchema is ignored: "+first.Error())
	}
	if err != nil {
		return nil, nil, err
	}
	return t, warnings, checkInput(e.input, s.MirrorsInput)
}

// describe returns the definition of an entry, without the schema of its output.
func describe(s Server, e *entry, call Caller) pegboard.Definition[json.RawMessage, *pegboard.Result] {
	info := s.info(e)
	title := s.Name + ": " + cmp.Or(info.Title, e.name)
	d := pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info:        info,
		Traits:      s.traits(e.hints),
		Description: e.about(),
		Summary:     func(in json.RawMessage, _ *pegboard.Call) pegboard.Summary { return lines(title, in) },
		ClassifierInput: func(in json.RawMessage, _ *pegboard.Call) string {
			return fmt.Sprintf("the tool %q of the MCP server %q with %s", e.name, s.Name, in)
		},
		// The text for the model is the content of the result, which may be other than the
		// data that outputSchema describes.
		Result: func(r *pegboard.Result) *pegboard.Result { return cmp.Or(r, &pegboard.Result{}) },
	}
	if call != nil {
		name := e.name
		d.Call = func(ctx context.Context, in json.RawMessage, c *pegboard.Call) (*pegboard.Result, error) {
			return call(ctx, c, name, in)
		}
	}
	return d
}

// lines returns the lines for a person about a call with this input.
func lines(title string, in json.RawMessage) pegboard.Summary {
	what := title
	if string(in) != "{}" {
		what += " " + string(in)
	}
	return pegboard.Summary{Before: what, While: "Running " + what}
}

// checkInput returns why no call could be made under a schema of the input that compiles.
func checkInput(schema json.RawMessage, mirrored bool) error {
	combined, annotated := hasRootCombinator(schema), mirrored && mayHaveHeaders(schema)
	if !combined && !annotated { // as most schemas
		return nil
	}
	v, err := jsonobject.Decode(schema, 0)
	root, ok := v.(*jsonobject.Tree)
	if err != nil || !ok {
		return fmt.Errorf("the inputSchema is no object: %w", err)
	}
	if c := (rootCheck{root: root, left: maxLooks}); combined && !c.mayBeObject(root) {
		return errors.New("the inputSchema accepts no object, and the input of a tool is one")
	}
	if annotated {
		return checkHeaders(root)
	}
	return nil
}
