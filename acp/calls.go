package acp

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// maxRaw is how many bytes of the input or output of a call are shown as rawInput and
// rawOutput. A longer one is left out.
const maxRaw = 256 << 10

// The statuses of a call in the protocol.
const (
	statusPending    = "pending"
	statusInProgress = "in_progress"
	statusCompleted  = "completed"
	statusFailed     = "failed"
)

// calls are the calls of a conversation that have not ended, as the editor is shown them.
type calls struct {
	conversation *Conversation

	mu    sync.Mutex         // also held while a message is queued, so that those of one call keep their order
	open  map[any]*shownCall // by the identity of the call
	count int
}

// A shownCall is a call that the editor knows.
type shownCall struct {
	id      string // in the protocol
	title   string // that is shown
	input   json.RawMessage
	note    bool          // the content is for the time before the call runs
	preview []toolContent // the preview of the call, which stays when it runs
}

func (s *calls) init(c *Conversation) { s.conversation, s.open = c, map[any]*shownCall{} }

// keyOf returns the identity of a call, or its id if no executor has admitted it.
func keyOf(c *pegboard.Call) any {
	if identity := c.Identity(); identity != nil {
		return identity
	}
	return c.ID
}

// record shows an event.
func (s *calls) record(e *pegboard.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e.Kind {
	case pegboard.EventAdmitted:
		s.show(e.Call)
	case pegboard.EventWaiting, pegboard.EventRetried, pegboard.EventProgress, pegboard.EventHook:
		s.tell(e.Call, e.Text)
	case pegboard.EventStarted, pegboard.EventExternal:
		s.started(e.Call)
	case pegboard.EventFinished:
		s.finished(e.Outcome)
	}
}

// show returns the call as the editor knows it, which is told of it if it does not.
func (s *calls) show(c *pegboard.Call) *shownCall {
	key := keyOf(c)
	if known := s.open[key]; known != nil {
		return known
	}
	s.count++
	view := c.View()
	shown := &shownCall{id: c.ID + "#" + strconv.Itoa(s.count), title: view.Before, input: rawInput(c), preview: []toolContent{}}
	s.open[key] = shown
	s.conversation.update(toolCall{
		Kind: "tool_call", ID: shown.id, Title: view.Before, Name: c.ToolName(), Tool: toolKind(view.Kind), Status: statusPending,
		Input: shown.input, Meta: s.metaOf(c),
	})
	return shown
}

// metaOf says where a call comes from, if it is not the model of the main agent.
func (s *calls) metaOf(c *pegboard.Call) *callMeta {
	var m callMeta
	if session := c.Session(); session != nil {
		m.Agents = session.AgentPath()
	}
	if p := c.Parent(); p != nil {
		if shown := s.open[keyOf(p)]; shown != nil {
			m.Parent = shown.id
		}
	}
	if m.Agents == nil && m.Parent == "" {
		return nil
	}
	return &m
}

// tell shows a note in place of the content.
func (s *calls) tell(c *pegboard.Call, note string) {
	if note == "" {
		return
	}
	shown := s.show(c)
	shown.note = true
	s.updateCall(toolCall{ID: shown.id, Content: &[]toolContent{textToolContent(note)}})
}

func (s *calls) updateCall(u toolCall) {
	u.Kind = "tool_call_update"
	s.conversation.update(u)
}

// started shows that a call runs, with the input that it runs with.
func (s *calls) started(c *pegboard.Call) {
	shown := s.show(c)
	u := toolCall{ID: shown.id, Status: statusInProgress, Title: c.View().While}
	if input := rawInput(c); !bytes.Equal(input, shown.input) {
		u.Input, shown.input = input, input
	}
	u.Locations = locationsOf(c) // which are not known when the call is admitted
	if shown.note {
		u.Content = &shown.preview
		shown.note = false
	}
	shown.title = u.Title
	s.updateCall(u)
}

// finished shows how a call has ended.
func (s *calls) finished(o *pegboard.Outcome) {
	shown := s.show(o.Call)
	delete(s.open, keyOf(o.Call))
	view := o.View()
	u := toolCall{ID: shown.id, Status: statusOf(o, view), Content: contentOfOutcome(o, view), Output: rawOutput(o)}
	if view.Before != shown.title {
		u.Title = view.Before
	}
	if len(view.Diffs) > 0 {
		locations := locationsOfDiffs(view.Diffs)
		u.Locations = &locations
	}
	s.updateCall(u)
}

// statusOf returns the status of a call that has ended. One that goes on without being
// awaited counts as completed: nothing more is told of it.
func statusOf(o *pegboard.Outcome, v pegboard.View) string {
	if v.Failed && !errors.Is(o.Err, pegboard.ErrDetached) && !errors.Is(o.Err, pegboard.ErrDeferred) {
		return statusFailed
	}
	return statusCompleted
}

// contentOfOutcome returns the content for an outcome: the line that says why the call failed,
// or the line of the tool, then the changes that it made or, without any, the result.
func contentOfOutcome(o *pegboard.Outcome, v pegboard.View) *[]toolContent {
	all := []toolContent{}
	said := o.Result.Line != "" && o.Result.Line != o.Result.Text()
	if o.Err != nil || said || len(o.Result.Parts) == 0 {
		all = append(all, textToolContent(v.After))
	}
	all = append(all, contentOfDiffs(v.Diffs)...)
	if o.Err == nil && len(v.Diffs) == 0 {
		for i := range o.Result.Parts {
			for _, c := range contentOf(&o.Result.Parts[i]) {
				all = append(all, toolContent{Type: "content", Content: &c})
			}
		}
	}
	return &all
}

// toolKind returns the kind of a call in the protocol.
func toolKind(k pegboard.CallKind) string {
	switch k {
	case pegboard.KindSearch, pegboard.KindList:
		return "search"
	case pegboard.KindRead:
		return "read"
	case pegboard.KindEdit:
		return "edit"
	case pegboard.KindRun:
		return "execute"
	case pegboard.KindFetch:
		return "fetch"
	}
	return "other"
}

// locationsOf returns the files that a call acts on.
func locationsOf(c *pegboard.Call) *[]location {
	var all []location
	for _, t := range c.Targets() {
		l := location{Path: t.Value}
		if t.Kind == policy.Path && !t.Shell.Guess && filepath.IsAbs(t.Value) && !slices.Contains(all, l) {
			all = append(all, l)
		}
	}
	if all == nil {
		return nil
	}
	return &all
}

// rawInput returns the input of a call. What is no JSON is shown as a string.
func rawInput(c *pegboard.Call) json.RawMessage {
	switch input := bytes.TrimSpace(c.Input); {
	case len(input) == 0 || len(input) > maxRaw:
		return nil
	case json.Valid(input):
		return input
	default:
		text, _ := json.Marshal(string(input)) // a string has no error
		return text
	}
}

// rawOutput returns the typed output of a call that has not failed, if it has one.
func rawOutput(o *pegboard.Outcome) json.RawMessage {
	if o.Err != nil || o.Result.Data == nil {
		return nil
	}
	text, err := json.Marshal(o.Result.Data)
	if err != nil || len(text) > maxRaw {
		return nil // it is for the host alone, or too long
	}
	return text
}
