package dialect

import (
	"encoding/json"
	"errors"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

const (
	// maxBytes and maxLevels are a little above the limits of the package internal/schema.
	maxBytes  = 2 << 20
	maxLevels = 200
)

// decode decodes a schema.
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

// stringsOf returns the strings in a list, each once, in their order.
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

// anyOf returns the strings as a list of values.
func anyOf(all []string) []any {
	list := make([]any, len(all))
	for i, s := range all {
		list[i] = s
	}
	return list
}

func isTrue(o *jsonobject.Tree, name string) bool { v, _ := o.Get(name); return v == true }

// typesOf returns the types that the schema o allows by its keyword type.
func typesOf(o *jsonobject.Tree) []string {
	if list := o.List("type"); list != nil {
		return stringsOf(list)
	}
	if t := o.Text("type"); t != "" {
		return []string{t}
	}
	return typeNames
}
