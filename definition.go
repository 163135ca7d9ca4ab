package pegboard

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/plain"
	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Definition describes a tool with input In and output Out. Info.Name, Description and
// Call are required, or Info.ExternalResult instead of Call; every other field may be zero, which is the cautious choice. The
// input's schema is derived from In, a struct (see [Build]) or a map.
//
// Each func becomes a stage of the [Tool]: Inspect its Traits, Enabled and Prompt its
// Declare, the others the stage of the same name. The funcs may be called concurrently and
// must not keep their arguments.
type Definition[In, Out any] struct {
	Info
	// Description is for people, see [Declaration].About, and for the model unless Prompt is
	// set.
	Description string

	// Traits are those of every call; Inspect returns those of one call, by its input. Set
	// one of them, or neither: then a call runs alone and counts as writing something
	// unknown. A call whose Inspect panics fails, whatever the rules say.
	Traits  Traits
	Inspect func(in In, c *Call) Traits

	// Summary returns the lines that a user interface shows of a call with this input: see
	// [View]. It must be pure, like Inspect, and is called only when the interface asks.
	// Default: lines made of the title, the kind and the targets.
	Summary func(in In, c *Call) Summary

	// Examples are inputs for the model to learn from, if the provider accepts them. The
	// schema must accept each.
	Examples []In
	// Undeclared are properties of the input that the model is not shown, and that are accepted
	// if they come: from hooks and dialogs, and from models that know them of other harnesses.
	// They are not required.
	Undeclared []string
	// Bound are the properties of the input that the host sets, and that the model neither
	// sees nor sets: see [Bind].
	Bound map[string]Binding

	// Observe returns properties for [Call.Observed], which hooks, questions, logs, and deny and
	// ask rules on parameters see beside the input: those of the input in a plain form, such as
	// an absolute path, and any others that follow from it. It must return the same for the same
	// input. It may be called at any time, also while the call runs, and has a decoded input of
	// its own. A rule may name a property that the schema does not have; [Pool.RuleProblems]
	// does not know of it. If Observe panics, every deny and ask rule on a parameter of the tool
	// counts as matching. Default: none.
	Observe func(in In, c *Call) map[string]any

	// Equivalent reports whether two calls are the same, so that the second need not run if
	// the model makes one directly after the other in the same message. Set it to [SameInput]
	// if the results of two such calls cannot differ, apart from what other programs do
	// meanwhile. Default: no two calls are the same, as is right for a clock, a random number
	// or a queue.
	//
	// The second call waits for the first and gets a short result that refers to it, also if
	// the first was denied or failed: see [Outcome].SameAs. It is not put to hooks before the
	// call, a [Guard] or the user again. It runs for itself if it is not read-only, a rule
	// denies it, the caller has decided either call, either input was changed or repaired,
	// or the first was stopped before it had a result. Calls that a tool makes with [Call.Run],
	// and calls of external tools, are never compared.
	//
	// A is the earlier call. Equivalent must be pure. If it panics, the calls are different.
	// With Info.Polls, Info.ExternalResult or Info.RequiresGuard it is an error.
	Equivalent func(a, b In) bool

	// Enabled says whether the tool is offered in s. Default: it is. S is nil when a registry
	// compares the tools of a source with its earlier ones.
	Enabled func(s *Session) bool
	// Prompt returns the description for the model, which may depend on the session and on
	// the other built-in tools of the pool. Default: Description.
	Prompt func(s Scope) string
	// Validate checks conditions that a schema cannot express. Its error goes to the model.
	Validate func(ctx context.Context, in In, c *Call) error
	// Permit returns the tool's own opinion. Default: none.
	Permit func(ctx context.Context, in In, c *Call) policy.Decision
	// ClassifierInput returns the facts that a [Classifier] needs to judge a call, such
	// as a command or a file and its new content. Default: nothing, so that the user is
	// asked in the classifier's place. It must not do I/O.
	ClassifierInput func(in In, c *Call) string
	// Preview returns the changes of files that the call would make if it ran now, for the
	// user who is asked: see [Question.Preview]. It changes nothing, and is called after
	// Validate. Default: none.
	Preview func(ctx context.Context, in In, c *Call) ([]Diff, error)
	// Call does the work. Required, unless Info.ExternalResult is set. An output beside an error is
	// a partial result, and is shown to the model.
	Call func(ctx context.Context, in In, c *Call) (Out, error)
	// OutputSchema is the schema of Result.Data as JSON. Default: derived from Out, if that is
	// a struct or a map; then encoding/json makes nothing else. A result is held against a
	// schema that is given here, see [Outcome].OutputErr.
	OutputSchema json.RawMessage
	// Result maps the output to a result for the model. Default: a *Result as it is, a
	// string as text, anything else as JSON. Result.Data is the output unless Result sets it.
	Result func(out Out) *Result
}

// SameInput reports whether two inputs are deeply equal: a ready [Definition].Equivalent.
// JSON, the input of a tool of [BuildRaw], is compared as a value, whatever its spelling; 1
// and 1.0 are different.
func SameInput[In any](a, b In) bool {
	if x, ok := any(a).(json.RawMessage); ok {
		y, _ := any(b).(json.RawMessage)
		return sameJSON(x, y)
	}
	return reflect.DeepEqual(a, b)
}

// Build returns the tool that d describes. If d is wrong, it panics and names the tool and
// the field: a Definition is source code. Use [TryBuild] for a Definition that is made at
// run time.
//
// The schema follows the json tags of In: a field without omitempty, omitzero, a pointer or
// a default is required, and no other property is allowed. The tags
// `jsonschema:"description=…,enum=…"` and `jsonschema_description:"…"` describe a field. A
// comma in a value of the first is written `\\,`; the second takes any text. A property that
// a call leaves out has the default of the tag `jsonschema:"default=…"`. A time.Duration is
// a string such as "1m30s" for the model, and its description says so. A part of a tag
// that has no meaning for its field is an error, and so is an output that encoding/json
// cannot encode, unless Result is set. So is a property whose name says that it is a path or an
// address, if fixed Traits say ReadOnly and have no target.
func Build[In, Out any](d Definition[In, Out]) Tool {
	t, err := TryBuild(d)
	if err != nil {
		panic("pegboard: Build: " + err.Error())
	}
	return t
}

// TryBuild is like [Build] but returns a *[BuildError].
func TryBuild[In, Out any](d Definition[In, Out]) (Tool, error) {
	if strings.TrimSpace(d.Description) == "" && d.Prompt == nil {
		return nil, &BuildError{Tool: d.Name, Field: "Description", Err: errors.New("is required: it is what the model knows of the tool")}
	}
	raw, err := schema.Reflect(reflect.TypeFor[In]())
	if err != nil {
		return nil, &BuildError{Tool: d.Name, Field: "In", Err: err}
	}
	if out := reflect.TypeFor[Out](); d.Result == nil && out != reflect.TypeFor[*Result]() {
		if err := schema.CheckOutput(out); err != nil {
			return nil, &BuildError{Tool: d.Name, Field: "Out", Err: fmt.Errorf("%w, or set Result", err)}
		}
	}
	t, err := build(raw, d, decoderFor[In]())
	if err != nil || d.Inspect != nil || !d.Traits.ReadOnly || len(d.Traits.Targets) > 0 {
		return t, err
	}
	if place := t.input().schema.PlaceProperty(); place != "" {
		return nil, &BuildError{Tool: d.Name, Field: "Traits", Err: fmt.Errorf("ReadOnly without a target, and rules cannot see what the property %s names: set Inspect and make it a target", place)}
	}
	return t, nil
}

// decoderFor returns the func that decodes input which the schema of In accepts.
func decoderFor[In any]() func(raw json.RawMessage, accepted bool) (any, error) {
	filler, codec := schema.FillerOf(reflect.TypeFor[In]()), schema.CodecOf(reflect.TypeFor[In]())
	return func(raw json.RawMessage, accepted bool) (any, error) {
		raw, err := codec.Decode(raw)
		if err != nil {
			return nil, err
		}
		in := new(In)
		if accepted && filler.Fill(reflect.ValueOf(in).Elem(), raw) {
			return in, nil
		}
		in = new(In)
		if err := json.Unmarshal(raw, in); err != nil {
			return nil, typeError(codec, raw, err)
		}
		return in, nil
	}
}

// BuildFunc returns a tool that calls f with the input, for a func that needs nothing else. What f
// touches is not known: the calls run alone, and are asked about unless a rule for the tool allows
// them, and in any case where deny or ask rules have patterns for files, hosts or commands. [Build]
// says more of a tool. A name or a type of input that no tool can have panics.
func BuildFunc[In, Out any](name, description string, f func(ctx context.Context, in In) (Out, error)) Tool {
	return Build(Definition[In, Out]{
		Info: Info{Name: name}, Description: description,
		Call: func(ctx context.Context, in In, _ *Call) (Out, error) { return f(ctx, in) },
	})
}

// BuildRaw is like [TryBuild] for a tool whose schema is data, as an MCP server sends it.
// The call gets its input as JSON that the schema accepts. References to other documents
// are refused; no document is ever loaded. A pattern may have what Go's regular expressions
// lack, such as look-ahead, except as a key of patternProperties; then the check of one
// input is given a second, and an input that takes longer is invalid.
func BuildRaw(inputSchema json.RawMessage, d Definition[json.RawMessage, *Result]) (Tool, error) {
	return build(inputSchema, d, func(raw json.RawMessage, _ bool) (any, error) {
		own := slices.Clone(raw)
		return &own, nil // a copy: hooks and listeners may hold the original
	})
}

func build[In, Out any](raw json.RawMessage, d Definition[In, Out], typed func(raw json.RawMessage, accepted bool) (any, error)) (Tool, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	s, err := schema.Compile(raw)
	if err != nil {
		return nil, &BuildError{Tool: d.Name, Field: "input schema", Err: err}
	}
	spec := &inputSpec{schema: s, typed: typed}
	if d.Observe != nil {
		spec.observe = func(in any, c *Call) map[string]any {
			own, ok := in.(*In)
			if !ok { // then every rule on a parameter counts as matching
				panic(errNoInput)
			}
			return d.Observe(*own, c)
		}
	}
	for i, in := range d.Examples {
		text, err := json.Marshal(in)
		if err == nil {
			text, err = schema.CodecOf(reflect.TypeFor[In]()).Encode(text)
		}
		if err == nil && len(d.Bound) == 0 { // Bind checks them without the properties
			_, err = spec.decode(text, nil)
		}
		if err != nil {
			return nil, &BuildError{Tool: d.Name, Field: fmt.Sprintf("Examples[%d]", i), Err: err}
		}
		spec.examples = append(spec.examples, text)
	}
	out := derivedOutput[Out](d.Result == nil)
	if len(d.OutputSchema) > 0 {
		if out, err = givenOutput(d.OutputSchema, d.Result == nil); err != nil {
			return nil, &BuildError{Tool: d.Name, Field: "OutputSchema", Err: err}
		}
	}
	d.Aliases = append([]string(nil), d.Aliases...)
	d.Traits.Targets = policy.Clone(d.Traits.Targets)
	shown := s
	if len(d.Undeclared) > 0 {
		if shown, err = s.Without(d.Undeclared); err != nil {
			return nil, &BuildError{Tool: d.Name, Field: "Undeclared", Err: err}
		}
	}
	return Bind(&defined[In, Out]{
		def:   d,
		spec:  spec,
		shown: shown,
		out:   out,
		enc:   &encodings{schema: shown.Bytes(), examples: spec.examples, output: out},
	}, d.Bound)
}

// check returns the first error of d, apart from its schema.
func (d *Definition[In, Out]) check() error {
	wrong := func(field, msg string) error {
		return &BuildError{Tool: d.Name, Field: field, Err: errors.New(msg)}
	}
	if err := plain.CheckName(d.Name); err != nil {
		return &BuildError{Tool: d.Name, Field: "Info.Name", Err: err}
	}
	for _, a := range d.Aliases {
		if err := plain.CheckName(a); err != nil {
			return &BuildError{Tool: d.Name, Field: "Info.Aliases", Err: err}
		}
	}
	if d.Group != "" {
		if _, err := policy.ParseToolRule(d.Group); err != nil {
			return &BuildError{Tool: d.Name, Field: "Info.Group", Err: err}
		}
	}
	if err := d.Retry.check(); err != nil {
		return &BuildError{Tool: d.Name, Field: "Info.Retry", Err: err}
	}
	switch {
	case d.Origin != (Origin{}):
		return wrong("Info.Origin", "is set by Registry.Attach, leave it empty")
	case d.Call == nil && !d.ExternalResult:
		return wrong("Call", "is required, unless Info.ExternalResult says that the host executes the calls")
	case d.Call != nil && d.ExternalResult:
		return wrong("Call", "is never called, since Info.ExternalResult says that the host executes the calls; leave out one of them")
	case d.ExternalResult && d.Retry != (RetryPolicy{}):
		return wrong("Info.Retry", "has no meaning, since Info.ExternalResult says that the host executes the calls; leave it out")
	case d.ExternalResult && d.Interrupt == InterruptDetach:
		return wrong("Info.Interrupt", "a call that the host executes cannot be detached; use InterruptCancel or InterruptBlock")
	case d.Equivalent != nil && d.ExternalResult:
		return wrong("Equivalent", "is never called, since Info.ExternalResult says that the host executes the calls; leave out one of them")
	case d.Equivalent != nil && d.Polls:
		return wrong("Equivalent", "is never called, since Info.Polls says that equal calls in a row are normal; leave out one of them")
	case d.Equivalent != nil && d.RequiresGuard:
		return wrong("Equivalent", "is never called, since Info.RequiresGuard says that the host must see every call; leave out one of them")
	case d.Inspect != nil && !d.Traits.isZero():
		return wrong("Traits", "set Traits or Inspect, not both")
	case d.Traits.ReadOnly && d.Traits.Destructive:
		return wrong("Traits", "ReadOnly and Destructive exclude each other: a call that changes nothing destroys nothing")
	}
	return nil
}

// defined is the only Tool that does not wrap another.
type defined[In, Out any] struct {
	def   Definition[In, Out]
	spec  *inputSpec
	shown *schema.Schema // spec.schema without what is undeclared
	out   *outputSpec
	enc   *encodings
}

func (t *defined[In, Out]) Info() Info {
	i := t.def.Info
	i.Aliases = append([]string(nil), i.Aliases...)
	return i
}

func (t *defined[In, Out]) Declare(s Scope) (Declaration, bool) {
	if t.def.Enabled != nil && !t.def.Enabled(s.Session) {
		return Declaration{}, false
	}
	text := t.def.Description
	if t.def.Prompt != nil {
		text = t.def.Prompt(s)
	}
	return Declaration{Name: t.def.Name, Description: text, About: cmp.Or(t.def.Description, text), InputSchema: slices.Clip(t.shown.Bytes()),
		OutputSchema: slices.Clip(t.out.schema()), OutputShown: t.out != nil && t.out.shown,
		Examples: slices.Clip(t.enc.examples), Strict: t.def.Strict, encoded: t.enc}, true
}

func (t *defined[In, Out]) Traits(c *Call) Traits {
	if t.def.Inspect == nil {
		tr := t.def.Traits
		tr.Targets = policy.Clone(tr.Targets)
		return tr
	}
	in, err := t.in(c)
	if err != nil {
		return Traits{}
	}
	return t.def.Inspect(in, c)
}

func (t *defined[In, Out]) Summary(c *Call) Summary {
	if t.def.Summary == nil {
		return Summary{}
	}
	in, err := t.in(c)
	if err != nil {
		return Summary{}
	}
	return t.def.Summary(in, c)
}

func (t *defined[In, Out]) Validate(ctx context.Context, c *Call) error {
	in, err := t.in(c)
	if err != nil || t.def.Validate == nil {
		return err
	}
	return t.def.Validate(ctx, in, c)
}

func (t *defined[In, Out]) Permit(ctx context.Context, c *Call) policy.Decision {
	if t.def.Permit == nil {
		return policy.Decision{}
	}
	in, err := t.in(c)
	if err != nil {
		return policy.Decision{Behavior: policy.Deny, Reason: err.Error()}
	}
	return t.def.Permit(ctx, in, c)
}

// Preview implements [Previewer].
func (t *defined[In, Out]) Preview(ctx context.Context, c *Call) ([]Diff, error) {
	if t.def.Preview == nil {
		return nil, fmt.Errorf("%w: %s", ErrNoPreview, t.def.Name)
	}
	if err := t.Validate(ctx, c); err != nil {
		return nil, err
	}
	in, err := t.in(c)
	if err != nil {
		return nil, err
	}
	return t.def.Preview(ctx, in, c)
}

func (t *defined[In, Out]) Equivalent(a, b *Call) bool {
	if t.def.Equivalent == nil {
		return false
	}
	x, err := t.in(a)
	if err != nil {
		return false
	}
	y, err := t.in(b)
	return err == nil && t.def.Equivalent(x, y)
}

// compares reports whether Equivalent may be true. A wrapper does not have this method: it
// is asked about each call.
func (t *defined[In, Out]) compares() bool { return t.def.Equivalent != nil }

func (t *defined[In, Out]) ClassifierInput(c *Call) string {
	if t.def.ClassifierInput == nil {
		return ""
	}
	in, err := t.in(c)
	if err != nil {
		return ""
	}
	return t.def.ClassifierInput(in, c)
}

func (t *defined[In, Out]) Call(ctx context.Context, c *Call) (*Result, error) {
	if t.def.ExternalResult {
		return c.awaitResult(ctx, t.decodeOutput)
	}
	in, err := t.in(c)
	if err != nil {
		return nil, err
	}
	out, err := t.def.Call(ctx, in, c)
	if err != nil && isZero(out) {
		return nil, err
	}
	r, unmapped := t.resultOf(out)
	if err == nil {
		err = unmapped
	}
	return r, err
}

// resultOf maps an output to a result for the model.
func (t *defined[In, Out]) resultOf(out Out) (*Result, error) {
	if t.def.Result != nil {
		return withData(t.def.Result(out), out), nil
	}
	return resultOf(out)
}

// decodeOutput implements [Tool]. It reads output strictly, as [ExternalResult] says. A given
// OutputSchema describes the result of the Definition's Result, if both are set, and not output.
func (t *defined[In, Out]) decodeOutput(output json.RawMessage) (mapped func() (*Result, error), err error) {
	v, err := strictjson.Decode(output, strictjson.Limits{})
	if err == nil && (t.def.Result == nil || len(t.def.OutputSchema) == 0) {
		err = t.out.validate(v)
	}
	if err != nil {
		return nil, err
	}
	if reflect.TypeFor[Out]() == reflect.TypeFor[*Result]() {
		data := slices.Clone(output)
		return func() (*Result, error) { return newTextResult(string(data), data), nil }, nil
	}
	out := new(Out)
	if err := goroutine.Try(func() error { return decodeStrictly(v, output, out) }); err != nil {
		return nil, err
	}
	return func() (*Result, error) { return t.resultOf(*out) }, nil
}

// isZero is a separate function so that out does not escape when Call succeeds.
func isZero[Out any](out Out) bool { return reflect.ValueOf(&out).Elem().IsZero() }

func (t *defined[In, Out]) input() *inputSpec { return t.spec }

func (t *defined[In, Out]) output() *outputSpec { return t.out }

// constant reports whether the tool's declaration is the same in every session. A wrapper
// does not have this method: it is asked in each session.
func (t *defined[In, Out]) constant() bool { return t.def.Enabled == nil && t.def.Prompt == nil }

// in returns the decoded input of c.
func (t *defined[In, Out]) in(c *Call) (In, error) {
	v, err := c.input(t.spec)
	if err != nil {
		var zero In
		return zero, err
	}
	in, ok := v.(*In)
	if !ok {
		var zero In
		return zero, errNoInput
	}
	return *in, nil
}
