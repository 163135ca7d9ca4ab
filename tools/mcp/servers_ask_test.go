package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
)

// A user fills forms as a test says and keeps them.
type user struct {
	mu    sync.Mutex
	forms []pegboard.Form
	fill  func(ctx context.Context, f *pegboard.Form) (pegboard.Filled, error)
}

func (u *user) setup(s *setup) {
	s.session.Fill = func(ctx context.Context, f *pegboard.Form) (pegboard.Filled, error) {
		u.mu.Lock()
		u.forms = append(u.forms, *f)
		u.mu.Unlock()
		return u.fill(ctx, f)
	}
}

func (u *user) shown() []pegboard.Form {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.forms
}

func accept(content string) func(context.Context, *pegboard.Form) (pegboard.Filled, error) {
	return func(context.Context, *pegboard.Form) (pegboard.Filled, error) {
		return pegboard.Filled{Action: pegboard.FillAccept, Content: json.RawMessage(content)}, nil
	}
}

// TestForms has a server ask for all kinds of forms in a call. Those that are wrong get an
// error and are not shown.
func TestForms(t *testing.T) {
	t.Parallel()
	form := func(schema string) string {
		return `"method":"elicitation/create","params":{"message":"who?","requestedSchema":` + schema + `}`
	}
	address := func(members string) string {
		return `"method":"elicitation/create","params":{"mode":"url","message":"log in","elicitationId":"e1",` + members + `}`
	}
	tests := []struct {
		name    string
		request string
		content string // that the user gives
		want    string // in the answer
		unseen  bool
	}{
		{name: "form", request: form(`{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"integer"}},"required":["a"]}`), content: `{"a":"x","n":9007199254740993}`, want: `"a":"x"`},
		{name: "defaults", request: form(`{"type":"object","properties":{"a":{"type":"string","default":"d"}},"required":["a"]}`), content: `{}`, want: `{"a":"d"}`},
		{name: "nested", request: form(`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}}}`), want: `"error"`, unseen: true},
		{name: "list of objects", request: form(`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}}}`), want: `"error"`, unseen: true},
		{name: "no object", request: form(`{"type":"string"}`), want: `"error"`, unseen: true},
		{name: "a schema of no kind", request: form(`7`), want: `"error"`, unseen: true},
		{name: "reference", request: form(`{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`), want: `"error"`, unseen: true},
		{name: "no schema", request: `"method":"elicitation/create","params":{"message":"go on?"}`, content: `{}`, want: `"action":"accept"`},
		{name: "address", request: address(`"url":"https://example.com/login?a=1"`), want: `"action":"accept"`},
		{name: "both", request: address(`"url":"https://example.com","requestedSchema":{"type":"object"}`), want: `"error"`, unseen: true},
		{name: "a form with an address", request: `"method":"elicitation/create","params":{"message":"a","url":"https://example.com","requestedSchema":{"type":"object"}}`, want: `"error"`, unseen: true},
		{name: "neither", request: address(`"x":1`), want: `"error"`, unseen: true},
		{name: "unencrypted", request: address(`"url":"http://example.com"`), want: `"error"`, unseen: true},
		{name: "this machine", request: address(`"url":"http://127.0.0.1:8080/a"`), want: `"action":"accept"`},
		{name: "this machine with a user", request: address(`"url":"http://127.0.0.1@example.com/a"`), want: `"error"`, unseen: true},
		{name: "a script", request: address(`"url":"javascript:alert(1)"`), want: `"error"`, unseen: true},
		{name: "a file", request: address(`"url":"file:///etc/passwd"`), want: `"error"`, unseen: true},
		{name: "no host", request: address(`"url":"https:///a"`), want: `"error"`, unseen: true},
		{name: "an address that is none", request: address(`"url":"https://exa mple.com/%zz"`), want: `"error"`, unseen: true},
		{name: "control characters", request: address(`"url":"https://example.com/\n\u001b[31m"`), want: `"error"`, unseen: true},
		{name: "unknown mode", request: `"method":"elicitation/create","params":{"mode":"voice","message":"a"}`, want: `"error"`, unseen: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u := &user{fill: accept(tt.content)}
			b := newBridge(t, u.setup, own(t, "srv", "usual")).ready()
			o := b.call("srv", "ask", scriptedInput{Request: tt.request})
			require.NoError(t, o.Err)
			require.Contains(t, textOf(o), tt.want)
			require.Equal(t, tt.unseen, len(u.shown()) == 0)
		})
	}
}

// TestFormWhileNoCallRuns has a server ask by itself. The main session is asked.
func TestFormWhileNoCallRuns(t *testing.T) {
	t.Parallel()
	u := &user{fill: accept(`{}`)}
	b := newBridge(t, u.setup, own(t, "srv", "usual")).ready()
	o := b.call("srv", "say", lines(answered, `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"alone"}}`))
	require.NoError(t, o.Err)
	require.Eventually(t, func() bool { return len(u.shown()) == 1 }, soon, poll)
	require.Equal(t, "alone", u.shown()[0].Message)
	require.Equal(t, "srv", u.shown()[0].From)
	b.requireEcho("srv")
}

// TestManyForms has a server ask a hundred times at once. The user is shown one at a time, and
// what the server takes back is not shown any more.
func TestManyForms(t *testing.T) {
	t.Parallel()
	var atOnce, most atomic.Int64
	u := &user{fill: func(context.Context, *pegboard.Form) (pegboard.Filled, error) {
		most.Store(max(most.Load(), atOnce.Add(1)))
		defer atOnce.Add(-1)
		time.Sleep(time.Millisecond)
		return pegboard.Filled{Action: pegboard.FillDecline}, nil
	}}
	b := newBridge(t, u.setup, own(t, "srv", "usual")).ready()
	var says []string
	for n := range 100 {
		says = append(says, fmt.Sprintf(`{"jsonrpc":"2.0","id":"q%d","method":"elicitation/create","params":{"message":"m"}}`, n))
	}
	require.NoError(t, b.call("srv", "say", lines(append(says, answered)...)).Err)
	require.Eventually(t, func() bool { return len(u.shown()) == 100 || len(u.shown()) > 0 && atOnce.Load() == 0 }, soon, poll)
	require.Equal(t, int64(1), most.Load())
	b.requireEcho("srv")
}

// TestAddressesBeforeACall has a server want addresses opened before it answers, in all wrong
// ways.
func TestAddressesBeforeACall(t *testing.T) {
	t.Parallel()
	refuse := func(elicitations string) string {
		return `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32042,"message":"log in","data":{"elicitations":` + elicitations + `}}}`
	}
	tests := []struct {
		name   string
		refuse string
		action pegboard.FillAction
		err    error
		text   string // of the error
		forms  int
	}{
		{name: "declined", refuse: refuse(`[{"mode":"url","message":"a","url":"https://example.com","elicitationId":"1"}]`), action: pegboard.FillDecline, err: mcp.ErrFormDeclined, text: "decline of https://example.com", forms: 1},
		{name: "cancelled", refuse: refuse(`[{"mode":"url","message":"a","url":"https://example.com","elicitationId":"1"}]`), action: pegboard.FillCancel, err: mcp.ErrFormDeclined, forms: 1},
		{name: "accepted, and wanted again for ever", refuse: refuse(`[{"mode":"url","message":"a","url":"https://example.com","elicitationId":"1"}]`), action: pegboard.FillAccept, err: mcp.ErrIdle, forms: 1},
		{name: "unencrypted", refuse: refuse(`[{"mode":"url","message":"a","url":"http://example.com","elicitationId":"1"}]`), action: pegboard.FillAccept, text: "must begin with https://"},
		{name: "forms", refuse: refuse(`[{"mode":"form","message":"a","requestedSchema":{"type":"object"}}]`), action: pegboard.FillAccept, text: "log in"},
		{name: "one null of two", refuse: refuse(`[{"mode":"url","message":"a","url":"https://example.com","elicitationId":"1"},null]`), action: pegboard.FillAccept, text: "log in"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u := &user{fill: func(context.Context, *pegboard.Form) (pegboard.Filled, error) {
				return pegboard.Filled{Action: tt.action}, nil
			}}
			b := newBridge(t, func(s *setup) {
				u.setup(s)
				if errors.Is(tt.err, mcp.ErrIdle) {
					s.options.Idle = 2 * time.Second
				}
			}, own(t, "srv", "usual")).ready()
			o := b.call("srv", "say", lines(tt.refuse))
			require.Error(t, o.Err)
			if tt.err != nil {
				require.ErrorIs(t, o.Err, tt.err)
			}
			require.ErrorContains(t, o.Err, tt.text)
			require.Len(t, u.shown(), tt.forms)
			b.requireEcho("srv")
		})
	}
}

// TestFormEndsWithItsCall cancels a call while its form is shown.
func TestFormEndsWithItsCall(t *testing.T) {
	t.Parallel()
	shown := make(chan struct{})
	ended := make(chan error, 1)
	u := &user{fill: func(ctx context.Context, _ *pegboard.Form) (pegboard.Filled, error) {
		close(shown)
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return pegboard.Filled{}, context.Cause(ctx)
	}}
	b := newBridge(t, u.setup, own(t, "srv", "usual")).ready()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { <-shown; cancel() }()
	o := b.callContext(ctx, "srv", "ask", scriptedInput{Request: `"method":"elicitation/create","params":{"message":"a"}`})
	require.ErrorIs(t, o.Err, context.Canceled)
	select {
	case err := <-ended:
		require.Error(t, err)
	case <-time.After(soon):
		require.Fail(t, "the form is still shown")
	}
	b.requireEcho("srv")
}
