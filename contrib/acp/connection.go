package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A connection is one editor, from its first message to its last.
type connection struct {
	agent  *Agent
	stream *stream
	rpc    *sdk.Connection
	gone   context.Context //nolint:containedctx // ends with the connection
	depart context.CancelCauseFunc

	mu            sync.Mutex
	client        sdk.Implementation
	forms, urls   bool // the editor shows forms and addresses
	conversations map[sdk.SessionId]*Conversation
	closed        bool // no conversation is opened any more
}

// connect begins to answer the editor.
func connect(a *Agent, in io.ReadCloser, out io.WriteCloser) *connection {
	n := &connection{agent: a, conversations: map[sdk.SessionId]*Conversation{}}
	n.gone, n.depart = context.WithCancelCause(context.Background())
	n.stream = newStream(n, in, out)
	n.rpc = sdk.NewConnection(n.handle, n.stream, n.stream)
	n.rpc.SetLogger(slog.New(slog.DiscardHandler)) // it logs contents
	close(n.stream.ready)
	return n
}

// leave ends all that waits for the editor.
func (n *connection) leave(cause error) {
	if left(cause) {
		cause = ErrDisconnected
	}
	n.depart(cause)
}

// close closes the sessions.
func (n *connection) close(ctx context.Context) error {
	n.mu.Lock()
	n.closed = true
	var ends []<-chan error
	var errs []error
	for _, c := range n.conversations {
		ends = append(ends, goroutine.Go(func() {
			if err := c.close(ctx); err != nil {
				n.mu.Lock()
				defer n.mu.Unlock()
				errs = append(errs, fmt.Errorf("acp: %w", err))
			}
		}))
	}
	n.mu.Unlock()
	for _, end := range ends {
		<-end
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return errors.Join(errs...)
}

// handle answers a request of the editor. The SDK calls it on a goroutine for each.
func (n *connection) handle(ctx context.Context, method string, params json.RawMessage) (any, *sdk.RequestError) {
	switch method {
	case sdk.AgentMethodInitialize:
		return answer(ctx, params, n.initialize)
	case sdk.AgentMethodSessionNew:
		return answer(ctx, params, n.open)
	case sdk.AgentMethodSessionClose:
		return answer(ctx, params, n.closeSession)
	case sdk.AgentMethodSessionSetMode:
		return answer(ctx, params, n.setMode)
	case sdk.AgentMethodSessionPrompt:
		begun := sync.OnceFunc(n.stream.begun.Done)
		defer begun()
		return answer(ctx, params, func(ctx context.Context, in *sdk.PromptRequest) (any, error) { return n.prompt(ctx, in, begun) })
	}
	return nil, sdk.NewMethodNotFound(cut(method))
}

// answer reads the parameters of a message, and has f answer it.
func answer[In any](ctx context.Context, params json.RawMessage, f func(ctx context.Context, in *In) (any, error)) (any, *sdk.RequestError) {
	in := new(In)
	if len(params) == 0 {
		return nil, invalid("there are no parameters")
	}
	if err := json.Unmarshal(params, in); err != nil {
		return nil, invalid("the parameters cannot be read: %v", err)
	}
	out, err := f(ctx, in)
	switch {
	case err == nil:
		return out, nil
	case ctx.Err() != nil:
		return nil, sdk.NewRequestCancelled(nil)
	}
	return nil, answerOf(err)
}

// initialize answers the first message of the editor.
func (n *connection) initialize(_ context.Context, in *sdk.InitializeRequest) (any, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if in.ClientInfo != nil {
		n.client = *in.ClientInfo
	}
	if e := in.ClientCapabilities.Elicitation; e != nil {
		n.forms, n.urls = e.Form != nil, e.Url != nil
	}
	o := &n.agent.o
	capabilities := sdk.AgentCapabilities{
		PromptCapabilities: o.Prompts, McpCapabilities: o.MCP,
		SessionCapabilities: sdk.SessionCapabilities{Close: &sdk.SessionCloseCapabilities{}},
	}
	if o.MoreDirs {
		capabilities.SessionCapabilities.AdditionalDirectories = &sdk.SessionAdditionalDirectoriesCapabilities{}
	}
	// A client of another version ends the connection if it does not speak this one.
	return sdk.InitializeResponse{
		ProtocolVersion: sdk.ProtocolVersionNumber, AgentCapabilities: capabilities, AgentInfo: &o.Info,
	}, nil
}

// open opens a conversation.
func (n *connection) open(ctx context.Context, in *sdk.NewSessionRequest) (any, error) {
	for _, dir := range append([]string{in.Cwd}, in.AdditionalDirectories...) {
		if !filepath.IsAbs(dir) {
			return nil, invalid("the directory %q is not absolute", cut(dir))
		}
	}
	if err := n.agent.o.checkServers(in.McpServers); err != nil {
		return nil, err
	}
	c := newConversation(n, in)
	if err := c.open(ctx); err != nil {
		return nil, err
	}
	response := sdk.NewSessionResponse{SessionId: c.id, Modes: modesOf(c.session.Permissions())}
	n.mu.Lock()
	here := !n.closed && ctx.Err() == nil
	if here {
		n.conversations[c.id] = c
	}
	n.mu.Unlock()
	if !here {
		return nil, errors.Join(context.Cause(ctx), c.close(context.WithoutCancel(ctx)))
	}
	return response, nil
}

// checkServers returns the answer to MCP servers that the host does not connect to.
func (o *Options) checkServers(all []sdk.McpServer) error {
	for i, s := range all {
		var kind, name, where string
		switch {
		case s.Stdio != nil:
			name, where = s.Stdio.Name, s.Stdio.Command
		case s.Http != nil && s.Http.Type == "http": // the SDK takes what it does not know for one
			kind, name, where = "http", s.Http.Name, s.Http.Url
		case s.Sse != nil:
			kind, name, where = "sse", s.Sse.Name, s.Sse.Url
		case s.Acp != nil:
			kind = "acp"
		}
		switch {
		case kind == "http" && !o.MCP.Http || kind == "sse" && !o.MCP.Sse || kind == "acp":
			return invalid("mcpServers[%d]: this agent takes no servers of type %q", i, kind)
		case name == "" || where == "":
			return invalid("mcpServers[%d]: a server has a name, and a command with args and env, or a known type and a url", i)
		}
	}
	return nil
}

// conversation returns an open conversation, or the answer of an error.
func (n *connection) conversation(id sdk.SessionId) (*Conversation, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	c, ok := n.conversations[id]
	if !ok {
		return nil, unknownSession(id)
	}
	return c, nil
}

func (n *connection) closeSession(ctx context.Context, in *sdk.CloseSessionRequest) (any, error) {
	n.mu.Lock()
	c, ok := n.conversations[in.SessionId]
	delete(n.conversations, in.SessionId)
	n.mu.Unlock()
	if !ok {
		return nil, unknownSession(in.SessionId)
	}
	return sdk.CloseSessionResponse{}, c.close(context.WithoutCancel(ctx))
}

func (n *connection) setMode(_ context.Context, in *sdk.SetSessionModeRequest) (any, error) {
	c, err := n.conversation(in.SessionId)
	if err != nil {
		return nil, err
	}
	if err := c.setMode(policy.Mode(in.ModeId)); err != nil {
		return nil, invalid("%v", err)
	}
	return sdk.SetSessionModeResponse{}, nil
}

// prompt runs a prompt. It calls begun when a cancellation can find it.
func (n *connection) prompt(ctx context.Context, in *sdk.PromptRequest, begun func()) (any, error) {
	c, err := n.conversation(in.SessionId)
	if err != nil {
		return nil, err
	}
	parts, err := n.agent.o.partsOf(in.Prompt)
	if err != nil {
		return nil, err
	}
	t, err := c.begin(parts)
	if err != nil {
		return nil, err
	}
	begun()
	stop := context.AfterFunc(ctx, func() {
		if context.Cause(ctx) == context.Canceled { //nolint:errorlint // what $/cancel_request leaves; else the editor has left
			t.cancel(pegboard.ErrUserInterrupt)
		}
	})
	defer stop()
	return c.run(t)
}

// cancel ends the prompt of a session.
func (n *connection) cancel(params json.RawMessage) {
	var in sdk.CancelNotification
	if json.Unmarshal(params, &in) != nil {
		return
	}
	if c, err := n.conversation(in.SessionId); err == nil {
		c.interrupt(pegboard.ErrUserInterrupt)
	}
}

// notify sends a notification. An editor that has left may still read.
func (n *connection) notify(method string, params any) {
	if err := n.rpc.SendNotification(context.Background(), method, params); err != nil && n.gone.Err() == nil {
		n.agent.logError("sending "+method, err)
	}
}

// request asks the editor, which is told if ctx ends before it has answered. The error is the
// cause of ctx, ErrDisconnected, or the error that the editor answered.
func request[Out any](ctx context.Context, n *connection, method string, params any) (Out, error) {
	out, err := sdk.SendRequest[Out](n.rpc, ctx, method, params)
	switch {
	case ctx.Err() != nil: // an answer that has come at the same time is for a question of the past
		return out, context.Cause(ctx)
	case err == nil:
		return out, nil
	case n.gone.Err() != nil:
		return out, context.Cause(n.gone)
	}
	return out, err
}
