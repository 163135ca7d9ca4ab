package acp

import (
	"errors"
	"fmt"
	"strings"

	sdk "github.com/coder/acp-go-sdk"
)

// ErrDisconnected is the cause with which a prompt ends, and the error of a question, when the
// editor has closed the connection.
var ErrDisconnected = errors.New("the editor has closed the connection")

// ErrNotShown is wrapped by the error of [Conversation.Ask] for a question that the editor has
// refused to show, or whose answer cannot be understood.
var ErrNotShown = errors.New("the editor has not shown the question")

// An OptionError is the error of [Conversation.Ask] for an answer that was not offered. The
// call is denied.
type OptionError struct {
	Option  string   // as the editor sent it
	Offered []string // the ids of the options
}

// Error names the option and those that were offered.
func (e *OptionError) Error() string {
	return fmt.Sprintf("the editor has selected the option %q, and was offered %s", e.Option, strings.Join(e.Offered, ", "))
}

// errUnfinished is the error of Serve if a prompt has not ended in time.
var errUnfinished = errors.New("acp: a prompt goes on although its context has ended")

// codeNotFound is the protocol's code for what does not exist.
const codeNotFound = -32002

// answerOf returns an error as the editor is sent it. The SDK would put the text where editors
// do not show it.
func answerOf(err error) *sdk.RequestError {
	if answer, ok := err.(*sdk.RequestError); ok { //nolint:errorlint // one that was made here
		return answer
	}
	return worded(sdk.NewInternalError(nil), "%v", err)
}

// worded returns an answer with another text than the SDK's.
func worded(answer *sdk.RequestError, format string, args ...any) *sdk.RequestError {
	answer.Message = fmt.Sprintf(format, args...)
	return answer
}

// foreign returns an error of the host as a text: its methods may panic, and it may wrap an answer
// of the editor.
func foreign(err error) error { return errors.New(fmt.Sprint(err)) }

func invalid(format string, args ...any) *sdk.RequestError {
	return worded(sdk.NewInvalidParams(nil), format, args...)
}

// unknownSession is the answer to a request for a session that is not open.
func unknownSession(id sdk.SessionId) error {
	return &sdk.RequestError{Code: codeNotFound, Message: fmt.Sprintf("there is no session %q; open one with session/new", cut(string(id)))}
}

const maxQuoted = 200 // bytes of the editor's words in an error

// cut shortens a text of the editor.
func cut(s string) string {
	if len(s) > maxQuoted {
		s = s[:maxQuoted] + "…"
	}
	return strings.ToValidUTF8(s, "�")
}
