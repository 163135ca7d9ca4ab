package main

import (
	"encoding/json"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// A model is a script that answers one prompt.
type model struct {
	steps []func(outcomes []pegboard.Outcome) (words string, calls []pegboard.Call)
}

// newModel returns the script for a prompt: one writes a note, the other removes it.
func newModel(prompt []pegboard.Part) *model {
	var text strings.Builder
	for _, p := range prompt {
		text.WriteString(p.Text)
	}
	if strings.Contains(strings.ToLower(text.String()), "remove") {
		return &model{steps: []func([]pegboard.Outcome) (string, []pegboard.Call){
			saying("I remove the note.", call("rm", "Bash", map[string]any{"command": "rm pegboard-note.md", "description": "Remove the note"})),
			report,
		}}
	}
	return &model{steps: []func([]pegboard.Outcome) (string, []pegboard.Call){
		saying("I look at what is here.", todos("in_progress", "pending")),
		saying("", call("look", "Glob", map[string]any{"pattern": "*"})),
		saying("I write a note.", call("write", "Write", map[string]any{"file_path": "pegboard-note.md", "content": "# Notes\n\n- Written by an agent\n"})),
		saying("", call("edit", "Edit", map[string]any{"file_path": "pegboard-note.md", "old_string": "an agent", "new_string": "an agent in your editor"})),
		saying("", todos("completed", "completed")),
		report,
	}}
}

// answer returns the next message of the model.
func (m *model) answer(outcomes []pegboard.Outcome) (words string, calls []pegboard.Call) {
	if len(m.steps) == 0 {
		return "", nil
	}
	for i := range outcomes {
		if outcomes[i].Err != nil {
			m.steps = nil
			return report(outcomes)
		}
	}
	step := m.steps[0]
	m.steps = m.steps[1:]
	return step(outcomes)
}

// saying is a step that does not depend on the outcomes.
func saying(words string, calls ...pegboard.Call) func([]pegboard.Outcome) (string, []pegboard.Call) {
	return func([]pegboard.Outcome) (string, []pegboard.Call) { return words, calls }
}

// report is the last step.
func report(outcomes []pegboard.Outcome) (words string, calls []pegboard.Call) {
	for i := range outcomes {
		if o := &outcomes[i]; o.Err != nil {
			return "That did not work. " + o.View().After, nil
		}
	}
	return "Done.", nil
}

func todos(look, write string) pegboard.Call {
	return call("plan-"+look, "TodoWrite", map[string]any{"todos": []map[string]string{
		{"content": "Look around", "status": look, "activeForm": "Looking around"},
		{"content": "Write a note", "status": write, "activeForm": "Writing a note"},
	}})
}

func call(id, name string, input any) pegboard.Call {
	text, err := json.Marshal(input)
	if err != nil {
		panic(err) // a literal of this file
	}
	return pegboard.Call{ID: id, Name: name, Input: text}
}
