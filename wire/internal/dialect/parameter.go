package dialect

import "github.com/seed49eaa51d/pegboard/internal/jsonobject"

// checkParameters refuses names of parameters, which are the properties of the root.
// Anthropic's Messages API accepts 1 to 64 letters, digits, _, . and -. The Gemini API
// accepts letters, digits and _, and no digit at the start (Google's Go SDK,
// FunctionDeclaration).
func checkParameters(root *jsonobject.Tree, to Dialect) error {
	for name := range root.Child("properties").All() {
		switch to {
		case Anthropic, AnthropicStrict:
			if !fits(name, '.', '-') {
				return &RefusalError{At: name, Reason: "the name of a parameter is 1 to 64 letters, digits, _, . and -"}
			}
		case GeminiSchema, GeminiJSON:
			if !fits(name) || !letter(name[0]) {
				return &RefusalError{At: name, Reason: "the name of a parameter is 1 to 64 letters, digits and _, a digit not first"}
			}
		}
	}
	return nil
}

// fits reports whether name has 1 to 64 letters, digits, _ and others.
func fits(name string, others ...byte) bool {
	for i := range len(name) {
		c := name[i]
		ok := letter(c) || c >= '0' && c <= '9'
		for _, other := range others {
			ok = ok || c == other
		}
		if !ok {
			return false
		}
	}
	return name != "" && len(name) <= 64
}
