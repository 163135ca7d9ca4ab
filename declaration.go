package pegboard

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
)

// Declaration is what the model is told of a tool.
type Declaration struct {
	Name        string
	Description string
	InputSchema json.RawMessage   // canonical: the same schema, the same bytes; shared, not to be written to
	Examples    []json.RawMessage // inputs that the schema takes; shared, not to be written to
	Strict      bool              // see [Info]
	Deferred    bool              // the definition waits for a search; set by the pool, see [Deferral]

	encoded *encodings
}

// Encoded returns encode(d), remembered with the tool under key, so that every
// provider's form of a definition is made once and is the same bytes each time.
// Key must name the form and all that it depends on besides d.
func (d Declaration) Encoded(key string, encode func(Declaration) []byte) []byte {
	e := d.encoded
	if e == nil || !bytes.Equal(e.schema, d.InputSchema) || !slices.EqualFunc(e.examples, d.Examples, sameText) { // a wrapper declares another
		return encode(d)
	}
	return e.get(encodingKey{key, d.Name, d.Description, d.Strict, d.Deferred}, func() []byte { return encode(d) })
}

func sameText(a, b json.RawMessage) bool { return bytes.Equal(a, b) }

// encodings are the encoded forms of one tool. Its schema never changes; its
// name and description may differ between sessions and are part of the key.
type encodings struct {
	schema   json.RawMessage // the one schema that the forms are of
	examples []json.RawMessage

	last  atomic.Pointer[encoding] // that was asked for: mostly the next one, too
	mu    sync.Mutex
	forms []*encoding // few: comparing texts that are mostly the very same costs less than a hash of them
}

type encoding struct {
	encodingKey
	bytes []byte
}

type encodingKey struct {
	form, name, description string
	strict, deferred        bool
}

// maxEncodings bounds what is remembered for a tool whose text keeps changing.
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
