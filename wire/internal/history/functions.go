package history

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// The lines around the definitions of a block.
const (
	functionsBegin = "<functions>"
	functionsEnd   = "</functions>"
)

// FunctionsBlock writes definitions of tools into a result, for providers that
// have no references to tools. They are the elements of the request's member
// "tools", so that the model reads the same text as there.
//
// The block is a line <functions>, a line for each definition, and a line </functions>. A
// definition is a JSON object without line breaks; its name is the member "name", or "name"
// within "function". Definitions that are no JSON are left out. The block does not end in a
// line break, and the same definitions give the same bytes.
func FunctionsBlock(definitions []json.RawMessage) string {
	var b bytes.Buffer
	b.WriteString(functionsBegin + "\n")
	for _, d := range definitions {
		if json.Compact(&b, d) == nil { // else nothing is written
			b.WriteByte('\n')
		}
	}
	b.WriteString(functionsEnd)
	return b.String()
}

// FunctionNames yields the names of the definitions in all blocks of a text, as the
// provider knows them. See [FunctionsBlock] for the form.
//
// A block may be cut at its end, because results that are too long are cut. Lines within it
// that are no definition are ignored.
func FunctionNames(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !strings.Contains(text, functionsBegin) {
			return // most texts need not be split into lines
		}
		inside := false
		for line := range strings.Lines(text) {
			switch line = strings.TrimSpace(line); {
			case line == functionsBegin:
				inside = true
			case line == functionsEnd:
				inside = false
			case inside:
				if name := functionName(line); name != "" && !yield(name) {
					return
				}
			}
		}
	}
}

// functionName returns the name in a definition, or "".
func functionName(line string) string {
	o, err := jsonobject.Parse([]byte(line))
	if err != nil || !jsonobject.Is([]byte(line)) {
		return ""
	}
	if inner, err := jsonobject.Parse(o.Get("function")); err == nil {
		o = inner
	}
	name, _ := o.Text("name")
	return name
}
