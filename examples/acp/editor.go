package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// An editor plays the client: it sends two prompts, answers questions, and prints the messages
// as a person would see them.
type editor struct {
	out     io.Writer
	to      io.WriteCloser
	from    io.Reader
	dir     string
	session string
	titles  map[string]string // of the calls, by their ids
}

// A message has the fields that the editor reads.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Update  update `json:"update"`
		Call    update `json:"toolCall"`
		Options []struct {
			ID   string `json:"optionId"`
			Name string `json:"name"`
		} `json:"options"`
	} `json:"params"`
	Result struct {
		Version int    `json:"protocolVersion"`
		Session string `json:"sessionId"`
		Stop    string `json:"stopReason"`
	} `json:"result"`
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
}

type update struct {
	Kind    string          `json:"sessionUpdate"`
	ID      string          `json:"toolCallId"`
	Title   string          `json:"title"`
	Tool    string          `json:"kind"`
	Status  string          `json:"status"`
	Content json.RawMessage `json:"content"`
	Entries []struct {
		Content string `json:"content"`
		Status  string `json:"status"`
	} `json:"entries"`
}

// A block is a content, or the content of a call.
type block struct {
	Text    string  `json:"text"`
	Content *block  `json:"content"`
	Old     *string `json:"oldText"`
	New     string  `json:"newText"`
	Type    string  `json:"type"`
}

// run speaks with the agent until both prompts have ended.
func (e *editor) run() error {
	defer func() { // it leaves, and reads what the agent still has to say
		_ = e.to.Close()
		_, _ = io.Copy(io.Discard, e.from)
	}()
	e.request(1, "initialize", map[string]any{"protocolVersion": 1})
	lines := bufio.NewScanner(e.from)
	lines.Buffer(nil, 1<<20)
	prompts := []string{"Write a note about this folder.", "Remove it again."}
	for lines.Scan() {
		var m message
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return fmt.Errorf("the agent wrote %q: %w", lines.Bytes(), err)
		}
		switch {
		case m.Error != nil:
			return fmt.Errorf("the agent answered: %s", m.Error.Message)
		case m.Result.Version != 0:
			e.request(2, "session/new", map[string]any{"cwd": e.dir, "mcpServers": []any{}})
			continue
		case m.Method == "session/update":
			e.show(&m.Params.Update)
			continue
		case m.Method == "session/request_permission":
			e.answer(&m)
			continue
		case m.Result.Session != "":
			e.session = m.Result.Session
		case m.Result.Stop != "":
			e.printf("  (%s)\n", m.Result.Stop)
		default:
			continue
		}
		if len(prompts) == 0 {
			return nil
		}
		e.printf("> %s\n", prompts[0])
		e.request(3, "session/prompt", map[string]any{"sessionId": e.session, "prompt": []any{map[string]any{"type": "text", "text": prompts[0]}}})
		prompts = prompts[1:]
	}
	return lines.Err()
}

// answer allows edits, and cancels the prompt at any other call.
func (e *editor) answer(m *message) {
	e.printf("  ? %s\n", m.Params.Call.Title)
	for _, o := range m.Params.Options {
		e.printf("      %-14s %s\n", o.ID, o.Name)
	}
	outcome := map[string]any{"outcome": "selected", "optionId": "allow_always"}
	if m.Params.Call.Tool != "edit" {
		e.printf("    the user cancels\n")
		e.send(map[string]any{"jsonrpc": "2.0", "method": "session/cancel", "params": map[string]any{"sessionId": e.session}})
		outcome = map[string]any{"outcome": "cancelled"}
	} else {
		e.printf("    the user selects allow_always\n")
	}
	e.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": map[string]any{"outcome": outcome}})
}

// show prints an update.
func (e *editor) show(u *update) {
	switch u.Kind {
	case "agent_message_chunk":
		var said block
		_ = json.Unmarshal(u.Content, &said)
		e.printf("  %s\n", said.Text)
	case "plan":
		var steps []string
		for _, s := range u.Entries {
			steps = append(steps, s.Content+": "+s.Status)
		}
		e.printf("  plan: %s\n", strings.Join(steps, ", "))
	case "tool_call", "tool_call_update":
		if u.Title != "" {
			e.titles[u.ID] = u.Title
		}
		if u.Status != "completed" && u.Status != "failed" {
			return
		}
		e.printf("  * %s [%s]\n", e.titles[u.ID], u.Status)
		var blocks []block
		_ = json.Unmarshal(u.Content, &blocks)
		for _, b := range blocks {
			e.showBlock(&b)
		}
	}
}

func (e *editor) showBlock(b *block) {
	mark := func(sign, text string) {
		for line := range strings.Lines(text) {
			e.printf("      %s%s\n", sign, strings.TrimRight(line, "\n"))
		}
	}
	switch {
	case b.Type == "diff":
		if b.Old != nil {
			mark("- ", *b.Old)
		}
		mark("+ ", b.New)
	case b.Content != nil:
		mark("", b.Content.Text)
	}
}

func (e *editor) printf(format string, args ...any) { _, _ = fmt.Fprintf(e.out, format, args...) }

func (e *editor) request(id int, method string, params any) {
	e.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

func (e *editor) send(m any) {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // a literal of this file
	}
	_, _ = e.to.Write(append(text, '\n'))
}
