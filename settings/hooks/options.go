package hooks

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

const (
	// hostPatience is how long a func of the host that is only told something is waited for. It
	// bounds a func that hangs. A busy machine may take a second to run one that does not.
	hostPatience = 5 * time.Second
	// defaultStopCap is how many times in a row hooks may keep an agent from stopping.
	defaultStopCap = 8
	// defaultSessionEnd is how long all hooks of SessionEnd may take together.
	defaultSessionEnd = 1500 * time.Millisecond
	// maxSessionEnd is the most to which the timeouts of its hooks raise that.
	maxSessionEnd = time.Minute
)

// Options are the settings of a [Runner] and the funcs that a host gives it. The zero value is
// ready to use: it runs command and http hooks, and drops their messages to the person.
//
// The funcs may be nil. They may be called concurrently, and on any goroutine. One that
// panics or does not return keeps no call from its end: Invoke and Prompt are abandoned when
// the time of their hook is over, the others after five seconds.
type Options struct {
	// Project is the directory that the session was started in, absolute: the hooks'
	// CLAUDE_PROJECT_DIR. Empty means that of the session.
	Project string
	// Transcript returns the path of the session's transcript. Nil means that hooks
	// see an empty path.
	Transcript func(*pegboard.Session) string
	// Env is added to the environment of this process for the hooks that are commands.
	// Variables whose names begin with OTEL_ are left out of both.
	Env map[string]string
	// EnvFile returns the file to which hooks of SessionStart, Setup, CwdChanged and
	// FileChanged write settings of the environment: their CLAUDE_ENV_FILE. Nil means that
	// they have none.
	EnvFile func(*pegboard.Session) string
	// AllowedURLs are the addresses that http hooks may post to: the key allowedHttpHookUrls.
	// A "*" stands for any characters. Nil means any address that a hook names, and an empty
	// list none.
	AllowedURLs []string
	// AllowedVars are the variables that the headers of http hooks may hold, if the hook
	// allows them, too: the key httpHookAllowedEnvVars. Nil means all that a hook allows.
	AllowedVars []string
	// HTTP is the client of http hooks. Nil means one that uses the proxies of the
	// environment. Redirects are restricted with either, see the package documentation.
	HTTP *http.Client

	// Invoke calls a tool of an MCP server for a hook of type mcp_tool, as Invoke of
	// tools/mcp.Servers does. Nil means that these hooks are left out.
	Invoke func(ctx context.Context, server, tool string, input json.RawMessage) (*pegboard.Result, error)
	// Prompt answers a hook of type prompt or agent, h.Type says which: with the text of a
	// model, a JSON object {"ok": bool, "reason": string, "impossible": bool}. The prompt holds
	// the event, parts of which the model has written. Nil means that these hooks are left out.
	Prompt func(ctx context.Context, h Handler, prompt string) (string, error)

	// Strict makes a hook block if it cannot start, is late, ends with an error or gives an
	// answer that cannot be read, for events that a hook can keep from happening. By default,
	// as documented for hooks, such a hook has no effect. OnProblem is told in either case.
	Strict bool
	// Wake is called when an asyncRewake hook has ended with code 2. The text is for the model:
	// the stderr of the hook or, if that is empty, its stdout. Nil means that the text becomes
	// news of the session, see [pegboard.Session.Notify].
	Wake func(s *pegboard.Session, text string)
	// Message is called with each text of a hook for the person: systemMessage, stopReason, and
	// reasons that the model does not read. Hooks of a call also emit the text as an event of
	// the call, see [pegboard.HookCall.Emit].
	Message func(s *pegboard.Session, text string)
	// Terminal is called with the terminalSequence of a hook, to be written to the person's
	// terminal as it is: bells, titles, notifications and progress (OSC 0, 1, 2, 9, 99 and 777).
	// Any other is left out, and OnProblem is told. Nil means that there is no terminal.
	Terminal func(s *pegboard.Session, sequence string)
	// OnProblem is called with every hook that failed or was left out, and with every hook whose
	// answer has a part without effect. The error may hold output of the hook, which may be
	// secret. It wraps [ErrHook]. Nil means that it is logged to [slog.Default].
	OnProblem func(h Handler, err error)

	// StopCap is how many times in a row hooks of Stop or SubagentStop may keep an agent from
	// stopping; 0 means 8, as documented, and a negative number no limit.
	StopCap int
	// SessionEnd is how long the hooks of SessionEnd may take together; 0 means 1.5 seconds,
	// or the longest timeout among them, at most a minute, as documented.
	SessionEnd time.Duration
}

// problem reports a problem with a hook to the host.
func (o *Options) problem(h *Handler, err error) {
	if o.OnProblem == nil {
		slog.Warn("a hook failed, was left out, or a part of its answer has no effect", "error", &hookError{h, err})
	} else {
		_ = patiently(func() { o.OnProblem(*h, &hookError{h, err}) })
	}
}

// message tells the person something.
func (o *Options) message(s *pegboard.Session, text string) {
	if o.Message == nil || text == "" {
		return
	}
	if crash := patiently(func() { o.Message(s, text) }); crash != nil {
		o.problem(&Handler{}, fmt.Errorf("the func Message: %w", crash))
	}
}

// wake tells the model something, and has it read that at once if the host can.
func (o *Options) wake(s *pegboard.Session, text string) {
	if o.Wake == nil {
		s.Notify(pegboard.Part{Text: text})
		return
	}
	if crash := patiently(func() { o.Wake(s, text) }); crash != nil {
		o.problem(&Handler{}, fmt.Errorf("the func Wake: %w", crash))
		s.Notify(pegboard.Part{Text: text})
	}
}

// ask returns the result of a func of the host that knows something about the session, or "".
func (o *Options) ask(name string, f func(*pegboard.Session) string, s *pegboard.Session) string {
	if f == nil {
		return ""
	}
	answer := make(chan string, 1)
	crash := patiently(func() { answer <- f(s) })
	select {
	case text := <-answer:
		return text
	default:
		o.problem(&Handler{}, fmt.Errorf("the func %s: %w", name, crash))
		return ""
	}
}

// patiently calls a func of the host, and waits for it for a while. The error says that it
// panicked or has not returned.
func patiently(f func()) error {
	done := goroutine.Go(f)
	timer := time.NewTimer(hostPatience)
	defer timer.Stop()
	select {
	case crash := <-done:
		return crash
	case <-timer.C:
	}
	select {
	case crash := <-done: // the machine was too busy to notice it earlier
		return crash
	default:
		return fmt.Errorf("it has not returned after %v", hostPatience)
	}
}
