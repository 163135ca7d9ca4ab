package tasks

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
)

// A Task is one task of a [List].
type Task struct {
	// ID is a decimal number from 1. It never changes.
	ID          string `json:"id"`
	Subject     string `json:"subject"`     // at most MaxText characters, not blank
	Description string `json:"description"` // at most MaxDescription characters
	ActiveForm  string `json:"activeForm,omitempty"`
	Status      Status `json:"status"`
	Owner       string `json:"owner,omitempty"` // the agent that works on it; compared without regard to letter case

	// Blocks are the tasks that wait for this one, and BlockedBy those that this one waits for,
	// by id and in the order of the list. A task that is completed blocks no other, and is
	// not in the BlockedBy of any. If it is opened again, its edges are back.
	Blocks    []string `json:"blocks"`
	BlockedBy []string `json:"blockedBy"`

	// Metadata is for the host and the agents. Null is no value. At most MaxDescription bytes.
	Metadata map[string]json.RawMessage `json:"metadata,omitempty"`
}

// The limits of a list. They are this package's own.
const (
	MaxTasks       = 10_000  // that are not deleted
	MaxText        = 10_000  // characters of a subject, an active form or an owner
	MaxDescription = 100_000 // characters of a description, and bytes of metadata as JSON
	MaxBytes       = 16 << 20
)

// Status says how a task stands.
type Status string

// The states. A new task is pending.
const (
	Pending    Status = "pending"
	InProgress Status = "in_progress"
	Completed  Status = "completed"
	// Deleted is the state in which the list forgets a task. Only the result of a change has it.
	Deleted Status = "deleted"
)

// words returns the state as a person writes it.
func (s Status) words() string { return strings.ReplaceAll(string(s), "_", " ") }

// clone returns a copy that shares no memory with t.
func (t Task) clone() Task {
	t.Blocks, t.BlockedBy, t.Metadata = slices.Clone(t.Blocks), slices.Clone(t.BlockedBy), withMetadata(nil, t.Metadata)
	return t
}

// label names the task for the model.
func (t *Task) label() string { return "#" + t.ID + " (" + shortened(t.Subject) + ")" }

// check returns an error if a task cannot have the texts of t, or its status.
func (t *Task) check() error {
	switch {
	case strings.TrimSpace(t.Subject) == "":
		return fmt.Errorf("%w: its subject is empty", ErrInvalid)
	case t.Status != Pending && t.Status != InProgress && t.Status != Completed:
		return fmt.Errorf("%w: its status is %.80q; use pending, in_progress, completed or deleted", ErrInvalid, string(t.Status))
	}
	for _, text := range []struct {
		name, text string
		limit      int
	}{
		{"subject", t.Subject, MaxText}, {"activeForm", t.ActiveForm, MaxText}, {"owner", t.Owner, MaxText}, {"description", t.Description, MaxDescription},
	} {
		if n := utf8.RuneCountInString(text.text); n > text.limit {
			return fmt.Errorf("%w: its %s has %d characters, and at most %d are kept; shorten it, or write it to a file and name that", ErrInvalid, text.name, n, text.limit)
		}
		if !utf8.ValidString(text.text) {
			return fmt.Errorf("%w: its %s is not valid UTF-8", ErrInvalid, text.name)
		}
	}
	return t.checkMetadata()
}

func (t *Task) checkMetadata() error {
	size := 0
	for key, value := range t.Metadata {
		if !utf8.ValidString(key) || !utf8.Valid(value) || !json.Valid(value) {
			return fmt.Errorf("%w: the value of its metadata %.80q is not JSON", ErrInvalid, key)
		}
		size += len(key) + len(value)
	}
	if size > MaxDescription {
		return fmt.Errorf("%w: its metadata has %d bytes, and at most %d are kept; write it to a file and name that", ErrInvalid, size, MaxDescription)
	}
	return nil
}

// withMetadata returns metadata with changes, of which null removes a key.
func withMetadata(old, changes map[string]json.RawMessage) map[string]json.RawMessage {
	all := make(map[string]json.RawMessage, len(old)+len(changes))
	maps.Copy(all, old)
	for key, value := range changes {
		if isNull(value) {
			delete(all, key)
			continue
		}
		all[key] = slices.Clone(value)
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

func isNull(value json.RawMessage) bool {
	return strings.TrimSpace(string(value)) == "null" || len(value) == 0
}

// idForm is an id as models write it: 3, #3, task 3, Task #3.
var idForm = regexp.MustCompile(`^(?i:task)?[ _-]*#?0*([1-9][0-9]{0,17})$`)

// readID returns the id that a text stands for, or the text itself if it stands for no id.
func readID(text string) string {
	if m := idForm.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
		return m[1]
	}
	return text
}

// readIDs returns the ids that texts stand for.
func readIDs(texts []string) []string {
	ids := make([]string, len(texts))
	for i, text := range texts {
		ids[i] = readID(text)
	}
	return ids
}

// number returns the number of an id in its only spelling, or 0.
func number(id string) int64 {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil || n <= 0 || strconv.FormatInt(n, 10) != id {
		return 0
	}
	return n
}

// shortened returns the beginning of a text as one line.
func shortened(text string) string {
	const limit = 80
	if text = pegboard.OneLine(text); utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit-1]) + "…"
}
