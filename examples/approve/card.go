package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A card is a question as it is shown to a user or sent to a program. Its texts come
// from the model and are unchanged; String escapes them.
type card struct {
	ID      string          `json:"id"`
	Agent   []string        `json:"agent,omitempty"` // the agent that asks, outermost first; empty for the main agent
	Tool    string          `json:"tool"`
	Title   string          `json:"title"` // of the tool, for a person
	Line    string          `json:"line"`  // the action of the call, such as "Read main.go"
	Input   json.RawMessage `json:"input"`
	Targets []string        `json:"targets"`
	Reason  string          `json:"reason"`
	Diff    string          `json:"diff,omitempty"`    // changes that the call would make, as a unified diff
	Omitted int             `json:"omitted,omitempty"` // number of lines missing from Diff
	Note    string          `json:"note,omitempty"`    // why a call that writes has no diff
	Always  []string        `json:"always,omitempty"`  // suggestions to remember; an answer names one, counted from 1

	question *pegboard.Question
	remember [][]policy.Update // the updates of each suggestion
}

// newCard makes the card of q.
func newCard(ctx context.Context, q *pegboard.Question) *card {
	view := q.Call.View()
	c := &card{ID: q.ID, Agent: q.AgentPath, Tool: q.Call.ToolName(), Title: view.Title, Line: view.Before, Input: q.Call.Input, Reason: q.Reason, question: q}
	if len(bytes.TrimSpace(c.Input)) == 0 {
		c.Input = json.RawMessage("{}")
	}
	for _, t := range q.Known() {
		c.Targets = append(c.Targets, t.String())
	}
	for _, to := range []policy.Source{policy.SourceSession, policy.SourceLocal} {
		for _, updates := range q.Suggestions(to) {
			var texts []string
			for _, u := range updates {
				texts = append(texts, u.String())
			}
			if text := strings.Join(texts, ", "); !slices.Contains(c.Always, text) { // a mode applies to the session in both cases
				c.Always, c.remember = append(c.Always, text), append(c.remember, updates)
			}
		}
	}
	c.preview(ctx)
	return c
}

// preview adds the changes that the call would make, if its tool can show them.
func (c *card) preview(ctx context.Context) {
	diffs, err := c.question.Preview(ctx)
	if err != nil && !errors.Is(err, pegboard.ErrNoPreview) {
		c.Note = "it would fail: " + err.Error()
	}
	for _, d := range diffs {
		switch {
		case d.Removed:
			c.Note = d.Path + " is removed"
		case d.MovedFrom != "":
			c.Note = d.MovedFrom + " is moved to " + d.Path
		}
		switch {
		case len(d.Hunks) == 0 && d.Omitted == 0 && d.New:
			c.Note = "a new file, which is empty"
		case len(d.Hunks) == 0 && d.Omitted == 0 && !d.Removed && d.MovedFrom == "":
			c.Note = "no visible change: at most line ends"
		default:
			if len(diffs) > 1 {
				c.Diff += "+++ " + d.Path + "\n"
			}
			c.Diff += d.Unified()
			c.Omitted += d.Omitted
		}
	}
}

// The part of a text that a card shows.
const (
	maxLines   = 40
	maxColumns = 400
)

// String returns the card for a terminal.
func (c *card) String() string {
	var b strings.Builder
	who := cmp.Or(strings.Join(c.Agent, " > "), "the agent")
	fmt.Fprintf(&b, "┌ %s asks: %s\n", escape(who), escape(c.Line))
	for _, t := range c.Targets {
		b.WriteString(quoteLines("│   ", t))
	}
	b.WriteString(quoteLines("│ why: ", c.Reason))
	if c.Note != "" {
		b.WriteString(quoteLines("│ note: ", c.Note))
	}
	if c.Diff == "" {
		b.WriteString(quoteLines("│ input: ", string(c.Input)))
		return b.String()
	}
	lines := strings.SplitAfter(strings.TrimSuffix(c.Diff, "\n"), "\n")
	shown := min(len(lines), maxLines)
	b.WriteString(quoteLines("│ ", strings.Join(lines[:shown], "")))
	if more := len(lines) - shown + c.Omitted; more > 0 {
		fmt.Fprintf(&b, "│ … %d more lines\n", more)
	}
	return b.String()
}

// quoteLines shows a text from another source behind a margin. Every line gets the
// margin, so that no line can imitate the program's own lines. Lines and texts that
// are too long are cut, with a remark.
func quoteLines(margin, text string) string {
	var b strings.Builder
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for _, line := range lines[:min(len(lines), maxLines+1)] {
		more := ""
		if r := []rune(line); len(r) > maxColumns {
			line, more = string(r[:maxColumns]), fmt.Sprintf(" … %d more characters", len(r)-maxColumns)
		}
		b.WriteString(margin + escape(line) + more + "\n")
	}
	if more := len(lines) - maxLines - 1; more > 0 {
		fmt.Fprintf(&b, "%s… %d more lines\n", margin, more)
	}
	return b.String()
}

// escape replaces characters that would move the cursor of a terminal or change the
// direction of its text by escapes.
func escape(line string) string {
	var b strings.Builder
	for _, r := range line {
		if r == '\t' || unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
	}
	return b.String()
}
