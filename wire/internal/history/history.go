// Package history repairs conversations, so that each call of a tool has exactly
// one result and the provider takes the next request.
//
// It knows no provider. A wire shows it a conversation as [Message] values, which
// say where the calls and results are, and gets back the [Turn] values to write,
// which refer to blocks of the old ones. So a wire can leave alone the bytes of
// all that is not concerned.
//
// The package holds no state; its functions may be called from any goroutine.
package history

import "fmt"

// A Message is what [Mend] needs to know of one message. A wire whose provider
// has a message for every block (a call, a result) shows those that belong to
// one turn as one Message.
type Message struct {
	Role   Role
	Blocks []Block // of [Other] they are not looked at
}

// Role says who speaks.
type Role int

// The roles.
const (
	Other Role = iota // nobody who calls or answers: the message stays as it is
	Model             // may call tools
	User              // may hold results
)

// A Block is one piece of a message.
type Block struct {
	Kind Kind
	// ID connects a call with its result and is not looked at otherwise. No two
	// calls of a conversation have the same: where a provider counts anew in
	// each turn, or has no ids, the wire must make them differ.
	ID string
}

// Kind says what a block is to a call.
type Kind int

// The kinds of block. Calls and results that the client has no part in, as those
// of tools that the provider runs, are Content.
const (
	Content Kind = iota
	Lead         // content that must not end a message, such as thinking
	Call
	Result
)

// A Turn is one message of the repaired conversation.
type Turn struct {
	// Message is the index of the message that it was, [New] for one that was
	// not there and has the role [User].
	Message int
	// Changed is whether the message must be written anew, from Blocks. Other
	// turns are as they were.
	Changed bool
	Blocks  []Ref // nil for the role Other
}

// New is the Message of a turn that was not there before.
const New = -1

// A Ref names a block of the conversation as it was.
type Ref struct {
	Message, Block int
	// Missing means that the block is a call, and that its result, which is to
	// stand here, must be written; see [Answer].
	Missing bool
}

// Answer returns the text of a result that is missing, for the model to read. It
// goes into a result marked as an error. Whether the tool ran is not known here.
func Answer(tool string) string {
	if tool == "" {
		tool = "this call"
	}
	return fmt.Sprintf("There is no result of %s: the turn was interrupted. It may have run in part, or not at all. "+
		"Look at what it did before you repeat it, and repeat it only if it is still wanted.", tool)
}
