package wire

import (
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

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

// Notice returns what the model must know of the end of its message, or "": that the message
// was too long and which calls were not complete, or that a call could not be read. The
// Results of a [Codec] begin their words of the user with it.
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
