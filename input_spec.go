package pegboard

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// An inputSpec decodes the input of one tool. Build and Bind make it.
type inputSpec struct {
	schema   *schema.Schema                                        // of what the model sends
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
