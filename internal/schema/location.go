package schema

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// locate follows a location, as the validator writes it, from root. It returns
// the path for a message and the value there. It stops where there is no way on.
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

// unescape undoes the escapes of one part of a location.
func unescape(token string) string {
	if plain, err := url.PathUnescape(token); err == nil {
		token = plain
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

// An aspect is what of a value a schema is applied to.
type aspect int

const (
	aspectValue   aspect = iota // the value itself
	aspectName                  // the name of a property
	aspectContent               // what a string holds in encoded form
)

// aspectOf reads the keywords on the way to a schema. In a location names and
// indexes stand between them.
func aspectOf(location string) aspect {
	tokens := strings.Split(strings.TrimPrefix(location, "/"), "/")
	for i := 0; i < len(tokens); i++ {
		switch tokens[i] {
		case "properties", "patternProperties", "dependentSchemas", "dependencies":
			i++ // a name, whatever it says
		case "propertyNames":
			return aspectName
		case "contentSchema":
			return aspectContent
		}
	}
	return aspectValue
}
