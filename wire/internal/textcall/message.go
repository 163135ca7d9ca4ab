package textcall

import (
	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/answer"
)

// Answer returns what answers a message whose calls were found in its text: the results
// and then the Messages and more, all of them as words of the user. It reports false for
// any other message.
func Answer(m *wire.Message, outcomes []pegboard.Outcome, more []pegboard.Part, f Form) (parts []pegboard.Part, ok bool) {
	if len(m.Calls) == 0 || !m.Calls[0].FromText {
		return nil, false
	}
	answers := answer.To(m.Calls, outcomes)
	return append(results(answers, f), answer.Messages(m, answers, more)...), true
}

// A Form is how a provider names and defines tools.
type Form struct {
	Name   func(tool string) string             // in the API
	Define func(parts []pegboard.Part) []string // words the references to tools that parts begin with
}
