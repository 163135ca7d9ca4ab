package acp

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// maxRaw is how many bytes of the input or output of a call are shown as rawInput and
// rawOutput. A longer one is left out.
const maxRaw = 256 << 10

// calls are the calls of a conversation that have not ended, as the editor is shown them.
type calls struct {
	conversation *Conversation

	mu    sync.Mutex         // also held while a message is queued, so that those of one call keep their order
	open  map[any]*shownCall // by the identity of the call
	count int
}

// A shownCall is a call that the editor knows.
type shownCall struct {
	id      sdk.ToolCallId
	title   string // that is shown
	input   json.RawMessage
	note    bool                  // the content is for the time before the call runs
	preview []sdk.ToolCallContent // the preview of the call, which stays when it runs
}

// A toolCall is a call in an update or a question. The SDK's type has no name of the tool, and sends
// no empty content, which takes back what was there.
type toolCall struct {
	sdk.ToolCallUpdate

	Update  string                 `json:"sessionUpdate,omitempty"`
	Name    string                 `json:"name,omitempty"`
	Content *[]sdk.ToolCallContent `json:"content,omitempty"`
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
	shown := &shownCall{
		id: sdk.ToolCallId(c.ID + "#" + strconv.Itoa(s.count)), title: view.Before, input: rawInput(c), preview: []sdk.ToolCallContent{},
	}
	s.open[key] = shown
	begun := s.described(c, shown)
	begun.Update, begun.Status = "tool_call", sdk.Ptr(sdk.ToolCallStatusPending)
	s.conversation.update(begun)
	return shown
}

// described returns what is known of a call before it runs.
func (s *calls) described(c *pegboard.Call, shown *shownCall) toolCall {
	view := c.View()
	return toolCall{Name: c.ToolName(), ToolCallUpdate: sdk.ToolCallUpdate{
		ToolCallId: shown.id, Title: &view.Before, Kind: sdk.Ptr(toolKind(view.Kind)), RawInput: orNil(rawInput(c)), Meta: s.metaOf(c),
	}}
}

// orNil returns JSON as the SDK leaves it out if it is empty.
func orNil(text json.RawMessage) any {
	if len(text) == 0 {
		return nil
	}
	return text
}

// metaOf says where a call comes from, if it is not the model of the main agent: the ids of the
// agents that led to it, and the call that made it.
func (s *calls) metaOf(c *pegboard.Call) map[string]any {
	m := map[string]any{}
	if session := c.Session(); session != nil && session.AgentPath() != nil {
		m["pegboard/agents"] = session.AgentPath()
	}
	if p := c.Parent(); p != nil {
		if shown := s.open[keyOf(p)]; shown != nil {
			m["pegboard/parent"] = shown.id
		}
	}
	return m
}

// tell shows a note in place of the content.
func (s *calls) tell(c *pegboard.Call, note string) {
	if note == "" {
		return
	}
	shown := s.show(c)
	shown.note = true
	s.update(shown, sdk.ToolCallUpdate{}, &[]sdk.ToolCallContent{sdk.ToolContent(sdk.TextBlock(note))})
}

// update tells of a call what has changed. A nil content stays as it was.
func (s *calls) update(shown *shownCall, u sdk.ToolCallUpdate, content *[]sdk.ToolCallContent) {
	u.ToolCallId = shown.id
	s.conversation.update(toolCall{ToolCallUpdate: u, Update: "tool_call_update", Content: content})
}

// started shows that a call runs, with the input that it runs with.
func (s *calls) started(c *pegboard.Call) {
	shown := s.show(c)
	shown.title = c.View().While
	u := sdk.ToolCallUpdate{
		Status: sdk.Ptr(sdk.ToolCallStatusInProgress), Title: &shown.title,
		Locations: locationsOf(c), // which are not known when the call is admitted
	}
	if input := rawInput(c); !bytes.Equal(input, shown.input) {
		u.RawInput, shown.input = orNil(input), input
	}
	var content *[]sdk.ToolCallContent
	if shown.note {
		content, shown.note = &shown.preview, false
	}
	s.update(shown, u, content)
}

// finished shows how a call has ended.
func (s *calls) finished(o *pegboard.Outcome) {
	shown := s.show(o.Call)
	delete(s.open, keyOf(o.Call))
	view := o.View()
	u := sdk.ToolCallUpdate{Status: sdk.Ptr(statusOf(o, view)), RawOutput: orNil(rawOutput(o))}
	if view.Before != shown.title {
		u.Title = &view.Before
	}
	if len(view.Diffs) > 0 {
		u.Locations = locationsOfDiffs(view.Diffs)
	}
	content := contentOfOutcome(o, view)
	s.update(shown, u, &content)
}

// statusOf returns the status of a call that has ended. One that goes on without being
// awaited counts as completed: nothing more is told of it.
func statusOf(o *pegboard.Outcome, v pegboard.View) sdk.ToolCallStatus {
	if v.Failed && !errors.Is(o.Err, pegboard.ErrDetached) && !errors.Is(o.Err, pegboard.ErrDeferred) {
		return sdk.ToolCallStatusFailed
	}
	return sdk.ToolCallStatusCompleted
}

// contentOfOutcome returns the content for an outcome: the line that says why the call failed,
// or the line of the tool, then the changes that it made or, without any, the result.
func contentOfOutcome(o *pegboard.Outcome, v pegboard.View) []sdk.ToolCallContent {
	all := []sdk.ToolCallContent{}
	said := o.Result.Line != "" && o.Result.Line != o.Result.Text()
	if o.Err != nil || said || len(o.Result.Parts) == 0 {
		all = append(all, sdk.ToolContent(sdk.TextBlock(v.After)))
	}
	all = append(all, contentOfDiffs(v.Diffs)...)
	if o.Err == nil && len(v.Diffs) == 0 {
		for i := range o.Result.Parts {
			for _, c := range contentOf(&o.Result.Parts[i]) {
				all = append(all, sdk.ToolContent(c))
			}
		}
	}
	return all
}

// toolKind returns the kind of a call in the protocol.
func toolKind(k pegboard.CallKind) sdk.ToolKind {
	switch k {
	case pegboard.KindSearch, pegboard.KindList:
		return sdk.ToolKindSearch
	case pegboard.KindRead:
		return sdk.ToolKindRead
	case pegboard.KindEdit:
		return sdk.ToolKindEdit
	case pegboard.KindRun:
		return sdk.ToolKindExecute
	case pegboard.KindFetch:
		return sdk.ToolKindFetch
	}
	return sdk.ToolKindOther
}

// locationsOf returns the files that a call acts on.
func locationsOf(c *pegboard.Call) (all []sdk.ToolCallLocation) {
	for _, t := range c.Targets() {
		known := slices.ContainsFunc(all, func(l sdk.ToolCallLocation) bool { return l.Path == t.Value })
		if t.Kind == policy.Path && !t.Shell.Guess && filepath.IsAbs(t.Value) && !known {
			all = append(all, sdk.ToolCallLocation{Path: t.Value})
		}
	}
	return all
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
