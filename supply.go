package pegboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// A Supply is the outcome of a call that the host has executed: what a tool's Call would
// have returned. Either Output or Result is set, or only Err.
type Supply struct {
	// Output is the output as encoding/json writes values of the tool's output type. It is
	// held against the output schema and read strictly: other properties, a missing value and
	// duplicate keys are errors. The Definition's Result maps it for the model. Of a tool with
	// the output type *Result, such as those of [BuildRaw], it is the text for the model, and
	// Result.Data as a json.RawMessage; without an output schema any JSON is accepted.
	Output json.RawMessage
	// Result is the result for the model as it is. It must not be changed afterwards.
	Result *Result
	// Err says why the call failed, in words for the model. An Output or Result beside it is
	// a partial one. With [ErrDeferred] the call is answered later, by [Executor.Supply],
	// perhaps of another process.
	Err error
}

// supplied is a Supply that was checked.
type supplied struct {
	mapped func() (*Result, error)
	err    error
}

// check checks s with the tool's decodeOutput. The errors are for the host.
func (s Supply) check(decode func(json.RawMessage) (func() (*Result, error), error)) (supplied, error) {
	switch {
	case s.Output == nil && s.Result == nil && s.Err == nil:
		return supplied{}, fmt.Errorf("%w: nothing is supplied; set Output, Result or Err", ErrInvalidOutput)
	case s.Output != nil && s.Result != nil:
		return supplied{}, fmt.Errorf("%w: both Output and Result are set; use one of them", ErrInvalidOutput)
	case s.Output == nil:
		return supplied{func() (*Result, error) { return s.Result, nil }, s.Err}, nil
	}
	mapped, err := decode(s.Output)
	if err != nil {
		return supplied{}, fmt.Errorf("%w: %w", ErrInvalidOutput, err)
	}
	return supplied{mapped, s.Err}, nil
}

// outcome returns what the tool's Call returns.
func (s supplied) outcome() (*Result, error) {
	r, err := s.mapped()
	if s.err != nil {
		err = s.err
	}
	return r, err
}

// decodeStrictly decodes output, which is v when decoded without a type, into out.
func decodeStrictly(v any, output json.RawMessage, out any) error {
	if v == nil {
		switch t := reflect.TypeOf(out).Elem(); t.Kind() {
		case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Slice:
		default:
			return fmt.Errorf("null is no %v", t)
		}
	}
	d := json.NewDecoder(strings.NewReader(string(output)))
	d.DisallowUnknownFields()
	var te *json.UnmarshalTypeError
	err := d.Decode(out)
	if errors.As(err, &te) && te.Field != "" {
		return fmt.Errorf("%s: %s is no %v", te.Field, te.Value, te.Type)
	}
	return err
}
