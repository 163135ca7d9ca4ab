package pegboard

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/internal/plain"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Tool is one capability offered to a model. Each method is one stage of a call. No
// stage calls another, so a wrapper embeds a Tool and overrides one stage, and the
// executor still takes every call through all the others.
//
// Only [Build], [TryBuild] and [BuildRaw] make Tools. Methods may be called
// concurrently.
type Tool interface {
	// Info returns the facts that never change.
	Info() Info
	// Declare returns the definition that the model is shown. False means that the tool is
	// not offered in the session. The first call for a pool decides that, before it is known
	// which tools are in the pool. If Declare has asked its Scope for them, it is called
	// again when they are known, and for each narrower pool.
	Declare(s Scope) (Declaration, bool)
	// Traits says what c will do. It is pure: no I/O, and the same result for the same
	// input.
	Traits(c *Call) Traits
	// Summary returns the lines that a user interface shows of c. It is pure, like Traits, and
	// called only when the interface asks, at any time.
	Summary(c *Call) Summary
	// Validate checks the input beyond its schema. Its error is worded for the model.
	Validate(ctx context.Context, c *Call) error
	// Permit returns the tool's own opinion of c. The zero Decision is no opinion.
	Permit(ctx context.Context, c *Call) policy.Decision
	// Equivalent reports whether two calls of one message, a directly before b, are the same,
	// so that b need not run: see [Definition].Equivalent. It is pure.
	Equivalent(a, b *Call) bool
	// ClassifierInput returns the text that a [Classifier] is shown of c, or "" if it is
	// not asked about c. It is pure, and called only where a classifier may decide.
	ClassifierInput(c *Call) string
	// Call does the work. Its error becomes an error result; a result beside the error
	// is a partial one.
	Call(ctx context.Context, c *Call) (*Result, error)

	// input seals the interface, and returns the decoder of the tool's input.
	input() *inputSpec
	// output returns the description of the tool's output, or nil.
	output() *outputSpec
	// decodeOutput checks an output that the host supplies as JSON. Mapped makes the result of
	// it, by code of the tool's author.
	decodeOutput(output json.RawMessage) (mapped func() (*Result, error), err error)
}

// A Declaration is the definition of a tool that the model is shown.
type Declaration struct {
	Name        string
	Description string          // for the model
	About       string          // for people; no wire sends it
	InputSchema json.RawMessage // canonical: equal schemas have equal bytes; shared, do not write to it
	// OutputSchema is the schema of Result.Data as JSON, canonical; nil if it is not known.
	// Shared, do not write to it.
	OutputSchema json.RawMessage
	OutputShown  bool              // the model reads the output of a success as JSON, and not words of the tool
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

// Fingerprints identify the definitions of external tools that rules and users could mean: by
// source and by the tool's name there, a hash of its description, schemas and annotations,
// and of Info.RequiresUser. The title of a tool and the rest of its _meta are left out: no rule
// is about them. The text of a hash means nothing; compare it with others of this library
// only.
type Fingerprints map[string]map[string]string

// clone returns a copy that is never nil.
func (f Fingerprints) clone() Fingerprints {
	c := make(Fingerprints, len(f))
	for source, tools := range f {
		c[source] = maps.Clone(tools)
	}
	return c
}

// fingerprintOf returns the fingerprint of a definition.
func fingerprintOf(d *Declaration, i *Info) string {
	parts := []string{d.Description, string(d.InputSchema), string(d.OutputSchema), i.annotations}
	if i.RequiresUser {
		// Only then: fingerprints that were kept before this was one of the parts stay valid.
		parts = append(parts, "requires user")
	}
	text, _ := json.Marshal(parts) // strings have no error
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// maxFingerprints is how many tools of one source are remembered. If there are more, those
// that the source does not offer any more are forgotten.
const maxFingerprints = 10_000

// knownDefinitions are the definitions of external tools that rules may mean. The zero value
// is empty. All methods may be called concurrently.
type knownDefinitions struct {
	mu     lock.Mutex
	hashes Fingerprints
}

func (k *knownDefinitions) all() Fingerprints {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.hashes.clone()
}

func (k *knownDefinitions) add(more Fingerprints) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for source, tools := range more {
		maps.Copy(k.of(source), tools)
	}
}

// of returns the fingerprints of a source. The caller holds the lock.
func (k *knownDefinitions) of(source string) map[string]string {
	if k.hashes == nil {
		k.hashes = Fingerprints{}
	}
	if k.hashes[source] == nil {
		k.hashes[source] = map[string]string{}
	}
	return k.hashes[source]
}

// compare returns a redefinition for each tool that a source offers now with another
// definition than the known one. Those of new tools are known from now on.
func (k *knownDefinitions) compare(source string, offered map[string]string) map[string]*redefinition {
	k.mu.Lock()
	defer k.mu.Unlock()
	known := k.of(source)
	if len(known)+len(offered) > maxFingerprints {
		maps.DeleteFunc(known, func(tool, _ string) bool { return offered[tool] == "" })
	}
	redefined := map[string]*redefinition{}
	for tool, hash := range offered {
		if before, ok := known[tool]; !ok {
			known[tool] = hash
		} else if before != hash {
			redefined[tool] = &redefinition{known: k, source: source, tool: tool, hash: hash}
		}
	}
	return redefined
}

// A redefinition is a definition of a tool that is not the known one.
type redefinition struct {
	known              *knownDefinitions
	source, tool, hash string
	approved           atomic.Bool
}

// isPending reports whether no user has approved the definition. A nil redefinition needs no
// approval.
func (d *redefinition) isPending() bool { return d != nil && !d.approved.Load() }

// approve makes the definition the known one.
func (d *redefinition) approve() {
	if d.isPending() {
		d.approved.Store(true)
		d.known.add(Fingerprints{d.source: {d.tool: d.hash}})
	}
}

// An entry is a registered tool with a copy of its facts, which decisions use. It is
// never written to after registration.
type entry struct {
	tool     Tool
	info     Info
	facts    policy.Tool // those of info that decisions use
	output   *outputSpec
	ofPool   bool         // of PoolConfig.With, and not registered
	compares bool         // its calls may be the same, see Tool.Equivalent
	decl     *Declaration // the declaration for every session, or nil if the tool is asked in each
	deferred *Declaration // decl, deferred
	// redefined is set if the definition of an external tool is not the one that is expected.
	redefined *redefinition
}

// newEntry checks a tool and copies its facts. It calls Info and input, since a wrapper
// around a nil Tool would otherwise panic in mid-conversation.
func newEntry(t Tool) (e entry, err error) {
	if t == nil {
		return entry{}, &BuildError{Field: "Tool", Err: errors.New("is nil")}
	}
	if u, ok := t.(invalidTool); ok {
		return entry{info: u.Info()}, u.reason
	}
	if err := goroutine.Try(func() error { e.info = t.Info(); return nil }); err != nil {
		return entry{}, &BuildError{Field: "Info", Err: err}
	}
	if err := plain.CheckName(e.info.Name); err != nil {
		return e, &BuildError{Tool: e.info.Name, Field: "Info.Name", Err: err}
	}
	if err := goroutine.Try(func() error { t.input(); e.output = t.output(); return nil }); err != nil {
		return e, &BuildError{Tool: e.info.Name, Field: "Tool", Err: fmt.Errorf("is not made by Build: %w", err)}
	}
	for _, a := range e.info.Aliases {
		if err := plain.CheckName(a); err != nil {
			return e, &BuildError{Tool: e.info.Name, Field: "Info.Aliases", Err: err}
		}
	}
	e.info.Aliases = slices.Clone(e.info.Aliases)
	e.tool, e.facts = t, e.info.facts()
	e.compares = mayCompare(t) && !e.info.Polls && !e.info.ExternalResult && !e.info.RequiresGuard
	return e, nil
}

// mayCompare reports whether Equivalent of t may be true. It says no for most tools, and
// spares their calls the comparison.
func mayCompare(t Tool) bool {
	c, ok := t.(interface{ compares() bool })
	return !ok || c.compares()
}

// checkRuleNames returns an error if no rule can name the tool. The exposed name of an
// external tool needs no check: it is folded to letters, digits, _ and -.
func (e *entry) checkRuleNames() error {
	for _, name := range append([]string{e.info.Name}, e.info.Aliases...) {
		r, err := policy.ParseRule(policy.Deny, name)
		if err == nil && (r.Tool != name || strings.Contains(name, "*")) {
			err = errors.New("a rule of this text is not about this tool alone")
		}
		if err != nil {
			return &BuildError{Tool: e.info.Name, Field: "Info.Name", Err: fmt.Errorf("no rule could name %q: %w", name, err)}
		}
	}
	return nil
}

// newExternalEntry is newEntry for a tool of a source.
func newExternalEntry(source string, t Tool) (entry, error) {
	e, err := newEntry(t)
	raw := e.info.Name
	e.info.Origin = Origin{Source: source, Tool: raw}
	if err != nil {
		return e, err
	}
	e.info.Name, e.info.server = toolname.Exposed(source, raw), toolname.Server(source)
	e.info.spelled = toolname.Prefix + source + "__" + raw
	e.compares = false   // its claims about itself are not trusted
	e.info.Aliases = nil // an external tool cannot claim further names
	e.tool, e.facts = externalTool{Tool: t, info: e.info}, e.info.facts()
	return e, nil
}

// cacheDeclaration stores the declaration of a tool that has the same one in every
// session. T is the tool as it was handed over.
func (e *entry) cacheDeclaration(t Tool) {
	if c, ok := t.(interface{ constant() bool }); ok && c.constant() {
		if e.decl, _ = e.declare(Scope{}); e.decl != nil {
			deferred := *e.decl
			deferred.Deferred = true
			e.deferred = &deferred
		}
	}
}

// declare returns the declaration of the tool, or the reason why it has none.
func (e *entry) declare(s Scope) (d *Declaration, why string) {
	d, ok := new(Declaration), false
	if err := goroutine.Try(func() error { *d, ok = e.tool.Declare(s); return nil }); err != nil {
		return nil, "declaring it: " + err.Error()
	}
	if !ok {
		return nil, "disabled in this session"
	}
	d.Name, d.Deferred = e.info.Name, false // a call by the declared name must find the tool
	return d, ""
}

// withDeferred returns d, a declaration of the tool, with Deferred set to deferred.
func (e *entry) withDeferred(d *Declaration, deferred bool) *Declaration {
	switch {
	case d.Deferred == deferred:
		return d
	case d == e.decl:
		return e.deferred
	case d == e.deferred:
		return e.decl
	}
	other := *d
	other.Deferred = deferred
	return &other
}

// exclusion returns the tool as one that is not in a pool.
func (e *entry) exclusion(reason string) Exclusion {
	return Exclusion{Name: e.info.Name, Origin: e.info.Origin, Reason: reason, aliases: e.info.Aliases}
}

// An externalTool has the exposed name and the origin of a source's tool.
type externalTool struct {
	Tool
	info Info
}

// Info implements [Tool].
func (t externalTool) Info() Info { return t.info }

// Declare implements [Tool].
func (t externalTool) Declare(s Scope) (Declaration, bool) {
	d, ok := t.Tool.Declare(s)
	d.Name = t.info.Name
	return d, ok
}

// InvalidTool stands for a tool that its source described but that could not be built.
// [Registry.Attach] quarantines it with reason, so that a bridge hands over a whole list
// at once, valid and invalid tools. [Registry.Add] refuses it.
func InvalidTool(name string, reason error) Tool {
	if reason == nil {
		reason = errors.New("no reason was given")
	}
	return invalidTool{name: name, reason: reason}
}

type invalidTool struct {
	Tool
	name   string
	reason error
}

// Info implements [Tool].
func (t invalidTool) Info() Info { return Info{Name: t.name} }

// fingerprint identifies the definition of an external tool. That of a tool that cannot declare
// itself without a session is the same whatever it declares.
func (e *entry) fingerprint() string {
	d := e.decl
	if d == nil {
		if d, _ = e.declare(Scope{}); d == nil {
			d = &Declaration{}
		}
	}
	return fingerprintOf(d, &e.info)
}

// An Exclusion is a registered tool that is not in the pool.
type Exclusion struct {
	Name   string // the exposed name
	Origin Origin
	Reason string // the rule, restriction or tool that excludes it, or what its gate means, as the model reads it
	Gate   string // the field of [Gates] that excludes it, such as "REPL"; empty if another thing does
	// Rule is the deny rule that excludes it, or nil. A call of the tool is denied by the rule.
	Rule *policy.Rule

	aliases []string
}

// isCalled reports whether name is the tool's name or an alias.
func (x Exclusion) isCalled(name string) bool {
	return x.Name == name || slices.Contains(x.aliases, name)
}

// definitionDigest identifies the definition of a tool on which an answer relies: its name, its input schema,
// and of an external tool all that its source says.
func (e *entry) definitionDigest() string {
	parts := []string{e.info.Name, e.info.Origin.Source, e.info.Origin.Tool, string(e.tool.input().schema.Bytes()), fmt.Sprint(e.info.RequiresUser)}
	if e.info.Origin.External() && e.decl != nil {
		parts = append(parts, fingerprintOf(e.decl, &e.info))
	}
	text, _ := json.Marshal(parts) // strings have no error
	return digestOf(text)
}
