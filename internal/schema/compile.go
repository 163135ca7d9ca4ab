package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

const (
	// maxBytes is the maximum length of a schema.
	maxBytes = 1 << 20
	// maxParts is the maximum number of objects and booleans in a schema. The time to
	// compile draft 2020-12 is quadratic in this number: 5000 take about a second. Schemas
	// of real tools have a few dozen.
	maxParts = 5000
)

// baseURL is the base of references inside a schema. It names no resource, and messages do
// not contain it.
const baseURL = "pegboard:///"

// Compile returns the schema in raw: a JSON object that can describe an object, of at most
// 1 MiB and with at most 5000 objects and booleans. It is read as draft 2020-12 unless its
// $schema names another. A pattern that Go's regular expressions lack, such as one with
// look-ahead, is matched by backtracking. Compile loads nothing: a reference to another document is an error
// that names it. The error is a *[RefusalError].
func Compile(raw json.RawMessage) (*Schema, error) {
	doc, err := read(raw)
	if err == nil {
		err = checkRootType(doc["type"])
	}
	if err != nil {
		return nil, err
	}
	return compileDocument(doc, raw)
}

// CompileOutput is Compile for the schema of an output, which may be any value.
func CompileOutput(raw json.RawMessage) (*Schema, error) {
	doc, err := read(raw)
	if err != nil {
		return nil, err
	}
	return compileDocument(doc, raw)
}

func compileDocument(doc map[string]any, raw json.RawMessage) (*Schema, error) {
	canonical, err := strictjson.Canonical(raw)
	if err != nil {
		return nil, &RefusalError{Reason: NotJSON, Err: err}
	}
	compiled := canonical
	var budget *foreignBudget
	if copied, found := setForeignAside(doc); found {
		if compiled, err = json.Marshal(copied); err != nil {
			return nil, &RefusalError{Reason: NotJSON, Err: err}
		}
		doc, budget = copied, &foreignBudget{}
	}
	if err := checkOldItems(doc); err != nil {
		return nil, err
	}
	root, err := compile(doc, compiled, budget)
	if err != nil {
		return nil, err
	}
	return &Schema{
		raw: canonical, root: root, applicable: applicableOf(root), acceptor: acceptorOf(root),
		foreign: budget, defaults: defaultsOf(doc),
	}, nil
}

// read decodes a schema and makes the checks that do not need the compiler.
func read(raw json.RawMessage) (map[string]any, error) {
	v, err := strictjson.Decode(raw, strictjson.Limits{Bytes: maxBytes})
	var limit *strictjson.LimitError
	switch {
	case errors.As(err, &limit):
		return nil, &RefusalError{Reason: TooLarge, Err: err}
	case err != nil:
		return nil, &RefusalError{Reason: NotJSON, Err: err}
	}
	doc, ok := v.(map[string]any)
	if !ok {
		return nil, &RefusalError{Reason: NotObject, Err: fmt.Errorf("want a JSON object, got %s", describe(v))}
	}
	if parts(doc) > maxParts {
		return nil, &RefusalError{Reason: TooLarge, Err: fmt.Errorf("it holds more than %d objects and booleans", maxParts)}
	}
	if p, found := longNumber(doc); found {
		return nil, &RefusalError{Reason: NotSchema, Err: errors.New(p.String())}
	}
	return doc, nil
}

// parts counts the values under v that may be schemas.
func parts(v any) int {
	n := 0
	switch v := v.(type) {
	case bool:
		n++
	case map[string]any:
		n++
		for _, value := range v {
			n += parts(value)
		}
	case []any:
		for _, item := range v {
			n += parts(item)
		}
	}
	return n
}

// checkRootType refuses schemas that accept no object. It leaves invalid types to the
// compiler.
func checkRootType(t any) error {
	switch t := t.(type) {
	case string:
		if t == "object" {
			return nil
		}
	case []any:
		if len(t) == 0 || slices.Contains(t, any("object")) {
			return nil
		}
	default:
		return nil
	}
	return &RefusalError{
		Reason: NotObject,
		Err:    fmt.Errorf("a tool's input is an object, the root has type %s", show(t)),
	}
}

func compile(doc map[string]any, text []byte, budget *foreignBudget) (*jsonschema.Schema, error) {
	var wanted string // the URL that the compiler tried to load
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	if budget != nil {
		c.RegisterExtension(foreignKey, nil, foreignCompiler{time: budget})
	}
	c.LoadURL = func(url string) (io.ReadCloser, error) {
		wanted = url
		return nil, errors.New("nothing is loaded")
	}
	var root *jsonschema.Schema
	// The compiler panics on some documents that are not schemas.
	err := goroutine.Try(func() error {
		if err := c.AddResource(baseURL, bytes.NewReader(text)); err != nil {
			return err
		}
		var err error
		root, err = c.Compile(baseURL)
		return err
	})
	switch {
	case err == nil:
		return root, nil
	case wanted != "":
		return nil, refuseLoading(doc, wanted)
	default:
		return nil, refuse(doc, err)
	}
}

func refuseLoading(doc map[string]any, url string) error {
	if dialect, _ := doc["$schema"].(string); withoutFragment(dialect) == withoutFragment(url) {
		return &RefusalError{
			Reason: UnknownDialect,
			Err:    fmt.Errorf("$schema names %s, which is no known draft; use draft 2020-12", strictjson.Quote(dialect)),
		}
	}
	return &RefusalError{
		Reason: ExternalReference,
		Err: fmt.Errorf("it refers to %s, another document, and nothing is loaded; put the definition under $defs",
			strictjson.Quote(withoutBase(url))),
	}
}

// refuse classifies an error of the compiler. Most of its errors have no type.
func refuse(doc map[string]any, err error) error {
	var panicked *goroutine.PanicError
	var invalid *jsonschema.ValidationError
	var loop jsonschema.InfiniteLoopError
	switch {
	case errors.As(err, &panicked):
		return &RefusalError{Reason: NotSchema, Err: errors.New("a keyword has a value that cannot be compiled")}
	case errors.As(err, &invalid):
		return refuseInvalid(doc, invalid)
	case errors.As(err, &loop):
		return &RefusalError{Reason: EndlessReference, Err: errors.New("a $ref leads back to itself without a property or item between")}
	}
	text := err.Error()
	var failed *jsonschema.SchemaError
	if errors.As(err, &failed) {
		text = failed.Err.Error()
	}
	text = withoutBase(strings.TrimPrefix(text, "jsonschema: "))
	if ref, ok := strings.CutSuffix(text, " not found"); ok {
		return &RefusalError{Reason: UnknownReference, Err: fmt.Errorf("it refers to %s, which it does not define", strictjson.Quote(ref))}
	}
	return &RefusalError{Reason: NotSchema, Err: errors.New(text)}
}

func withoutFragment(url string) string {
	before, _, _ := strings.Cut(url, "#")
	return before
}

func withoutBase(text string) string { return strings.ReplaceAll(text, baseURL, "") }

// A Reason is the reason for which [Compile] refuses a schema.
type Reason string

// The reasons.
const (
	NotJSON           Reason = "is not JSON"
	TooLarge          Reason = "is too large"
	NotObject         Reason = "cannot describe an object"
	NotSchema         Reason = "is not a valid JSON Schema"
	UnknownDialect    Reason = "is of an unknown dialect"
	ExternalReference Reason = "refers to another document"
	UnknownReference  Reason = "refers to what it does not define"
	EndlessReference  Reason = "refers to itself without end"
)

// A RefusalError is the refusal of a schema.
type RefusalError struct {
	Reason Reason
	Err    error // the details
}

// Error returns the reason and the details.
func (e *RefusalError) Error() string { return "the schema " + string(e.Reason) + ": " + e.Err.Error() }

// Unwrap returns the details.
func (e *RefusalError) Unwrap() error { return e.Err }
