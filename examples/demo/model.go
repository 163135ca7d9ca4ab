package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// The commands that rules of the session allow.
const (
	steps   = "for i in 1 2 3; do echo step $i; sleep 1; done"
	numbers = "seq 1 20000"
)

// A mainModel stands for the model of the main agent. It writes into the folder scratch.
type mainModel struct {
	scratch string
	awaits  bool // it has nothing to do until the background tasks have ended
	step    int
	found   []string // files of the directory
	told    string   // the report of the other agent
}

func (m *mainModel) next(last []pegboard.Outcome, news []pegboard.Part) (string, []pegboard.Call) {
	m.step++
	report := filepath.Join(m.scratch, "report.md")
	switch m.step {
	case 1:
		return "I will look around.", []pegboard.Call{
			call("Glob", map[string]any{"pattern": "*"}),
			call("Glob", map[string]any{"pattern": "*/*.md"}),
			call("Bash", map[string]any{"command": steps, "description": "Check step by step", "run_in_background": true}),
		}
	case 2:
		m.found = found(last[:2])
		calls := []pegboard.Call{
			call("Agent", map[string]any{"subagent_type": "Explore", "description": "count the folders", "prompt": "How many folders are there, and what do they hold?"}),
			call("Bash", map[string]any{"command": numbers, "description": "Print more than fits"}),
			call("Read", map[string]any{"file_path": ".env"}),
		}
		for _, f := range m.found[:min(len(m.found), 3)] {
			calls = append(calls, call("Read", map[string]any{"file_path": f, "limit": 20}))
		}
		return "Another agent counts, while I read and try what I may not do.", calls
	case 3:
		m.told = line(last[0].Result.Text())
		text := fmt.Sprintf("# Report\n\n%d files were looked at.\n\nThe other agent: %s\n", len(m.found), m.told)
		return "I write a report, for which I need your permission, and read it, which waits for the writing.", []pegboard.Call{
			call("Write", map[string]any{"file_path": report, "content": text}),
			call("Read", map[string]any{"file_path": report}),
			call("Glob", map[string]any{"pattern": "*/*.go"}),
		}
	case 4:
		m.awaits = true
		if last[0].Result.IsError {
			return "You did not want a report, so I look at it no more.", []pegboard.Call{call("Globb", map[string]any{"pattern": "*"})}
		}
		return "One number is missing.", []pegboard.Call{
			call("Edit", map[string]any{"file_path": report, "old_string": "files were", "new_string": "files of this directory were"}),
			call("Globb", map[string]any{"pattern": "*"}), // no such tool exists
		}
	}
	return fmt.Sprintf("There are at least %d files here. In the background: %s", len(m.found), line(text(news))), nil
}

// A readerModel stands for the model of an agent that looks around and reports.
type readerModel struct {
	step  int
	found []string
}

func (m *readerModel) next(last []pegboard.Outcome, _ []pegboard.Part) (string, []pegboard.Call) {
	m.step++
	switch m.step {
	case 1:
		return "I look.", []pegboard.Call{call("Glob", map[string]any{"pattern": "*/"})}
	case 2:
		return "I look closer.", []pegboard.Call{call("Glob", map[string]any{"pattern": "*/*"})}
	case 3:
		if m.found = found(last); len(m.found) > 0 {
			return "I look into one.", []pegboard.Call{call("Grep", map[string]any{"pattern": "the", "path": m.found[0], "output_mode": "count"})}
		}
	}
	return fmt.Sprintf("There are at least %d files one folder down.", len(m.found)), nil
}

// found returns the files that calls of Glob have found.
func found(outcomes []pegboard.Outcome) (names []string) {
	for _, o := range outcomes {
		if data, ok := o.Result.Data.(files.GlobOutput); ok {
			names = append(names, data.Filenames...)
		}
	}
	return names
}

func text(parts []pegboard.Part) string {
	var all []string
	for _, p := range parts {
		all = append(all, p.Text)
	}
	return strings.Join(all, "\n")
}

func line(text string) string { return pegboard.OneLine(text) }
