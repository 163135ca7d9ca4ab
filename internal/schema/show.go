package schema

import (
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// show returns the JSON text of a value for a message, cut to about 80 characters.
func show(v any) string {
	switch v := v.(type) {
	case string:
		return strictjson.Quote(v)
	case json.Number:
		return strictjson.Cut(string(v))
	case map[string]any, []any:
		text, err := json.Marshal(v)
		if err != nil {
			return typeOf(v)
		}
		return strictjson.Cut(string(text))
	case bool:
		return strconv.FormatBool(v)
	default:
		return "null"
	}
}

// describe returns the type of v, with the value if that is a scalar.
func describe(v any) string {
	switch v.(type) {
	case string, json.Number, bool:
		return typeOf(v) + " " + show(v)
	default:
		return typeOf(v)
	}
}

func typeOf(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case json.Number:
		return "number"
	case bool:
		return "boolean"
	case map[string]any:
		return "object"
	case []any:
		return "array"
	default:
		return "null"
	}
}

// showNumber returns the text of a bound in a schema.
func showNumber(r *big.Rat) string {
	if r.IsInt() {
		return strictjson.Cut(r.Num().String())
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// maxListed is the maximum number of choices that a message lists.
const maxListed = 20

// listValues returns the text of the values of an enum.
func listValues(values []any) string {
	shown := make([]string, 0, maxListed)
	for _, v := range values[:min(len(values), maxListed)] {
		shown = append(shown, show(v))
	}
	return strings.Join(shown, ", ") + andMore(len(values))
}

// listNames returns the text of names in alphabetical order.
func listNames(names []string) string {
	names = slices.Sorted(slices.Values(names))
	shown := make([]string, 0, maxListed)
	for _, n := range names[:min(len(names), maxListed)] {
		shown = append(shown, strictjson.Quote(n))
	}
	return strings.Join(shown, ", ") + andMore(len(names))
}

func andMore(count int) string {
	if count <= maxListed {
		return ""
	}
	return " and " + strconv.Itoa(count-maxListed) + " more"
}

// count returns the text of an amount, such as "1 item" or "2 items".
func count(n int, noun string) string {
	text := strconv.Itoa(n) + " " + noun
	switch {
	case n == 1:
		return text
	case strings.HasSuffix(noun, "y"):
		return strings.TrimSuffix(text, "y") + "ies"
	default:
		return text + "s"
	}
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
