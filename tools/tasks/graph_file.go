package tasks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// fileVersion is the version of the form of files.
const fileVersion = 1

// A fileContent is a graph as JSON.
type fileContent struct {
	Version int         `json:"version"`
	Next    int64       `json:"next"`
	Tasks   []fileEntry `json:"tasks"`
}

// A fileEntry is an entry as JSON.
type fileEntry struct {
	ID          string                     `json:"id"`
	Subject     string                     `json:"subject"`
	Description string                     `json:"description,omitempty"`
	ActiveForm  string                     `json:"activeForm,omitempty"`
	Status      Status                     `json:"status"`
	Owner       string                     `json:"owner,omitempty"`
	BlockedBy   []string                   `json:"blockedBy,omitempty"`
	Metadata    map[string]json.RawMessage `json:"metadata,omitempty"`
}

// encode returns the graph as the content of a file, with a line for each task.
func (g *graph) encode() ([]byte, error) {
	b := fmt.Appendf(nil, "{\"version\":%d,\"next\":%d,\"tasks\":[", fileVersion, g.next)
	for i, e := range g.entries {
		t := &e.task
		line, err := json.Marshal(fileEntry{t.ID, t.Subject, t.Description, t.ActiveForm, t.Status, t.Owner, e.after, t.Metadata})
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, '\n'), line...)
	}
	b = append(b, "\n]}\n"...)
	if len(b) > MaxBytes {
		return nil, fmt.Errorf("%w: it would have %d bytes, and at most %d are kept; delete tasks that are done, or shorten descriptions", ErrFull, len(b), MaxBytes)
	}
	return b, nil
}

// decodeGraph reads the content of a file. Blank content is an empty list. The error wraps
// ErrNewer or ErrCorrupt.
func decodeGraph(data []byte) (*graph, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return newGraph(), nil
	}
	value, err := strictjson.Decode(data, strictjson.Limits{Bytes: MaxBytes})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%w: it is no JSON object", ErrCorrupt)
	}
	if version, ok := object["version"].(json.Number); ok {
		if n, err := version.Int64(); err == nil && n > fileVersion {
			return nil, fmt.Errorf("%w: its version is %d", ErrNewer, n)
		}
	}
	var content fileContent
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields() // they would be lost when the file is written
	if err := decoder.Decode(&content); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	g := &graph{next: content.Next}
	if err := g.read(&content); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return g, nil
}

// read takes the entries of a file. It returns an error if they break a rule of lists.
func (g *graph) read(content *fileContent) error {
	switch {
	case content.Version != fileVersion:
		return errors.New("it has no version")
	case content.Next < 1 || len(content.Tasks) > MaxTasks:
		return errors.New("its numbers cannot be")
	}
	last := int64(0)
	for _, f := range content.Tasks {
		n := number(f.ID)
		if n <= last || n >= g.next {
			return fmt.Errorf("the id %.80q cannot stand there", f.ID)
		}
		last = n
		t := Task{
			ID: f.ID, Subject: f.Subject, Description: f.Description, ActiveForm: f.ActiveForm, Status: f.Status, Owner: f.Owner,
			Metadata: withMetadata(nil, f.Metadata),
		}
		if err := t.check(); err != nil {
			return fmt.Errorf("task %s: %w", f.ID, err)
		}
		g.entries = append(g.entries, &entry{task: t, after: f.BlockedBy})
	}
	return g.checkEdges()
}

// checkEdges returns an error if a task waits for one that is not there, twice for the same, or
// for itself.
func (g *graph) checkEdges() error {
	waiting := map[string][]string{} // by task, those that wait for it; completed tasks are left out
	left := map[string]int{}         // for how many a task waits
	for _, e := range g.entries {
		for i, by := range e.after {
			other := g.find(by)
			if other == nil || by == e.task.ID || slices.Contains(e.after[:i], by) {
				return fmt.Errorf("task %s cannot wait for %.80q", e.task.ID, by)
			}
			if other.task.Status != Completed {
				waiting[by] = append(waiting[by], e.task.ID)
				left[e.task.ID]++
			}
		}
	}
	var free []string
	for _, e := range g.entries {
		if left[e.task.ID] == 0 {
			free = append(free, e.task.ID)
		}
	}
	for i := 0; i < len(free); i++ {
		for _, id := range waiting[free[i]] {
			if left[id]--; left[id] == 0 {
				free = append(free, id)
			}
		}
	}
	if len(free) < len(g.entries) {
		return ErrCircle
	}
	return nil
}
