// Package history repairs conversations, so that each call of a tool has exactly one
// result and the provider takes the next request. It also finds the tools that a
// conversation has made known to the model, and replaces long results.
//
// It knows no provider. A codec describes a conversation as [Message] values, which say
// where the calls and results are, and gets [Turn] values back, which refer to blocks of
// the messages given. So a codec can leave the bytes of all other blocks alone.
//
// The package holds no state; its functions may be called from any goroutine.
package history

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/wire"
)

// A Message holds the facts of one message that [Repair] needs. A codec whose provider has a
// message for every block (a call, a result) describes those that belong to one turn as
// one Message.
type Message struct {
	Role   Role
	Blocks []Block // ignored if Role is [Other]
}

// A Role says who speaks.
type Role int

// The roles.
const (
	Other Role = iota // neither calls nor answers: the message stays as it is
	Model             // may call tools
	User              // may hold results
)

// A Block is one piece of a message.
type Block struct {
	Kind Kind
	// ID connects a call with its result; other kinds have none. No two calls of a
	// conversation have the same: where a provider's ids begin anew in each turn, or
	// calls have none, the codec must make them differ.
	ID string
}

// A Kind tells calls and results apart from other blocks.
type Kind int

// The kinds of block. Calls and results that the client has no part in, such as those
// of tools that the provider runs, are Content.
const (
	Content Kind = iota
	Lead         // content that must not end a message, such as thinking
	Call
	Result
)

// A Turn is one message of the repaired conversation.
type Turn struct {
	// Message is the index of the message given, or [New] for one that was not there.
	// A new message has the role [User].
	Message int
	// Changed means that the message must be written anew, from Blocks. Other turns are
	// as they were.
	Changed bool
	Blocks  []Ref // nil for the role Other
}

// New is the Message of a turn that was not there before.
const New = -1

// A Ref is the place of a block in the conversation given.
type Ref struct {
	Message, Block int
	// Missing means that the block is a call, and that its result, which belongs here,
	// must be written; see [Answer].
	Missing bool
}

// Answer returns the text of a result that is missing, for the model to read. It goes
// into a result that is marked as an error. Whether the tool ran is not known here.
func Answer(tool string) string {
	if tool == "" {
		tool = "this call"
	}
	return fmt.Sprintf("There is no result of %s: the turn was interrupted. It may have run in part, or not at all. "+
		"Look at what it did before you repeat it, and repeat it only if it is still wanted.", tool)
}

// A Conversation is one in the form of a provider.
type Conversation interface {
	// View returns the conversation as [Repair] takes it.
	View() []Message
	// Locate returns repairs of the View's messages as repairs of the provider's.
	Locate(repairs []wire.Repair) []wire.Repair
	// Append appends the messages of a turn to out.
	Append(out []json.RawMessage, t Turn) []json.RawMessage
}

// Normalize returns the messages of the repaired conversation, and the repairs in the
// order of the messages given. Found are repairs that were made before. Suspended is as for
// [Repair].
func Normalize(c Conversation, found []wire.Repair, suspended bool) ([]json.RawMessage, []wire.Repair) {
	view := c.View()
	turns, repairs := Repair(view, suspended)
	repairs = append(found, c.Locate(repairs)...)
	SortRepairs(repairs)
	out := make([]json.RawMessage, 0, len(view))
	for _, t := range turns {
		out = c.Append(out, t)
	}
	return out, repairs
}

// SortRepairs sorts repairs by message, and those of one message by kind.
func SortRepairs(repairs []wire.Repair) {
	slices.SortStableFunc(repairs, func(a, b wire.Repair) int {
		return cmp.Or(cmp.Compare(a.Message, b.Message), cmp.Compare(a.Kind, b.Kind))
	})
}
