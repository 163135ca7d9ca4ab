package pegboard

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// An inputSpec decodes the input of one tool. Build and Bind make it.
type inputSpec struct {
	schema   *schema.Schema                                        // of the model's input
	typed    func(raw json.RawMessage, accepted bool) (any, error) // accepted: the result of schema.Accepts
	bound    *boundInput                                           // set by Bind, in place of typed
	examples []json.RawMessage

	observe func(in any, c *Call) map[string]any // nil if the definition has none
}

// decode reads raw once, strictly, in a session that may be nil. Rules, hooks and the tool
// all see the result.
func (s *inputSpec) decode(raw json.RawMessage, in *Session) (any, error) {
	if len(bytes.Trim(raw, " \t\r\n")) == 0 {
		raw = json.RawMessage("{}")
	}
	accepted, err := s.check(raw)
	if err != nil {
		return nil, err
	}
	if s.bound != nil {
		return s.bound.decode(raw, in)
	}
	decoded, err := s.typed(raw, accepted)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalidInput, err)
	}
	return decoded, nil
}

// check holds raw against the schema. Accepted is the result of schema.Accepts.
func (s *inputSpec) check(raw json.RawMessage) (accepted bool, err error) {
	if s.schema.Accepts(raw) {
		return true, nil
	}
	v, err := strictjson.Decode(raw, strictjson.Limits{})
	if err == nil {
		err = s.schema.Validate(v)
	}
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrInvalidInput, err)
	}
	return false, nil
}

// sameJSON reports whether two valid texts are the same value, whatever the order of their
// keys, their space and their escapes. 1 and 1.0 are different.
func sameJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, err := strictjson.Decode(a, strictjson.Limits{})
	y, err2 := strictjson.Decode(b, strictjson.Limits{})
	return err == nil && err2 == nil && reflect.DeepEqual(x, y)
}

// typeError words an error of encoding/json for the model. The texts and paths of
// encoding/json differ between releases of Go, so they are not used.
func typeError(codec *schema.Codec, raw json.RawMessage, err error) error {
	path, fault := codec.Fault(raw)
	if fault != nil {
		err = fault
	}
	var corrupt base64.CorruptInputError
	if errors.As(err, &corrupt) {
		return schema.NewInvalid(path, "a text is not valid base64; encode it again")
	}
	if fault != nil {
		return schema.NewInvalid(path, leafErrorText(err))
	}
	var te *json.UnmarshalTypeError
	if !errors.As(err, &te) {
		return schema.NewInvalid(path, err.Error())
	}
	return schema.NewInvalid(strictjson.PathAt(raw, int(te.Offset)), leafErrorText(te))
}

// leafErrorText words the error of a type that decodes itself.
func leafErrorText(err error) string {
	var te *json.UnmarshalTypeError
	if errors.As(err, &te) {
		return fmt.Sprintf("%s does not fit into %s; send a smaller or plainer value", te.Value, te.Type)
	}
	return err.Error()
}

// orEmptyObject returns {} for blank input, and other input as it is.
func orEmptyObject(input json.RawMessage) json.RawMessage {
	if len(bytes.TrimSpace(input)) == 0 {
		return json.RawMessage("{}")
	}
	return input
}

// observed implements [Call.Observed].
func (s *inputSpec) observed(c *Call) (json.RawMessage, error) {
	input := orEmptyObject(slices.Clone(c.Input))
	filled, err := jsonobject.Parse(input)
	if err != nil {
		return input, nil //nolint:nilerr // what is no object has no properties
	}
	changed := false
	set := func(name string, value json.RawMessage) {
		if !bytes.Equal(filled.Get(name), value) {
			filled.Set(name, value)
			changed = true
		}
	}
	text := func() json.RawMessage {
		if changed {
			return filled.Encode()
		}
		return input
	}
	defaults := s.schema.Defaults()
	for _, name := range slices.Sorted(maps.Keys(defaults)) {
		if filled.Get(name) == nil {
			set(name, defaults[name])
		}
	}
	if s.observe == nil {
		return text(), nil
	}
	added, err := s.added(c)
	if err != nil {
		return text(), err
	}
	for _, m := range added {
		set(m.Name, m.Value)
	}
	return text(), nil
}

// added returns what Observe adds to the input of c, in order. It decodes the input anew, since
// the tool may be changing its own copy.
func (s *inputSpec) added(c *Call) (added jsonobject.Object, err error) {
	own := c.copied()
	if own.decoded, err = s.decode(c.Input, c.Session()); err != nil {
		return nil, err
	}
	err = goroutine.Try(func() error {
		properties := s.observe(own.decoded, own)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if value, ok := properties[name].(string); ok {
				added.Set(name, jsonobject.Quote(value))
				continue
			}
			value, err := json.Marshal(properties[name])
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			added.Set(name, value)
		}
		return nil
	})
	return added, err
}

// An outputSpec says what JSON the output of one tool is. Build makes it. A nil outputSpec
// says nothing.
type outputSpec struct {
	bytes    func() json.RawMessage // canonical
	compiled func() (*schema.Schema, error)
	shown    bool                // the text for the model is the output as JSON
	fits     func(data any) bool // the encoder makes JSON of data that the schema accepts; nil if the schema was given
}

// derivedOutput returns the spec of an output type, or nil if the type does not tell. The
// schema is derived when it is first needed.
func derivedOutput[Out any](shown bool) *outputSpec {
	t := reflect.TypeFor[Out]()
	k := t
	for k.Kind() == reflect.Pointer && k.Name() == "" {
		k = k.Elem()
	}
	if k == reflect.TypeFor[Result]() || k.Kind() != reflect.Struct && k.Kind() != reflect.Map {
		return nil
	}
	s := &outputSpec{shown: shown, bytes: sync.OnceValue(func() json.RawMessage { return schema.ReflectOutput(t) })}
	s.compiled = sync.OnceValues(func() (*schema.Schema, error) { return schema.CompileOutput(s.bytes()) })
	s.fits = func(data any) bool { _, ok := data.(Out); return ok }
	return s
}

// givenOutput returns the spec of a schema that is data.
func givenOutput(raw json.RawMessage, shown bool) (*outputSpec, error) {
	compiled, err := schema.CompileOutput(raw)
	if err != nil {
		return nil, err
	}
	return &outputSpec{
		shown: shown, bytes: compiled.Bytes,
		compiled: func() (*schema.Schema, error) { return compiled, nil },
	}, nil
}

// schema returns the schema, or nil without one.
func (s *outputSpec) schema() json.RawMessage {
	if s == nil {
		return nil
	}
	return s.bytes()
}

// check checks the data of a successful result with the schema. A schema that was
// derived requires no data: a wrapper may answer in the tool's place.
func (s *outputSpec) check(data any) error {
	if s == nil || s.fits != nil && (data == nil || s.fits(data)) || s.schema() == nil {
		return nil
	}
	if data == nil {
		return errors.New("the result has no data")
	}
	var text json.RawMessage
	if err := goroutine.Try(func() (err error) { text, err = json.Marshal(data); return err }); err != nil {
		return fmt.Errorf("encode the data: %w", err)
	}
	v, err := strictjson.Decode(text, strictjson.Limits{})
	if err != nil {
		return err
	}
	return s.validate(v)
}

// validate checks decoded JSON with the schema.
func (s *outputSpec) validate(v any) error {
	if s.schema() == nil {
		return nil
	}
	compiled, err := s.compiled()
	if err != nil {
		return err
	}
	return compiled.Validate(v)
}
