package tasks

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
)

// choices names the ids that there are.
func (g *graph) choices() string {
	const most = 20
	ids := make([]string, 0, most)
	for _, e := range g.entries[max(0, len(g.entries)-most):] {
		ids = append(ids, e.task.ID)
	}
	switch {
	case len(ids) == 0:
		return "the list is empty"
	case len(ids) < len(g.entries):
		return "the latest are " + strings.Join(ids, ", ")
	}
	return "there are " + strings.Join(ids, ", ")
}

// labels names tasks for the model.
func (g *graph) labels(ids []string) string {
	const most = 10
	var all []string
	for i, id := range ids {
		if i == most {
			all = append(all, fmt.Sprintf("%d more", len(ids)-most))
			break
		}
		t := &g.find(id).task
		label := t.label()
		if t.Owner != "" {
			label += " of " + shortened(t.Owner)
		}
		all = append(all, label)
	}
	return strings.Join(all, ", ")
}

// describe words a task for the model. What agents have written is indented.
func (g *graph) describe(t *Task) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Task #%s: %s\nStatus: %s", t.ID, pegboard.OneLine(t.Subject), t.Status.words())
	if t.Status == InProgress && t.ActiveForm != "" {
		b.WriteString(" (" + shortened(t.ActiveForm) + ")")
	}
	if t.Owner != "" {
		b.WriteString("\nOwner: " + shortened(t.Owner))
	}
	if len(t.BlockedBy) > 0 {
		b.WriteString("\nWaits for: " + g.labels(t.BlockedBy))
	}
	if len(t.Blocks) > 0 {
		b.WriteString("\nBlocks: " + g.labels(t.Blocks))
	}
	for _, key := range slices.Sorted(maps.Keys(t.Metadata)) {
		value, err := json.Marshal(t.Metadata[key]) // on one line
		if err == nil {
			fmt.Fprintf(&b, "\nMetadata %s: %s", pegboard.OneLine(key), value)
		}
	}
	if utf8.RuneCountInString(t.Subject) > pegboard.MaxLine {
		b.WriteString("\nSubject:\n    " + untrusted.Indent(t.Subject, "    "))
	}
	if text := strings.TrimSpace(t.Description); text != "" {
		b.WriteString("\nDescription:\n    " + untrusted.Indent(text, "    "))
	}
	return b.String()
}
