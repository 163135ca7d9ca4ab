package pegboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

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

// schema returns the schema, or nil if there is none.
func (s *outputSpec) schema() json.RawMessage {
	if s == nil {
		return nil
	}
	return s.bytes()
}

// check returns what is wrong with the data of a successful result. A schema that was
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

// validate returns what is wrong with decoded JSON.
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
