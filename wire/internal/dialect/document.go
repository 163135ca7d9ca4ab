package dialect

import (
	"encoding/json"
	"errors"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

const (
	// maxBytes and maxLevels are what local validation compiles, and a little more.
	maxBytes  = 2 << 20
	maxLevels = 200
)

// decode reads a document.
func decode(raw json.RawMessage) (*jsonobject.Tree, error) {
	if len(raw) > maxBytes {
		return nil, &RefusalError{Reason: "the schema is too large"}
	}
	v, err := jsonobject.Decode(raw, maxLevels)
	doc, isObject := v.(*jsonobject.Tree)
	switch {
	case errors.Is(err, jsonobject.ErrTooDeep):
		return nil, &RefusalError{Reason: "the schema is nested too deeply"}
	case errors.Is(err, jsonobject.ErrRepeatedKey):
		return nil, &RefusalError{Reason: "the schema repeats a key in an object"}
	case err != nil:
		return nil, &RefusalError{Reason: "the schema is not JSON"}
	case !isObject:
		return nil, &RefusalError{Reason: "the schema is not a JSON object"}
	}
	return doc, nil
}

// stringsOf returns the strings of a list, each once, in their order.
func stringsOf(list []any) (all []string) {
	seen := map[string]bool{}
	for _, v := range list {
		if s, ok := v.(string); ok && !seen[s] {
			seen[s] = true
			all = append(all, s)
		}
	}
	return all
}

// anyOf is the list of some strings.
func anyOf(all []string) []any {
	list := make([]any, len(all))
	for i, s := range all {
		list[i] = s
	}
	return list
}
