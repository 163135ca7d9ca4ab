package acp

import (
	"errors"
	"fmt"
	"strings"

	"github.com/creachadair/jrpc2"
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

// Codes of errors of the protocol beside those of JSON-RPC.
const (
	codeNotFound  jrpc2.Code = -32002
	codeCancelled jrpc2.Code = -32800
)

func invalid(format string, args ...any) error {
	return jrpc2.Errorf(jrpc2.InvalidParams, format, args...)
}

// unknownSession is the answer to a request for a session that is not open.
func unknownSession(id string) error {
	return jrpc2.Errorf(codeNotFound, "there is no session %q; open one with session/new", cut(id, maxQuoted))
}

const maxQuoted = 200 // bytes of the editor's words in an error

// cut shortens a text of the editor.
func cut(s string, limit int) string {
	if len(s) > limit {
		s = s[:limit] + "…"
	}
	return strings.ToValidUTF8(s, "�")
}
