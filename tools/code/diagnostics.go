package code

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/internal/languageserver"
)

// These limits apply to the report after an edit. They are our choice.
const (
	maxErrors     = 10
	diagnosisTime = 2 * time.Second // of one call, before and after the edit
)

// Diagnostics returns hooks that tell the model which errors a call of Edit, Write or
// NotebookEdit has brought, at most 10, after the results of the message. They ask a server
// that runs for the conversation and knows the file, for at most 2 s, and never start one.
// Errors that were there before are not told. A server that does not know the file before
// the call, or is late, tells nothing.
func Diagnostics(o Options) pegboard.Hooks {
	d := &diagnosis{options: o, edits: map[any]edit{}}
	return pegboard.Hooks{
		Pre: d.before, Post: d.after,
		PostFailure: d.forget, NotRun: d.forget,
	}
}

// A diagnosis remembers the problems before the edits that run.
type diagnosis struct {
	options Options
	mu      sync.Mutex
	edits   map[any]edit // by HookCall.Identity
}

// An edit is a file that a call changes.
type edit struct {
	server *languageserver.Server
	file   string
	errors []languageserver.Diagnostic // before
	left   time.Duration               // of diagnosisTime
}

// before finds the errors of the file that a call is about to change.
func (d *diagnosis) before(ctx context.Context, h *pegboard.HookCall) (policy.Decision, error) {
	if !slices.Contains([]string{"Edit", "Write", "NotebookEdit"}, h.Call.ToolName()) {
		return policy.Decision{}, nil
	}
	targets := h.Call.Targets()
	if len(targets) != 1 || targets[0].Kind != policy.Path || targets[0].Real() == "" {
		return policy.Decision{}, nil
	}
	e := edit{file: targets[0].Real()}
	for _, server := range poolOf(h.Call.Session()).Running(e.file) {
		if slices.ContainsFunc(d.options.servers(), func(s Server) bool { return s.Name == server.Name() }) {
			e.server = server
			break
		}
	}
	if e.server == nil {
		return policy.Decision{}, nil
	}
	began := time.Now()
	var known bool
	if e.errors, known = e.server.Published(e.file); !known {
		e.errors, known = e.diagnose(ctx, diagnosisTime/2)
	}
	if e.left = diagnosisTime - time.Since(began); known {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.edits[h.Identity()] = e
	}
	return policy.Decision{}, nil
}

// diagnose returns the problems that the server finds in the file within a time.
func (e edit) diagnose(ctx context.Context, within time.Duration) ([]languageserver.Diagnostic, bool) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	found, fresh, err := e.server.Diagnose(ctx, e.file)
	return found, fresh && err == nil
}

// take returns the edit of a call, and forgets it.
func (d *diagnosis) take(h *pegboard.HookCall) (edit, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e, ok := d.edits[h.Identity()]
	delete(d.edits, h.Identity())
	return e, ok
}

// forget drops the edit of a call that has changed nothing.
func (d *diagnosis) forget(_ context.Context, h *pegboard.HookCall) error {
	d.take(h)
	return nil
}

// after tells the errors that a call has brought.
func (d *diagnosis) after(ctx context.Context, h *pegboard.HookCall) error {
	e, ok := d.take(h)
	if !ok {
		return nil
	}
	found, fresh := e.diagnose(ctx, e.left)
	if fresh {
		if brought := newErrors(e.errors, found); len(brought) > 0 {
			h.Say(pegboard.Part{Text: e.text(h.Call.ShortPath(e.file), brought)})
		}
	}
	return nil
}

// newErrors returns the errors of now that before has not. Their places do not count, since
// an edit moves lines.
func newErrors(before, now []languageserver.Diagnostic) (brought []languageserver.Diagnostic) {
	type problem struct{ code, source, message string }
	of := func(d languageserver.Diagnostic) problem { return problem{d.Code, d.Source, d.Message} }
	old := map[problem]int{}
	for _, d := range before {
		if d.Severity == languageserver.Error {
			old[of(d)]++
		}
	}
	for _, d := range now {
		if d.Severity != languageserver.Error {
			continue
		}
		if old[of(d)]--; old[of(d)] < 0 {
			brought = append(brought, d)
		}
	}
	return brought
}

// text words the errors for the model.
func (e edit) text(path string, brought []languageserver.Diagnostic) string {
	var b strings.Builder
	fmt.Fprintf(&b, "New errors in %s, found by %s:", quotePath(path), e.server.Name())
	for _, d := range brought[:min(len(brought), maxErrors)] {
		fmt.Fprintf(&b, "\n  %d:%d: %s", d.Range.Start.Line, d.Range.Start.Column, word(d.Message))
	}
	if more := len(brought) - maxErrors; more > 0 {
		fmt.Fprintf(&b, "\n[%d more]", more)
	}
	return b.String()
}

// A conversation has the servers that all agents of a conversation share.
type conversation struct {
	pool   *languageserver.Pool
	ending sync.Once // registers the end of pool
}

var conversations = pegboard.NewKey[*conversation]("language servers")

// poolOf returns the servers of the conversation of s.
func poolOf(s *pegboard.Session) *languageserver.Pool {
	c := conversations.GetOrInitRoot(s, func() *conversation {
		return &conversation{pool: languageserver.NewPool()}
	})
	c.ending.Do(func() { // not in the func above, which GetOrInitRoot calls under its lock
		s.OnMainClose("language servers", c.pool.Close)
	})
	return c.pool
}
