// Package textcall finds calls that a model wrote into the text of its reply instead of
// making them in the form of the API, as weaker models and servers without a parser for
// their model do.
//
// These forms are recognised. NAME is the name of a tool in the API.
//
//   - <invoke name="NAME"><parameter name="KEY">VALUE</parameter></invoke>, also several of
//     them and in <function_calls>
//   - <tool_call>JSON</tool_call>, also as <function_call> or <tools>, and
//     <function=NAME><parameter=KEY>VALUE</parameter></function> in it or alone
//   - [TOOL_CALLS] with JSON, or with NAME[ARGS]JSON
//   - <|python_tag|> with JSON
//   - JSON that is the whole text, or a fenced block of Markdown at its end
//
// JSON is one object or several, or an array of objects, each with the member "name" or
// "function" and one of "arguments", "parameters", "input" and "args", and no others but
// "id" and "type".
//
// Prose that talks of calls must not become one. So calls are found only at the end of a
// text, in forms with tags at the beginning of a line and outside of fenced blocks. All of
// them must name tools of the request, and no call may stand before them in the text.
// Nothing is repaired: text that does not match a form exactly stays text.
package textcall

import (
	"encoding/json"
	"strings"
)

// A Call is a call that a model wrote.
type Call struct {
	Name  string          // in the API
	Input json.RawMessage // as the model wrote it, or made of its parameters
}

// Tools are the tools of a request. It returns the input schema of one, with the names of
// parameters that the API uses, and whether the request has it.
type Tools func(api string) (schema json.RawMessage, ok bool)

const (
	maxText  = 1 << 20 // bytes of a text that is searched
	maxCalls = 128
	maxTries = 64  // places in a text where a call may begin
	maxParts = 256 // parameters of a call
)

// Find returns the calls at the end of a text, or nil.
func Find(text string, tools Tools) []Call {
	text = strings.TrimSpace(text)
	if len(text) > maxText || !mayHaveCalls(text) {
		return nil
	}
	f := finder{text: text, tools: tools}
	calls, ok := f.whole()
	if !ok {
		calls, ok = f.fenced()
	}
	if !ok {
		calls, ok = f.tagged()
	}
	if !ok || len(calls) == 0 || len(calls) > maxCalls {
		return nil
	}
	return calls
}

// mayHaveCalls reports whether a text has anything of a call. Most have not.
func mayHaveCalls(text string) bool {
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") || strings.HasSuffix(text, fence) {
		return true
	}
	for _, open := range openings() {
		if strings.Contains(text, open) {
			return true
		}
	}
	return false
}
