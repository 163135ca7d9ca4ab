package pegboard

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// A Declaration is the definition of a tool that the model is shown.
type Declaration struct {
	Name        string
	Description string          // for the model
	About       string          // for people: what the tool is; no wire sends it
	InputSchema json.RawMessage // canonical: equal schemas have equal bytes; shared, do not write to it
	// OutputSchema is the schema of Result.Data as JSON, canonical; nil if it is not known.
	// Shared, do not write to it.
	OutputSchema json.RawMessage
	OutputShown  bool              // what the model reads of a success is the output as JSON, and not words of the tool
	Examples     []json.RawMessage // inputs that the schema accepts; shared, do not write to them
	Strict       bool              // see [Info]
	Deferred     bool              // the definition is loaded on demand; set by the pool, see [Deferral]

	encoded *encodings
}

// Encoded returns encode(d), cached with the tool under key. It is for wires: each
// provider's form of a definition is made once and has the same bytes each time. Key must
// name the form and everything that it depends on besides d.
func (d Declaration) Encoded(key string, encode func(Declaration) []byte) []byte {
	e := d.encoded
	if e == nil || !bytes.Equal(e.schema, d.InputSchema) || !slices.EqualFunc(e.examples, d.Examples, sameText) ||
		!bytes.Equal(e.output.schema(), d.OutputSchema) { // a wrapper has changed the declaration
		return encode(d)
	}
	return e.get(encodingKey{key, d.Name, d.Description, d.Strict, d.Deferred, d.OutputShown}, func() []byte { return encode(d) })
}

func sameText(a, b json.RawMessage) bool { return bytes.Equal(a, b) }

// encodings cache the encoded forms of one tool. Its schema never changes; its name and
// description may differ between sessions, and are part of the key.
type encodings struct {
	schema   json.RawMessage // of all forms
	examples []json.RawMessage
	output   *outputSpec

	last  atomic.Pointer[encoding] // the last result, which is likely to be the next
	mu    lock.Mutex               // guards forms
	forms []*encoding              // few, so that comparing keys costs less than hashing them
}

type encoding struct {
	encodingKey
	bytes []byte
}

type encodingKey struct {
	form, name, description string
	strict, deferred, shown bool
}

// maxEncodings limits the cache of a tool whose description keeps changing.
const maxEncodings = 16

func (e *encodings) get(k encodingKey, encode func() []byte) []byte {
	if last := e.last.Load(); last != nil && last.encodingKey == k {
		return last.bytes
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	i := slices.IndexFunc(e.forms, func(f *encoding) bool { return f.encodingKey == k })
	if i < 0 {
		if len(e.forms) >= maxEncodings {
			e.forms = nil
		}
		b := encode()
		i, e.forms = len(e.forms), append(e.forms, &encoding{k, b})
	}
	e.last.Store(e.forms[i])
	return e.forms[i].bytes
}
