package pegboard

import (
	"context"
	"encoding/json"
)

// The vocabulary of a session: what a host tells tools whose authors it need not know. The
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
	// Bash, Monitor and TaskOutput of package tools/shell tell the model what becomes of
	// background tasks at the end.
	KeyInteractive = NewKey[bool]("interactive")

	// KeyConversation gives access to the messages so far. It is a value of the agent, and a
	// fork starts without one: its conversation is another. It is for tools that hand the
	// conversation to a further model, such as one that advises or summarizes.
	KeyConversation = NewClonedKey("conversation", func(Conversation) Conversation { return Conversation{} })

	// KeySystemPrompt is what the user and the host have put into the system prompt. It is a
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

	// KeyBudget is what the conversation may cost. The host sets it once and records there
	// what the model costs; tools that cost money record theirs, and refuse to spend more than
	// is left. A nil Budget has no limit, so the value can be used without a check.
	KeyBudget = NewKey[*Budget]("budget")
)

// same is the clone of a value that nobody writes to.
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
