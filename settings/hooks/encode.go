package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// encode returns v as JSON, in which the characters <, > and & are left as they are. A method
// of v that panics is an error.
func encode(v any) (text json.RawMessage, err error) {
	crash := goroutine.Try(func() error {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		err = e.Encode(v)
		text = bytes.TrimRight(b.Bytes(), "\n")
		return nil
	})
	if crash != nil {
		return nil, fmt.Errorf("encode it as JSON: %w", crash)
	}
	return text, err
}

// decodeExact decodes JSON without a loss of digits.
func decodeExact(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, errors.New("there is more than one value")
	}
	return v, nil
}
