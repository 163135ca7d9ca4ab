package acp

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/creachadair/jrpc2"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tasks"
)

// A Conversation is one session of the protocol: a thread in the editor. All methods may be
// called concurrently, from [Options].Open on. What is sent after the editor has left is lost.
type Conversation struct {
	connection *connection
	id         string
	dir        string
	moreDirs   []string
	servers    []MCPServer
	loop       Turn
	calls      calls

	mu      sync.Mutex
	session *pegboard.Session // nil until Open has returned it
	turn    *turn             // nil while no prompt runs
	mode    policy.Mode       // that the editor was told last
	todos   []tasks.Todo      // likewise
}

// A Client is an editor, as it names itself. Its fields may be empty.
type Client struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
}

func newConversation(n *connection, in *newSessionRequest, servers []MCPServer) *Conversation {
	c := &Conversation{connection: n, id: "session-" + rand.Text(), dir: in.Dir, servers: servers}
	if n.agent.o.Accepts.MoreDirs {
		c.moreDirs = in.MoreDirs
	}
	c.calls.init(c)
	return c
}

// open has the host make the session.
func (c *Conversation) open(ctx context.Context) (err error) {
	a := c.connection.agent
	var session *pegboard.Session
	if crash := <-goroutine.Go(func() { session, c.loop, err = a.o.Open(ctx, c) }); crash != nil {
		a.logError("opening a session", crash)
		return errors.New("the agent failed inside")
	}
	if err != nil {
		return err
	}
	if session == nil || c.loop == nil {
		a.logError("opening a session", errors.New("Options.Open has returned no session or no Turn"))
		return errors.New("the agent failed inside")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session, c.mode = session, session.Permissions().Mode()
	return nil
}

// close ends the prompt and the session.
func (c *Conversation) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closeTime)
	defer cancel()
	c.mu.Lock()
	session, t := c.session, c.turn
	c.mu.Unlock()
	if t != nil {
		t.cancel(pegboard.ErrUserInterrupt)
		select {
		case <-t.done:
		case <-ctx.Done():
		}
	}
	if err := session.Close(ctx); err != nil {
		return fmt.Errorf("closing %s: %w", c.id, err)
	}
	return nil
}

// ID returns the id of the conversation, which the editor knows.
func (c *Conversation) ID() string { return c.id }

// Dir returns the absolute directory that the user works in.
func (c *Conversation) Dir() string { return c.dir }

// MoreDirs returns further absolute directories of the user. It is nil unless
// [Accepts].MoreDirs is set.
func (c *Conversation) MoreDirs() []string { return slices.Clone(c.moreDirs) }

// Servers returns the MCP servers that the user has configured in the editor. The host
// connects to them, or does not.
func (c *Conversation) Servers() []MCPServer {
	servers := slices.Clone(c.servers)
	for i := range servers {
		servers[i] = servers[i].copied()
	}
	return servers
}

// Client returns the name and version that the editor gave in its first message.
func (c *Conversation) Client() Client {
	c.connection.mu.Lock()
	defer c.connection.mu.Unlock()
	return c.connection.client
}

// Say shows a text of the model, whole or a piece that follows the last one.
func (c *Conversation) Say(text string) { c.chunk("agent_message_chunk", text) }

// Think shows a thought of the model, whole or a piece that follows the last one.
func (c *Conversation) Think(text string) { c.chunk("agent_thought_chunk", text) }

func (c *Conversation) chunk(kind, text string) {
	if text != "" {
		c.update(chunk{Kind: kind, Content: textContent(text)})
	}
}

// Plan shows the whole plan in place of the one before. Nothing else has to be done for the
// list of TodoWrite of package tasks, which is shown when the main agent has written it.
func (c *Conversation) Plan(entries ...PlanEntry) {
	entries = append([]PlanEntry{}, entries...)
	for i, e := range entries {
		if e.Priority == "" {
			entries[i].Priority = PriorityMedium
		}
		if e.Status == "" {
			entries[i].Status = PlanPending
		}
	}
	c.update(planUpdate{Kind: "plan", Entries: entries})
}

// update sends an update of the session.
func (c *Conversation) update(u any) {
	c.connection.notify(methodUpdate, sessionNotification{Session: c.id, Update: u})
}

// Record shows an event of a call, of whatever agent of the session: the OnEvent of an
// [pegboard.Executor]. It does not wait for the editor.
func (c *Conversation) Record(e pegboard.Event) {
	if e.Call == nil {
		return
	}
	c.calls.record(&e)
	if e.Kind == pegboard.EventFinished || e.Kind == pegboard.EventSettled {
		c.tellChanges()
	}
}

// tellChanges tells the editor of another mode, and of another list of TodoWrite.
func (c *Conversation) tellChanges() {
	c.mu.Lock()
	if c.session == nil {
		c.mu.Unlock()
		return
	}
	mode, todos := c.session.Permissions().Mode(), tasks.Todos(c.session)
	moved, wrote := mode != c.mode, !slices.Equal(todos, c.todos)
	c.mode, c.todos = mode, todos
	c.mu.Unlock()
	if moved {
		c.update(modeUpdate{Kind: "current_mode_update", Mode: string(mode)})
	}
	if wrote {
		c.Plan(planOf(todos)...)
	}
}

// setMode changes the mode as the user has chosen.
func (c *Conversation) setMode(m policy.Mode) error {
	err := c.session.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) { return p.WithMode(m) })
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mode = m
	return nil
}

// begin begins a prompt.
func (c *Conversation) begin(request string, prompt []pegboard.Part) (*turn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turn != nil {
		return nil, jrpc2.Errorf(jrpc2.InvalidRequest, "a prompt of this session goes on; wait for its answer, or cancel it")
	}
	c.turn = newTurn(c.connection.gone, request, prompt)
	return c.turn, nil
}

// end ends a prompt.
func (c *Conversation) end(t *turn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn = nil
	close(t.done)
}

// interrupt ends the context of the prompt that runs, if it is the request with this id. Any
// will do if id is empty.
func (c *Conversation) interrupt(cause error, id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turn == nil || id != "" && c.turn.request != id {
		return false
	}
	c.turn.cancel(cause)
	return true
}
