package agents

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/frontmatter"
)

// A jsonValue is a value of a definition in JSON, as package strictjson decodes it. It is a
// fieldValue, and as lenient as the values of files.
type jsonValue struct {
	any
}

// Text returns the text of a string, a number, true or false. That of null is empty.
func (v jsonValue) Text() (string, error) {
	switch value := v.any.(type) {
	case nil:
		return "", nil
	case string:
		return value, nil
	case json.Number:
		return value.String(), nil
	case bool:
		return strconv.FormatBool(value), nil
	}
	return "", v.wrong("a string")
}

// Bool returns a value that is true or false. Null is false.
func (v jsonValue) Bool() (bool, error) {
	switch value := v.any.(type) {
	case nil:
		return false, nil
	case bool:
		return value, nil
	}
	return false, v.wrong("true or false")
}

// Int returns a whole number. Null is 0.
func (v jsonValue) Int() (int, error) {
	switch value := v.any.(type) {
	case nil:
		return 0, nil
	case json.Number:
		if n, err := strconv.Atoi(value.String()); err == nil {
			return n, nil
		}
	}
	return 0, v.wrong("a whole number")
}

// List returns the strings of a list, or the items of a string.
func (v jsonValue) List() ([]string, error) {
	switch value := v.any.(type) {
	case nil:
		return nil, nil
	case string:
		return frontmatter.SplitList(value), nil
	case []any:
		all := make([]string, 0, len(value))
		for _, element := range value {
			text, ok := element.(string)
			if !ok {
				return nil, (jsonValue{element}).wrong("a list of strings")
			}
			if text = strings.TrimSpace(text); text != "" {
				all = append(all, text)
			}
		}
		return all, nil
	}
	return nil, v.wrong("a list of strings")
}

// JSON returns the value as JSON.
func (v jsonValue) JSON() (json.RawMessage, error) { return json.Marshal(v.any) }

// wrong returns the error of a value of another type than want.
func (v jsonValue) wrong(want string) error {
	kind := "null"
	switch value := v.any.(type) {
	case string:
		kind = "a string"
	case json.Number:
		kind = "the number " + value.String()
	case bool:
		kind = strconv.FormatBool(value)
	case []any:
		kind = "a list"
	case map[string]any:
		kind = "an object"
	}
	return fmt.Errorf("there is %s; write %s", kind, want)
}
