package hooks

import (
	"bytes"
	"encoding/json"
	"strings"
)

// A refusal holds the parts that block in an answer that is not one whole object: it has two
// objects, was cut, has another member that is wrong, or begins with a line that a shell printed.
// A hook that printed "deny" there did not mean that the call runs.
type refusal struct {
	blocks bool // a decision that blocks
	no     bool // "ok": false, which is how a model blocks
	stops  bool // "continue": false
	reason string
}

// maxStarts is how many braces in a text are tried as the beginning of an object.
const maxStarts = 1000

// findRefusal reads all objects in a text, each as far as it is JSON. A brace that begins none
// is skipped.
func findRefusal(text []byte) (found refusal) {
	for range maxStarts {
		start := bytes.IndexByte(text, '{')
		if start < 0 {
			break
		}
		text = text[start:]
		d := json.NewDecoder(bytes.NewReader(text))
		w := refusalWalk{tokens: d, found: &found}
		for w.value("", 0) {
		}
		text = text[max(d.InputOffset(), 1):]
	}
	return found
}

// maxDepth is how deep a refusalWalk goes. An answer needs three levels.
const maxDepth = 100

// A refusalWalk reads JSON token by token, so that the beginning of a document counts.
type refusalWalk struct {
	tokens *json.Decoder
	found  *refusal
}

// value reads the value of the member at path, and reports whether the text goes on.
func (w refusalWalk) value(path string, depth int) bool {
	token, err := w.tokens.Token()
	if err != nil || depth > maxDepth {
		return false
	}
	switch token {
	case json.Delim('{'):
		return w.object(path, depth)
	case json.Delim('['):
		for w.tokens.More() {
			if !w.value(path+"[]", depth+1) {
				return false
			}
		}
		_, err := w.tokens.Token()
		return err == nil
	}
	w.note(path, token)
	return true
}

func (w refusalWalk) object(path string, depth int) bool {
	for w.tokens.More() {
		name, err := w.tokens.Token()
		if err != nil {
			return false
		}
		key, _ := name.(string)
		if !w.value(path+"."+key, depth+1) {
			return false
		}
	}
	_, err := w.tokens.Token()
	return err == nil
}

// note looks at one value.
func (w refusalWalk) note(path string, value json.Token) {
	word, _ := value.(string)
	word = strings.ToLower(strings.TrimSpace(word))
	switch path {
	case ".hookSpecificOutput.permissionDecision", ".hookSpecificOutput.decision.behavior", ".decision", ".permissionDecision", ".decision.behavior":
		w.found.blocks = w.found.blocks || word == "deny" || word == "block"
	case ".ok":
		w.found.no = w.found.no || value == false
	case ".continue":
		w.found.stops = w.found.stops || value == false
	case ".hookSpecificOutput.permissionDecisionReason", ".permissionDecisionReason", ".hookSpecificOutput.decision.message", ".reason":
		if text, ok := value.(string); ok && w.found.reason == "" {
			w.found.reason = text
		}
	}
}
