package wire

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// A Message is one turn of the model. It is plain data, without a reference to the [Codec]
// that read it.
type Message struct {
	ID    string // of the message or response; may be empty
	Model string // the model that answered
	Text  string // the answer, with the refusal and without the thinking
	// Refusal is why the model does not answer. Only the APIs of OpenAI tell it apart
	// from the answer; it is part of Text.
	Refusal string

	// Calls are the calls to run, in the order of the message. ID, Name and Input are
	// set; Name is the name in the pool. Input holds the bytes of the model and may be empty
	// or no JSON at all: the executor refuses it and tells the model.
	// There are two exceptions. The models of OpenAI must write null for optional
	// properties of strict tools, and these nulls are taken out. Arguments that Gemini
	// streams in pieces are put together.
	Calls []pegboard.Call
	// Incomplete are the calls that the model began and did not finish, because the
	// reply was cut or the tokens ran out. Input is the part that arrived. They must not run, and
	// History does not hold them.
	Incomplete []pegboard.Call

	// StopReason is the provider's word for why the model stopped, such as "tool_use",
	// "stop", "completed" or "MAX_TOKENS". It is empty if the reply was cut or ended with
	// an error.
	StopReason string
	// StopMessage explains StopReason to people. Only Gemini sends it; it may be empty.
	StopMessage string
	// Blocked means that Gemini refused the prompt: the model said nothing, and
	// StopReason is why. It is false with other providers.
	Blocked bool
	// Finish is StopReason as [pegboard.Stream.Finish] takes it. A reason that the Codec
	// does not know counts as [pegboard.FinishError], so that no tool writes because of
	// it. Err tells an answer from the rest.
	Finish pegboard.FinishReason
	Usage  Usage

	// History is the message as the next request holds it, unchanged as far as the
	// provider takes it: with thinking, its signatures, and parts that the Codec does
	// not know. It is one message, or any number of items in Responses. It is empty if
	// the turn has no place in the request.
	//
	// It leaves out parts that the provider would refuse, such as incomplete calls and a
	// second call with the same id. Input that is no JSON object is replaced by
	// {"INVALID_JSON": "…"} where the provider takes nothing but objects.
	History []json.RawMessage
}

// An EndingError says that a message is no answer, and that its calls must not run.
type EndingError struct {
	Finish  pegboard.FinishReason
	Reason  string // the provider's word, see Message.StopReason; may be empty
	Message string // the refusal of the model, or the provider's explanation; may be empty
	// Continue means that the model goes on if the next request holds the message's History
	// and the Codec's Results: the message was too long, a call could not be read, or the
	// provider paused the turn. A host should limit how often that may happen in a row.
	Continue bool
}

// Error returns the reason and the message.
func (e *EndingError) Error() string {
	text := "the model's message ended with " + string(e.Finish)
	if e.Reason != "" && e.Reason != string(e.Finish) {
		text += " (" + e.Reason + ")"
	}
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

// Err returns nil if the message is whole: an answer, or one with calls to run. Otherwise it
// returns an [*EndingError]. A loop that does not ask takes a refusal, a message that was cut
// off or a paused turn for an answer, and runs calls of a message that was cut off.
func (m *Message) Err() error {
	switch m.Finish {
	case pegboard.FinishStop, pegboard.FinishToolCalls:
		return nil
	}
	e := &EndingError{Finish: m.Finish, Reason: m.StopReason, Message: m.StopMessage}
	if e.Message == "" {
		e.Message = m.Refusal
	}
	switch m.Finish {
	case pegboard.FinishLength, pegboard.FinishBadCall, pegboard.FinishPause:
		e.Continue = true
	}
	return e
}

// Notice returns a text that tells the model how its message ended: that the message was too
// long and which calls were not complete, or that a call could not be read. It is empty for any
// other end. The Results of a [Codec] begin their words of the user with it.
func (m *Message) Notice() string {
	switch {
	case m.Finish == pegboard.FinishLength && len(m.Incomplete) > 0:
		var names []string
		for _, c := range m.Incomplete {
			names = append(names, c.Name)
		}
		return fmt.Sprintf("Your message reached the limit of its length. The call of %s was not complete and did not run. "+
			"Send it again as smaller calls, for example a long text in several parts.", strings.Join(names, ", "))
	case m.Finish == pegboard.FinishLength:
		return "Your message reached the limit of its length. Go on where it ended."
	case m.Finish == pegboard.FinishBadCall:
		why := m.StopReason
		if m.StopMessage != "" {
			why += ": " + m.StopMessage
		}
		return fmt.Sprintf("A call in your message could not be read and did not run (%s). Call a tool that you were given, with arguments that fit its definition.", why)
	}
	return ""
}
