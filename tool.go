package pegboard

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/schema"
)

// A Tool is one capability offered to a model. Each method is one stage of a
// call. No stage calls another, so a wrapper embeds a Tool and overrides the
// stage it is about, and the executor still takes every call through all the
// others.
//
// Only [Build], [TryBuild] and [BuildRaw] make Tools. Methods may be called
// concurrently.
type Tool interface {
	// Info returns what is true of the tool whoever asks.
	Info() Info
	// Declare returns what the model is shown in s. False means that the tool
	// is not offered there.
	Declare(s *Session) (Declaration, bool)
	// Traits says what c will do. It is pure: no I/O, the same answer for the
	// same input.
	Traits(c *Call) Traits
	// Validate returns what is wrong with the input beyond its schema, worded
	// for the model.
	Validate(ctx context.Context, c *Call) error
	// Permit gives the tool's own opinion of c. The zero Decision has none.
	Permit(ctx context.Context, c *Call) Decision
	// Call does the work. Its error becomes an error result; a result beside
	// it is what was done until then.
	Call(ctx context.Context, c *Call) (*Result, error)

	// input seals the interface and hands the executor the one decoder of the
	// tool's input.
	input() *inputSpec
}

// Info is the part of a tool that never changes. [Registry.Add] takes a copy.
type Info struct {
	// Name is what rules, hooks, logs and calls use. Required; any text
	// without control characters.
	Name string
	// Aliases are former names. They resolve wherever Name does.
	Aliases []string
	// Origin is zero for a built-in; [Registry.Attach] sets it.
	Origin Origin
	// RequiresUser means that only a person may allow a call: no rule, hook
	// or mode does.
	RequiresUser bool
	// Interrupt is what a new message of the user does to a call that runs.
	Interrupt Interrupt
	// Timeout is how long a call may take; 0 means as long as it likes.
	Timeout time.Duration
	// CancelsSiblings stops the calls beside one that fails, if the executor
	// allows it, as for a shell whose commands build on each other.
	CancelsSiblings bool
	// Polls says that equal calls in a row are no sign of a loop.
	Polls bool
	// Strict asks the provider to hold the model to the input schema, where it can.
	// What a provider's strict form cannot say is left to the check of the input here.
	Strict bool
	// Deferred keeps the definition out of the model's sight until a search has
	// found it, with providers that can; others are sent it as any other.
	Deferred bool

	server    string // mcp__source, if the tool is attached
	spelled   string // the exposed name before anything in it was folded or cut
	contested bool   // a rule on its name could be meant for another source
}

// exact reports whether the exposed name is the raw pair, letter by letter. Of
// several tools that would have one name, an exact one has it.
func (i Info) exact() bool { return i.Name == i.spelled }

// answersTo reports whether name is the tool's name or an alias. It is the only
// comparison of a tool with a name.
func (i Info) answersTo(name string) bool {
	if i.Name == name {
		return true
	}
	for _, a := range i.Aliases {
		if a == name {
			return true
		}
	}
	return false
}

// Origin is the identity of an external tool: the source it is attached from,
// and the name that source knows it by.
type Origin struct{ Source, Tool string }

// External reports whether the tool comes from a source, such as an MCP server.
func (o Origin) External() bool { return o.Source != "" }

// Declaration is what the model is told of a tool.
type Declaration struct {
	Name        string
	Description string
	InputSchema json.RawMessage   // canonical: the same schema, the same bytes; shared, not to be written to
	Examples    []json.RawMessage // inputs that the schema takes; shared, not to be written to
	Strict      bool              // see [Info]
	Deferred    bool

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

// constant reports whether the tool declares itself alike in every session. A
// wrapper does not have this method: what it declares is asked in each.
func (t *defined[In, Out]) constant() bool { return t.def.Enabled == nil && t.def.Prompt == nil }

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

// Traits describe one call. The zero value is the cautious one: alone, writing,
// on something unknown.
type Traits struct {
	Targets     []Target    // none means one Opaque target
	Concurrency Concurrency // zero: Exclusive
	ReadOnly    bool        // changes nothing
	Destructive bool        // cannot be undone
	OpenWorld   bool        // reaches beyond this machine

	Timeout time.Duration // how long this call may take; 0 means Info.Timeout
}

// inputSpec decodes the input of one tool. It is made once, by Build.
type inputSpec struct {
	schema *schema.Schema
	typed  func(raw json.RawMessage, accepted bool) (any, error) // accepted: schema.Accepts is true of raw
}
