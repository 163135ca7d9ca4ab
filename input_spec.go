package pegboard

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// An inputSpec decodes the input of one tool. Build makes it.
type inputSpec struct {
	schema *schema.Schema
	typed  func(raw json.RawMessage, accepted bool) (any, error) // accepted: the result of schema.Accepts
}

// decode reads raw once, strictly. Rules, hooks and the tool all see the result.
func (s *inputSpec) decode(raw json.RawMessage) (any, error) {
	if len(bytes.Trim(raw, " \t\r\n")) == 0 {
		raw = json.RawMessage("{}")
	}
	accepted := s.schema.Accepts(raw)
	if !accepted {
		v, err := strictjson.Decode(raw, strictjson.Limits{})
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrInvalidInput, err)
		}
		if err := s.schema.Validate(v); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrInvalidInput, err)
		}
	}
	in, err := s.typed(raw, accepted)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalidInput, err)
	}
	return in, nil
}

// typeErrorText words an error of encoding/json for the model. The texts and paths of
// encoding/json differ between releases of Go, so they are not used.
func typeErrorText(codec *schema.Codec, raw json.RawMessage, err error) string {
	path, fault := codec.Fault(raw)
	if fault != nil {
		err = fault
	}
	if path != "" {
		path += ": "
	}
	var corrupt base64.CorruptInputError
	if errors.As(err, &corrupt) {
		return path + "a text is not valid base64; encode it again"
	}
	if fault != nil {
		return path + leafErrorText(err)
	}
	var te *json.UnmarshalTypeError
	if !errors.As(err, &te) {
		return err.Error()
	}
	text := leafErrorText(te)
	if path := strictjson.PathAt(raw, int(te.Offset)); path != "" {
		return path + ": " + text
	}
	return text
}

// leafErrorText words the error of a type that decodes itself.
func leafErrorText(err error) string {
	var te *json.UnmarshalTypeError
	if errors.As(err, &te) {
		return fmt.Sprintf("%s does not fit into %s; send a smaller or plainer value", te.Value, te.Type)
	}
	return err.Error()
}
