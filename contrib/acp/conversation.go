package acp

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tasks"
)

// A Conversation is one session of the protocol: a thread in the editor. All methods may be
// called concurrently, from [Options].Open on. What is sent after the editor has left is lost.
type Conversation struct {
	connection *connection
	id         sdk.SessionId
	dir        string
	moreDirs   []string
	servers    []sdk.McpServer
	loop       Turn
	calls      calls

	mu      sync.Mutex
	session *pegboard.Session // nil until Open has returned it
	turn    *turn             // nil while no prompt runs
	closed  bool              // no prompt begins any more
	mode    policy.Mode       // that the editor was told last
	todos   []tasks.Todo      // likewise
}

func newConversation(n *connection, in *sdk.NewSessionRequest) *Conversation {
	c := &Conversation{connection: n, id: sdk.SessionId("session-" + rand.Text()), dir: in.Cwd, servers: in.McpServers}
	if n.agent.o.MoreDirs {
		c.moreDirs = in.AdditionalDirectories
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
		return foreign(err)
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
	c.closed = true
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
func (c *Conversation) ID() string { return string(c.id) }

// Dir returns the absolute directory that the user works in.
func (c *Conversation) Dir() string { return c.dir }

// MoreDirs returns further absolute directories of the user. It is nil unless
// [Options].MoreDirs is set.
func (c *Conversation) MoreDirs() []string { return slices.Clone(c.moreDirs) }

// Servers returns the MCP servers that the user has configured in the editor. The host
// connects to them, or does not. The caller must not change what the servers point to.
func (c *Conversation) Servers() []sdk.McpServer { return slices.Clone(c.servers) }

// Client returns the name and version that the editor gave in its first message, or nothing.
func (c *Conversation) Client() sdk.Implementation {
	c.connection.mu.Lock()
	defer c.connection.mu.Unlock()
	return c.connection.client
}

// Say shows a text of the model, whole or a piece that follows the last one.
func (c *Conversation) Say(text string) {
	if text != "" {
		c.update(sdk.SessionUpdateAgentMessageChunk{SessionUpdate: "agent_message_chunk", Content: sdk.TextBlock(text)})
	}
}

// Think shows a thought of the model, whole or a piece that follows the last one.
func (c *Conversation) Think(text string) {
	if text != "" {
		c.update(sdk.SessionUpdateAgentThoughtChunk{SessionUpdate: "agent_thought_chunk", Content: sdk.TextBlock(text)})
	}
}

// Plan shows the whole plan in place of the one before. An empty priority is medium, an empty
// status pending. Nothing else has to be done for the list of TodoWrite of package tasks, which is
// shown when the main agent has written it.
func (c *Conversation) Plan(entries ...sdk.PlanEntry) {
	entries = append([]sdk.PlanEntry{}, entries...)
	for i, e := range entries {
		entries[i].Priority = cmp.Or(e.Priority, sdk.PlanEntryPriorityMedium)
		entries[i].Status = cmp.Or(e.Status, sdk.PlanEntryStatusPending)
	}
	c.update(sdk.SessionUpdatePlan{SessionUpdate: "plan", Entries: entries})
}

// planOf returns the list of TodoWrite as a plan.
func planOf(todos []tasks.Todo) []sdk.PlanEntry {
	entries := make([]sdk.PlanEntry, 0, len(todos))
	for _, t := range todos {
		entries = append(entries, sdk.PlanEntry{Content: t.Content, Status: sdk.PlanEntryStatus(t.Status)})
	}
	return entries
}

// update sends an update of the session: a variant of [sdk.SessionUpdate]. That type itself would
// turn the numbers of inputs into float64.
func (c *Conversation) update(u any) {
	c.connection.notify(sdk.ClientMethodSessionUpdate, struct {
		Session sdk.SessionId `json:"sessionId"`
		Update  any           `json:"update"`
	}{c.id, u})
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
		c.update(sdk.SessionCurrentModeUpdate{SessionUpdate: "current_mode_update", CurrentModeId: sdk.SessionModeId(mode)})
	}
	if wrote {
		c.Plan(planOf(todos)...)
	}
}

// modes are the modes of permissions with the words in which the editor shows them, in the
// order in which it does.
var modes = [...]struct {
	mode        policy.Mode
	name, about string
}{
	{policy.ModeDefault, "Default", "Reads the working directories, and asks about everything else"},
	{policy.ModeAcceptEdits, "Accept edits", "Also changes files in the working directories without asking"},
	{policy.ModePlan, "Plan", "Changes nothing"},
	{policy.ModeAuto, "Auto", "Asks only where a classifier does not decide"},
	{policy.ModeBypass, "Bypass permissions", "Does not ask, unless a rule or a tool insists"},
	{policy.ModeAsk, "Ask", "Asks about every call"},
	{policy.ModeDontAsk, "Don't ask", "Denies what the default mode asks about"},
	{policy.ModeDeny, "Deny", "Denies every call that no rule allows"},
}

// modesOf returns the modes that permissions offer, and the one that they are in.
func modesOf(p policy.Permissions) *sdk.SessionModeState {
	s := &sdk.SessionModeState{CurrentModeId: sdk.SessionModeId(p.Mode())}
	for _, m := range modes {
		if p.Offers(m.mode) || p.Mode() == m.mode {
			s.AvailableModes = append(s.AvailableModes, sdk.SessionMode{Id: sdk.SessionModeId(m.mode), Name: m.name, Description: &m.about})
		}
	}
	return s
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
func (c *Conversation) begin(prompt []pegboard.Part) (*turn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, unknownSession(c.id)
	}
	if c.turn != nil {
		return nil, worded(sdk.NewInvalidRequest(nil), "a prompt of this session goes on; wait for its answer, or cancel it")
	}
	c.turn = newTurn(c.connection.gone, prompt)
	return c.turn, nil
}

// end ends a prompt.
func (c *Conversation) end(t *turn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn = nil
	close(t.done)
}

// interrupt ends the context of the prompt that runs, if there is one.
func (c *Conversation) interrupt(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turn != nil {
		c.turn.cancel(cause)
	}
}
