package pegboard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Binding returns the value of a property that the host sets, see [Bind]: anything whose
// JSON the schema of the property accepts. It is called whenever an input is decoded, which
// is at least once for a call and more often if its input is changed, and concurrently for
// calls that run together. It should return quickly; a value that has to be fetched belongs
// into the session before, for example under a [Key].
//
// The session is that of the call. It is nil for a Call that no Executor admitted.
type Binding func(s *Session) (any, error)

// Bind returns t with properties of its input that the host sets and the model neither sees
// nor sets, such as a tenant or a token. Values has a [Binding] for each of these properties,
// which the schema of t must name. It works for any tool, also one of an MCP server, before
// [Registry.Attach], and a tool may be bound several times. [Definition].Bound does the same.
//
// The schema has to be a plain object, at its root or in the definition that the root is a
// reference to: one that has its properties in "properties", and beside them at most "required" and
// "additionalProperties". If it has anything else that may speak of a property, such as "anyOf",
// "dependentRequired", "default" or a reference to the input as a whole, Bind fails.
//
// The definition that the model is shown does not have the properties, nor do its examples and
// the texts about a wrong input. An input that has one of the properties is refused, as
// with any unknown property, even if the schema allows others. When the input is decoded, the
// values are filled in, and the whole is checked against the schema of t. Only the tool's own
// funcs get it: [Call].Input and [Call.Observed] are without the values, and with them every
// hook, event, question and line of a log. What the tool itself writes into texts
// for others, such as targets, errors, its result or ClassifierInput, is shown as ever.
//
// If there is no value, or the schema refuses it, the call fails with a [*BindError], and the
// model is told that the program is at fault. A deny or ask rule on such a property cannot be
// compared with anything: every call of the tool is then asked about, and
// [Pool.RuleProblems] names the rule.
//
// The error is a [*BuildError].
func Bind(t Tool, values map[string]Binding) (Tool, error) {
	e, err := newEntry(t)
	if err != nil || len(values) == 0 {
		return t, err
	}
	wrong := func(field string, err error) (Tool, error) {
		return nil, &BuildError{Tool: e.info.Name, Field: field, Err: err}
	}
	names := slices.Sorted(maps.Keys(values))
	for _, name := range names {
		if values[name] == nil {
			return wrong(fmt.Sprintf("Bound[%q]", name), errors.New("is nil"))
		}
	}
	inner := t.input()
	public, err := inner.schema.Without(names)
	if err != nil {
		return wrong("Bound", err)
	}
	b := &boundInput{inner: inner, names: names, values: maps.Clone(values)}
	spec := &inputSpec{schema: public, bound: b}
	if inner.observe != nil {
		spec.observe = b.observe
	}
	spec.examples = b.withoutAll(inner.examples)
	for i, example := range spec.examples {
		if _, err := spec.check(example); err != nil {
			return wrong(fmt.Sprintf("Examples[%d]", i), err)
		}
	}
	return &boundTool{Tool: t, spec: spec, enc: &encodings{schema: public.Bytes(), examples: spec.examples, output: t.output()}}, nil
}

// A BindError says that a value of [Bind] could not be put into the input of a call. Its text
// never has the value.
type BindError struct {
	Property string // "" if the schema refuses the input as a whole, and the value alone is not the reason
	Err      error  // of the Binding, or why its value cannot be used
}

// Error returns the property and the reason.
func (e *BindError) Error() string {
	if e.Property == "" {
		return "the input does not go together with the bound properties: " + e.Err.Error()
	}
	return fmt.Sprintf("bound property %q: %v", e.Property, e.Err)
}

// Unwrap returns the reason.
func (e *BindError) Unwrap() error { return e.Err }

// bindErrorIn returns the BindError that err wraps, or nil.
func bindErrorIn(err error) (bound *BindError) {
	errors.As(err, &bound)
	return bound
}

// A boundTool is a Tool with properties that the host sets.
type boundTool struct {
	Tool
	spec *inputSpec
	enc  *encodings
}

func (t *boundTool) input() *inputSpec { return t.spec }

// constant reports whether the tool's declaration is the same in every session.
func (t *boundTool) constant() bool {
	c, ok := t.Tool.(interface{ constant() bool })
	return ok && c.constant()
}

// Declare implements [Tool].
func (t *boundTool) Declare(s Scope) (Declaration, bool) {
	d, ok := t.Tool.Declare(s)
	if !ok {
		return Declaration{}, false
	}
	b := t.spec.bound
	if bytes.Equal(d.InputSchema, b.inner.schema.Bytes()) || !b.hideIn(&d) {
		d.InputSchema = slices.Clip(t.enc.schema)
	}
	if slices.EqualFunc(d.Examples, b.inner.examples, sameText) {
		d.Examples = slices.Clip(t.enc.examples)
	} else {
		d.Examples = b.withoutAll(d.Examples)
	}
	d.encoded = t.enc
	return d, true
}

// Traits implements [Tool].
func (t *boundTool) Traits(c *Call) Traits {
	c, err := t.decoded(c)
	if err != nil {
		return Traits{}
	}
	return t.Tool.Traits(c)
}

// Summary implements [Tool].
func (t *boundTool) Summary(c *Call) Summary {
	c, err := t.decoded(c)
	if err != nil {
		return Summary{}
	}
	return t.Tool.Summary(c)
}

// Validate implements [Tool].
func (t *boundTool) Validate(ctx context.Context, c *Call) error {
	c, err := t.decoded(c)
	if err != nil {
		return err
	}
	return t.Tool.Validate(ctx, c)
}

// Permit implements [Tool].
func (t *boundTool) Permit(ctx context.Context, c *Call) policy.Decision {
	c, err := t.decoded(c)
	if err != nil {
		return policy.Decision{Behavior: policy.Deny, Reason: err.Error()}
	}
	return t.Tool.Permit(ctx, c)
}

// Equivalent implements [Tool].
func (t *boundTool) Equivalent(a, b *Call) bool {
	a, err := t.decoded(a)
	if err != nil {
		return false
	}
	b, err = t.decoded(b)
	return err == nil && t.Tool.Equivalent(a, b)
}

// compares reports whether Equivalent may be true.
func (t *boundTool) compares() bool { return mayCompare(t.Tool) }

// ClassifierInput implements [Tool].
func (t *boundTool) ClassifierInput(c *Call) string {
	c, err := t.decoded(c)
	if err != nil {
		return ""
	}
	return t.Tool.ClassifierInput(c)
}

// Preview implements [Previewer].
func (t *boundTool) Preview(ctx context.Context, c *Call) ([]Diff, error) {
	p, ok := t.Tool.(Previewer)
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrNoPreview, t.Info().Name)
	}
	c, err := t.decoded(c)
	if err != nil {
		return nil, err
	}
	return p.Preview(ctx, c)
}

// Call implements [Tool].
func (t *boundTool) Call(ctx context.Context, c *Call) (*Result, error) {
	c, err := t.decoded(c)
	if err != nil {
		return nil, err
	}
	return t.Tool.Call(ctx, c)
}

// decoded returns c with its decoded input. The tool itself would decode it without the
// values, and would take them from the model.
func (t *boundTool) decoded(c *Call) (*Call, error) {
	if c.decoded != nil {
		return c, nil
	}
	in, err := c.input(t.spec)
	if err != nil {
		return nil, err
	}
	own := *c
	own.decoded = in
	return &own, nil
}

// A boundInput decodes an input without the properties that the host sets.
type boundInput struct {
	inner  *inputSpec
	names  []string // in order
	values map[string]Binding
}

// decode fills in the values. The public schema has accepted raw.
func (b *boundInput) decode(raw json.RawMessage, in *Session) (any, error) {
	open := bytes.IndexByte(raw, '{')
	if open < 0 || len(bytes.TrimSpace(raw[:open])) > 0 {
		return nil, fmt.Errorf("%w: the input is no object; send one", ErrInvalidInput)
	}
	filled := []byte{'{'}
	for _, name := range b.names {
		text, err := b.value(name, in)
		if err != nil {
			return nil, &BindError{Property: name, Err: err}
		}
		filled = append(append(append(append(filled, jsonobject.Quote(name)...), ':'), text...), ',')
	}
	rest := bytes.TrimLeft(raw[open+1:], " \t\r\n")
	if rest[0] == '}' {
		filled = filled[:len(filled)-1]
	}
	decoded, err := b.inner.decode(append(filled, rest...), in)
	if err != nil {
		return nil, b.attributed(err)
	}
	return decoded, nil
}

// value returns the JSON of the value of a property.
func (b *boundInput) value(name string, in *Session) (text json.RawMessage, err error) {
	err = goroutine.Try(func() error {
		v, err := b.values[name](in)
		if err != nil {
			return err
		}
		if text, err = json.Marshal(v); err != nil {
			return fmt.Errorf("the value cannot be written as JSON: a %T", v)
		}
		return nil
	})
	if panicked := (*PanicError)(nil); errors.As(err, &panicked) {
		err = crashError(err)
	}
	return text, err
}

// attributed returns the error of decoding a whole input: unchanged if it is about the model's
// own properties, and without the values otherwise.
//
// A problem with a path quotes the value at that path and the schema, and nothing else.
func (b *boundInput) attributed(err error) error {
	if bindErrorIn(err) != nil { // of a tool that was bound before
		return err
	}
	var invalid *schema.Invalid
	if !errors.As(err, &invalid) {
		return &BindError{Err: errors.New("it cannot be read with them")}
	}
	for _, p := range invalid.Problems {
		if i := slices.IndexFunc(b.names, p.Below); i >= 0 {
			return &BindError{Property: b.names[i], Err: errors.New("the schema of the tool refuses the value")}
		}
	}
	if slices.ContainsFunc(invalid.Problems, func(p schema.Problem) bool { return p.Path == "" }) {
		return &BindError{Err: errors.New("the schema of the tool refuses them together")}
	}
	return err
}

// observe is Observe of the tool, without the properties that the host sets.
func (b *boundInput) observe(in any, c *Call) map[string]any {
	properties := maps.Clone(b.inner.observe(in, c))
	maps.DeleteFunc(properties, func(name string, _ any) bool { return slices.Contains(b.names, name) })
	return properties
}

func (b *boundInput) withoutAll(inputs []json.RawMessage) (all []json.RawMessage) {
	for _, raw := range inputs {
		all = append(all, b.without(raw))
	}
	return all
}

// without returns an input without the properties that the host sets.
func (b *boundInput) without(raw json.RawMessage) json.RawMessage {
	o, err := jsonobject.Parse(raw)
	if err != nil {
		return raw
	}
	return slices.DeleteFunc(o, func(m jsonobject.Member) bool { return slices.Contains(b.names, m.Name) }).Encode()
}

// hideIn takes the properties out of a schema that a wrapper of the tool declares. It returns
// false if it cannot.
func (b *boundInput) hideIn(d *Declaration) bool {
	s, err := schema.Compile(d.InputSchema)
	if err != nil {
		return false
	}
	if s, err = s.Without(nil); err != nil { // it is no plain object
		return false
	}
	declared := slices.DeleteFunc(slices.Clone(b.names), func(name string) bool { return !s.Declares(name) })
	if s, err = s.Without(declared); err != nil {
		return false
	}
	d.InputSchema = s.Bytes()
	return true
}
