package pegboard

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// A Key names a value of type T that a host or a tool keeps in a session. Make it with
// [NewKey] and share the pointer: two keys are never equal, whatever their names.
//
// A shared value can be written in two ways. Set writes for the agents that the user
// waits for; a background agent's value stays its own, so that it cannot change the
// conversation that the user sees. SetRoot always writes the main session's value.
//
// All methods may be called concurrently. The functions that a caller passes run while
// no lock is held that reading or writing a value needs.
type Key[T any] struct {
	name  string
	clone func(T) T // nil if sessions share the value
}

// NewKey returns a new key. The name is for debugging.
func NewKey[T any](name string) *Key[T] { return NewClonedKey[T](name, nil) }

// NewClonedKey returns a key under which every session has a value of its own. A fork
// starts with clone of its parent's value at that moment, if there is one; later changes
// of either are not seen by the other. Clone may be called while the value is in use.
func NewClonedKey[T any](name string, clone func(T) T) *Key[T] {
	return &Key[T]{name: name, clone: clone}
}

// String returns the key's name.
func (k *Key[T]) String() string { return k.name }

// Get returns the value that s sees: its own, or else, if sessions share the value, the
// nearest parent's. A nil session has no value.
func (k *Key[T]) Get(s *Session) (v T, ok bool) {
	if s == nil {
		return v, false
	}
	return k.get(s.values)
}

// Set writes v for s and all sessions that share its values: those up to the main
// session, or up to the nearest background agent. Under a cloned key only s sees v.
func (k *Key[T]) Set(s *Session, v T) {
	s.mustExist("Key.Set")
	k.writer(s.values).set(k, v)
}

// SetRoot writes v for the main session. A background agent that has written a value of
// its own keeps seeing that one.
func (k *Key[T]) SetRoot(s *Session, v T) {
	s.mustExist("Key.SetRoot")
	k.writer(s.values.root()).set(k, v)
}

// GetOrInit returns the value that s sees. If s sees no value, GetOrInit writes the result of f
// as Set does and returns it. Of concurrent calls that write to the same session, see
// Set, one calls f. F may use the session and other keys, but not GetOrInit of k.
func (k *Key[T]) GetOrInit(s *Session, f func() T) T {
	s.mustExist("Key.GetOrInit")
	return k.getOrInit(s.values, f)
}

// GetOrInitRoot is GetOrInit for the main session's value: all agents of the
// conversation share the result of f. Do not use Set with such a key.
func (k *Key[T]) GetOrInitRoot(s *Session, f func() T) T {
	s.mustExist("Key.GetOrInitRoot")
	return k.getOrInit(s.values.root(), f)
}

func (k *Key[T]) get(in *values) (v T, ok bool) {
	for ; in != nil; in = in.parent {
		if v, ok := in.get(k); ok {
			held, _ := v.(T) // a nil interface value is the zero T
			return held, true
		}
		if k.clone != nil {
			break
		}
	}
	return v, false
}

func (k *Key[T]) getOrInit(in *values, f func() T) T {
	writer := k.writer(in)
	lock := writer.initLock(k)
	lock.Lock()
	defer lock.Unlock()
	if v, ok := k.get(in); ok {
		return v
	}
	v := f()
	writer.set(k, v)
	return v
}

// writer returns the values that Set writes to.
func (k *Key[T]) writer(in *values) *values {
	if k.clone != nil {
		return in
	}
	return in.sharedWriter
}

// cloned returns a fork's first value, made from its parent's value v.
func (k *Key[T]) cloned(v any) (any, bool) {
	if k.clone == nil {
		return nil, false
	}
	held, _ := v.(T)
	return k.clone(held), true
}

// values hold the values of one session, by [Key].
type values struct {
	parent       *values // nil in the main session
	sharedWriter *values // where values that sessions share are written

	mu   lock.Mutex // guards the fields below
	held map[anyKey]any
	init map[anyKey]*lock.Mutex // held while a key's first value is made
}

// anyKey is a *Key of any type.
type anyKey interface {
	cloned(v any) (any, bool)
}

func newValues() *values {
	v := &values{}
	v.sharedWriter = v
	return v
}

// fork returns the values of a fork. It starts with clones of the values under cloned
// keys. If apart is set, shared values that the fork writes stay its own.
func (v *values) fork(apart bool) *values {
	fork := &values{parent: v, sharedWriter: v.sharedWriter, held: v.clones()}
	if apart {
		fork.sharedWriter = fork
	}
	return fork
}

// root returns the values of the main session.
func (v *values) root() *values {
	for v.parent != nil {
		v = v.parent
	}
	return v
}

func (v *values) clones() map[anyKey]any {
	v.mu.Lock()
	held := maps.Clone(v.held)
	v.mu.Unlock()
	clones := map[anyKey]any{}
	for key, value := range held { // without the lock: clone functions are the caller's code
		if c, ok := key.cloned(value); ok {
			clones[key] = c
		}
	}
	return clones
}

func (v *values) get(key anyKey) (any, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	value, ok := v.held[key]
	return value, ok
}

func (v *values) set(key anyKey, value any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.held == nil {
		v.held = map[anyKey]any{}
	}
	v.held[key] = value
}

func (v *values) initLock(key anyKey) *lock.Mutex {
	v.mu.Lock()
	defer v.mu.Unlock()
	mu, ok := v.init[key]
	if !ok {
		mu = &lock.Mutex{}
		if v.init == nil {
			v.init = map[anyKey]*lock.Mutex{}
		}
		v.init[key] = mu
	}
	return mu
}

// The vocabulary of a session: facts that a host tells tools whose authors it need not know. The
// host writes a value with [Key.Set] after NewSession or Fork, and whenever it changes;
// a tool reads it with [Key.Get]. No value means that the host does not say. Values are
// shared by all who read them: do not write to their slices.
//
// A value belongs to the conversation, and all its agents share it, where not stated
// otherwise. A value of the agent is cloned: a fork starts with its parent's, and later
// changes of either are not seen by the other.
var (
	// KeyModel is the model that the agent talks to, as its provider spells it. It is a value
	// of the agent, since a sub-agent may have another model, and keeps it when the main agent
	// changes its own. Package audit writes it into its lines; a tool that starts an agent
	// without a model uses it.
	KeyModel = NewClonedKey("model", same[string])

	// KeyFileLimits says how much of files the agent is shown. It is a value of the agent:
	// what fits depends on its model. Read and Glob of package tools/files heed it, and so
	// should any other tool that shows files. Their descriptions name the limits, so set it
	// before the first pool is assembled: a change makes the provider's prompt cache invalid.
	KeyFileLimits = NewClonedKey("file limits", same[FileLimits])

	// KeyInteractive says whether a person follows the conversation and can go on with it.
	// False means that it ends with the model's answer, as in a program that is run once. It
	// says nothing about permissions: see [SessionConfig].Ask for who is asked about calls.
	// Bash, Monitor and TaskOutput of package tools/shell tell the model what happens to
	// background tasks at the end.
	KeyInteractive = NewKey[bool]("interactive")

	// KeyConversation gives access to the messages so far. It is a value of the agent, and a
	// fork starts without one: its conversation is another. It is for tools that hand the
	// conversation to a further model, such as one that advises or summarizes.
	KeyConversation = NewClonedKey("conversation", func(Conversation) Conversation { return Conversation{} })

	// KeySystemPrompt holds the parts of the system prompt that the user and the host wrote. It is a
	// value of the agent: a fork that goes on from its parent's prompt sends the same bytes,
	// and for one with instructions of its own they are set. The host's loop reads it, and
	// tools that start agents do.
	KeySystemPrompt = NewClonedKey("system prompt", same[SystemPrompt])

	// KeyNotify tells the person something outside of the conversation, as by a message of the
	// desktop. The host sets a func that returns soon and may be called concurrently, also
	// outside of calls. Nil is like no value. The model
	// learns nothing of it. Package tools/background calls it when a task has completed or
	// failed. What belongs to a call is reported with [Call.Emit].
	KeyNotify = NewKey[func(ctx context.Context, n Notification)]("notify")

	// KeyBudget is the budget of the conversation. The host sets it once and records there
	// the cost of the model; tools that cost money record theirs, and refuse to spend more than
	// is left. A nil Budget has no limit, so the value can be used without a check.
	KeyBudget = NewKey[*Budget]("budget")
)

// same is the clone of a value that is never written to.
func same[T any](v T) T { return v }

// FileLimits are limits of tools that show files, in place of those in their options. 0 means
// that the tool's own holds.
type FileLimits struct {
	ReadTokens int // how many tokens of a file one call shows
	ReadBytes  int // how many bytes of text of a file one call shows, with line numbers
	GlobFiles  int // how many paths a search for names returns

	// Documents says that the agent's model takes PDF documents in results, as those behind
	// wire/anthropic, wire/gemini and wire/openai/responses may. Read then shows documents
	// and not their text.
	Documents bool
}

// A Conversation is an agent's messages. The zero value is unknown.
type Conversation struct {
	// Format says which wire the messages belong to, by its folder below package wire:
	// "anthropic", "openai/chat", "openai/responses" or "gemini", or another word that the
	// host and its tools agree on.
	Format string
	// Messages returns the messages up to now, oldest first, as they are sent. The caller
	// must not change them. It may be called concurrently.
	Messages func() []json.RawMessage
}

// A SystemPrompt holds the parts of a system prompt that are not the host's own.
type SystemPrompt struct {
	Custom   string // in place of the host's own text; empty means that it holds
	Appended string // after everything else
	Rendered string // the whole text as it was sent last, so that a fork can begin with the same bytes
}

// A Notification is a message for a person.
type Notification struct {
	Type    string // what happened, in words of the sender: package tools/background sends "task_completed" and "task_failed"
	Title   string // may be empty
	Message string
	AgentID string // the agent that it comes from; empty for the main agent
}
