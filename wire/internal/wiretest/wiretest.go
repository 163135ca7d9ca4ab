// Package wiretest tests what every [wire.Codec] promises.
//
// A wire fills a [Wire] with the pieces of its API: how a call, a result or a whole reply is
// spelled, and what the API refuses. The Run functions make conversations of these pieces and
// hold what comes of them against the promises. What is special about one API, its wire tests
// itself. The package is for tests alone; no shipped code imports it.
package wiretest

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/wire"
)

// A Wire is what the tests need to know of one API. A message is an element of the list that
// holds a conversation, and a block is what a message consists of. An API whose calls and
// results are messages themselves has blocks that are messages.
type Wire struct {
	Provider     wire.Provider
	New          func(p *pegboard.Pool) wire.Codec // returns the Codec of a pool
	NewSuspended func(p *pegboard.Pool) wire.Codec // with Suspended in its Config
	Zero         wire.Codec                        // the Codec without a pool

	// The request's member "tools".

	APIName  *regexp.Regexp                                     // the names that the API takes
	Names    func(t testing.TB, tools json.RawMessage) []string // of the pool's tools
	ToolsEnd string                                             // what follows the last tool
	Refused  string                                             // a schema that the API has no form for
	Reason   string                                             // a word of the Reason why

	// A conversation.

	Hello   string                                          // a message of the user
	Says    string                                          // a message of the model, without calls
	Model   func(blocks ...string) []string                 // messages of the model
	User    func(blocks ...string) []string                 // messages of the user
	Call    func(id, name, input string) string             // a block of the model
	Result  func(id, name, text string) string              // a block of the user
	Failure func(id, name, text string) string              // the Result of a call that failed
	Missing func(id, name string) string                    // what Normalize writes for a result
	NoIDs   bool                                            // a call needs no id to have a result
	Odd     []string                                        // what is no message
	Random  func(random *rand.Rand) []Message               // a conversation, see RunNormalize
	Blocks  func(message json.RawMessage) []json.RawMessage // that Normalize keeps or drops as they are
	Stays   func(block string) bool                         // a block that is kept wherever it stands
	IDs     func(message json.RawMessage) []string          // of the calls and results in it; nil if repairs name others
	Answers func(message json.RawMessage) bool              // whether results in it count; nil means always
	// Faults says why the API refuses a conversation for its calls and results.
	Faults func(t testing.TB, messages []json.RawMessage) []string
	// Elsewhere tells a message that stands for others, which the API keeps; nil means none.
	Elsewhere func(message json.RawMessage) bool
	// RequireTurn checks the next messages of a conversation: those of a reply and its answer.
	RequireTurn func(t testing.TB, m *wire.Message, answer []json.RawMessage)

	// Replies.

	Reply       func(blocks ...string) string  // a whole one, which ended well
	BadInput    string                         // of a call, which is no object; Reply takes it
	Streams     []Stream                       // the forms in which a reply is streamed
	RandomReply func(random *rand.Rand) string // whole, cut or odd; its calls have some ids twice

	Recordings func(t testing.TB, folder string) []corpus.Recording // of a folder of the corpus

	// Searches for tools.

	Search   func(id, input string) string // the call of ToolSearch that Recall writes; nil means Call
	SearchID *regexp.Regexp                // of its id; nil means that it has none
}

// A Stream is one form in which an API sends a reply while the model writes.
type Stream struct {
	// Calls is a reply in parts. Each ends when a call is complete; their ids are "a", "b" and
	// so on.
	Calls []string
	// Open begins a reply, and Say goes on with some text.
	Open string
	Say  func(text string) string
	// EndsWithBody means that nothing but the end of the body ends a reply.
	EndsWithBody bool
}

func (w Wire) search(id, input string) string {
	if w.Search != nil {
		return w.Search(id, input)
	}
	return w.Call(id, "ToolSearch", input)
}

// words returns the messages of a conversation that a user and a model have.
func words(lists ...[]string) (messages []json.RawMessage) {
	for _, list := range lists {
		messages = append(messages, Messages(list...)...)
	}
	return messages
}
