package schema

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// locate follows a location, in the validator's form, from root. It returns the path for a
// message and the value at that path. It stops where it cannot follow the location.
func locate(root any, location string) (path string, v any) {
	v = root
	for location != "" {
		var token string
		token, location, _ = strings.Cut(location[1:], "/")
		if location != "" {
			location = "/" + location
		}
		token = unescape(token)
		switch parent := v.(type) {
		case map[string]any:
			child, ok := parent[token]
			if !ok {
				return path, v
			}
			path, v = strictjson.AppendKey(path, token), child
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(parent) {
				return path, v
			}
			path, v = strictjson.AppendIndex(path, i), parent[i]
		default:
			return path, v
		}
	}
	return path, v
}

// unescape decodes the escapes in one part of a location.
func unescape(token string) string {
	if plain, err := url.PathUnescape(token); err == nil {
		token = plain
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

// An aspect is the part of a value to which a schema is applied.
type aspect int

const (
	aspectValue   aspect = iota // the value itself
	aspectName                  // the name of a property
	aspectContent               // the encoded content of a string
)

// aspectOf returns the aspect of the schema at a keyword location. In a location, names and
// indexes stand between the keywords.
func aspectOf(location string) aspect {
	tokens := strings.Split(strings.TrimPrefix(location, "/"), "/")
	for i := 0; i < len(tokens); i++ {
		switch tokens[i] {
		case "properties", "patternProperties", "dependentSchemas", "dependencies":
			i++ // the next token is a name
		case "propertyNames":
			return aspectName
		case "contentSchema":
			return aspectContent
		}
	}
	return aspectValue
}
