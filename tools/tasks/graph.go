package tasks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
)

// A graph is the content of a list: its tasks, and which of them wait for which. Entries are
// never written to, so that graphs share them.
type graph struct {
	next    int64    // the number of the next task
	entries []*entry // in the order of their numbers
	rewired bool     // an edge was made or removed since clone
}

// An entry is a task in a graph. After has all tasks that it waits for, also those that are
// completed; the Blocks and BlockedBy of its task are nil.
type entry struct {
	task  Task
	after []string
}

func newGraph() *graph { return &graph{next: 1} }

func (g *graph) clone() *graph { return &graph{next: g.next, entries: slices.Clone(g.entries)} }

// index returns the place of a task, or -1.
func (g *graph) index(id string) int {
	n := number(id)
	if n == 0 {
		return -1
	}
	i, found := slices.BinarySearchFunc(g.entries, n, func(e *entry, n int64) int { return cmp.Compare(number(e.task.ID), n) })
	if !found {
		return -1
	}
	return i
}

func (g *graph) find(id string) *entry {
	if i := g.index(id); i >= 0 {
		return g.entries[i]
	}
	return nil
}

// lookup is like find, with an error for the model.
func (g *graph) lookup(id string) (*entry, error) {
	if e := g.find(id); e != nil {
		return e, nil
	}
	switch n := number(id); {
	case n == 0:
		return nil, fmt.Errorf("%w: %.80q; ids are numbers, %s", ErrUnknownTask, id, g.choices())
	case n < g.next:
		return nil, fmt.Errorf("%w any more: #%s was deleted; %s", ErrUnknownTask, id, g.choices())
	}
	return nil, fmt.Errorf("%w: #%.80s; %s", ErrUnknownTask, id, g.choices())
}

// view returns a task as the outside sees it.
func (g *graph) view(e *entry) Task {
	t := e.task.clone()
	t.Blocks, t.BlockedBy = []string{}, g.open(e.after)
	if t.Status == Completed {
		return t
	}
	for _, other := range g.entries {
		if slices.Contains(other.after, t.ID) {
			t.Blocks = append(t.Blocks, other.task.ID)
		}
	}
	return t
}

// views returns all tasks as the outside sees them.
func (g *graph) views() []Task {
	all, place := make([]Task, len(g.entries)), make(map[string]int, len(g.entries))
	for i, e := range g.entries {
		all[i] = e.task.clone()
		all[i].Blocks, all[i].BlockedBy = []string{}, []string{}
		place[e.task.ID] = i
	}
	for i, e := range g.entries {
		for _, id := range e.after {
			if by := &all[place[id]]; by.Status != Completed {
				all[i].BlockedBy = append(all[i].BlockedBy, id)
				by.Blocks = append(by.Blocks, e.task.ID)
			}
		}
		sortIDs(all[i].BlockedBy)
	}
	return all
}

// open returns those of the tasks that are not completed, in the order of the list.
func (g *graph) open(ids []string) []string {
	all := []string{}
	for _, id := range ids {
		if g.find(id).task.Status != Completed {
			all = append(all, id)
		}
	}
	sortIDs(all)
	return all
}

func sortIDs(ids []string) {
	slices.SortFunc(ids, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
}

// add adds a task with the next id.
func (g *graph) add(t Task) (Task, error) {
	if len(g.entries) >= MaxTasks {
		return Task{}, fmt.Errorf("%w: it has %d tasks; delete those that are done", ErrFull, len(g.entries))
	}
	t.ID, t.Status = strconv.FormatInt(g.next, 10), cmp.Or(t.Status, Pending)
	t.Metadata = withMetadata(nil, t.Metadata)
	t.Owner = strings.TrimSpace(t.Owner)
	wanted := t
	t.Blocks, t.BlockedBy = nil, nil
	if err := t.check(); err != nil {
		return Task{}, err
	}
	g.next++
	g.entries = append(g.entries, &entry{task: t})
	if err := g.setEdges(Task{ID: t.ID}, wanted); err != nil {
		return Task{}, err
	}
	made := g.view(g.find(t.ID))
	return made, g.checkOwner(&Task{}, &made)
}

// update changes a task. The graph is of no use after an error.
func (g *graph) update(id string, change func(*Task) error) (before, after Task, err error) {
	e, err := g.lookup(id)
	if err != nil {
		return Task{}, Task{}, err
	}
	before = g.view(e)
	wanted := before.clone()
	if err := change(&wanted); err != nil {
		return Task{}, Task{}, err
	}
	wanted.Blocks, wanted.BlockedBy = readIDs(wanted.Blocks), readIDs(wanted.BlockedBy)
	if wanted.ID != id {
		return Task{}, Task{}, fmt.Errorf("%w: its id is %s, and cannot be changed", ErrInvalid, id)
	}
	if wanted.Status == Deleted {
		g.remove(id)
		wanted.Blocks, wanted.BlockedBy = []string{}, []string{}
		return before, wanted, nil
	}
	wanted.Metadata = withMetadata(nil, wanted.Metadata)
	if wanted.Owner = strings.TrimSpace(wanted.Owner); strings.EqualFold(wanted.Owner, before.Owner) {
		wanted.Owner = before.Owner
	}
	if err := wanted.check(); err != nil {
		return Task{}, Task{}, err
	}
	next := &entry{task: wanted, after: e.after}
	next.task.Blocks, next.task.BlockedBy = nil, nil
	g.entries[g.index(id)] = next
	if err := g.setEdges(before, wanted); err != nil {
		return Task{}, Task{}, err
	}
	after = g.view(g.find(id))
	return before, after, g.checkOwner(&before, &after)
}

// remove removes a task, and it from those that wait for it.
func (g *graph) remove(id string) {
	i := g.index(id)
	g.entries = slices.Delete(g.entries, i, i+1)
	for i, other := range g.entries {
		if slices.Contains(other.after, id) {
			g.entries[i] = other.without(id)
		}
	}
}

// setEdges makes and removes the edges in which a task before and the one that is wanted differ.
func (g *graph) setEdges(before, wanted Task) error {
	id := before.ID
	if n := max(len(wanted.Blocks)-len(before.Blocks), len(wanted.BlockedBy)-len(before.BlockedBy)); n > MaxEdges {
		return fmt.Errorf("%w: %d tasks are named at once, and at most %d are taken; name fewer", ErrInvalid, n, MaxEdges)
	}
	for _, other := range slices.Concat(wanted.Blocks, wanted.BlockedBy) {
		if other == id {
			return fmt.Errorf("%w: #%s cannot wait for itself", ErrCircle, id)
		}
		if _, err := g.lookup(other); err != nil {
			return err
		}
	}
	for _, other := range missing(before.Blocks, wanted.Blocks) {
		g.set(g.find(other).without(id))
	}
	for _, other := range missing(wanted.Blocks, before.Blocks) {
		g.set(g.find(other).with(id))
	}
	e := g.find(id)
	for _, other := range missing(before.BlockedBy, wanted.BlockedBy) {
		e = e.without(other)
	}
	for _, other := range missing(wanted.BlockedBy, before.BlockedBy) {
		e = e.with(other)
	}
	g.set(e)
	return g.checkCircle(id)
}

// missing returns those of all that are not in others.
func missing(all, others []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(id string) bool { return slices.Contains(others, id) })
}

// set replaces the entry of a task.
func (g *graph) set(e *entry) {
	if i := g.index(e.task.ID); g.entries[i] != e {
		g.entries[i], g.rewired = e, true
	}
}

// with returns an entry that also waits for a task.
func (e *entry) with(id string) *entry {
	if slices.Contains(e.after, id) {
		return e
	}
	return &entry{task: e.task, after: append(slices.Clone(e.after), id)}
}

// without returns an entry that does not wait for a task.
func (e *entry) without(id string) *entry {
	return &entry{task: e.task, after: slices.DeleteFunc(slices.Clone(e.after), func(other string) bool { return other == id })}
}

// checkCircle returns an error if a task waits for itself by way of tasks that are not completed.
func (g *graph) checkCircle(id string) error {
	from := map[string]string{} // of a task that was reached: the one that waits for it
	if g.find(id).task.Status == Completed {
		return nil
	}
	for queue := []string{id}; len(queue) > 0; queue = queue[1:] {
		for _, by := range g.find(queue[0]).after {
			if _, seen := from[by]; seen || g.find(by).task.Status == Completed {
				continue
			}
			if from[by] = queue[0]; by != id {
				queue = append(queue, by)
				continue
			}
			way := "#" + id
			for at := from[id]; at != id; at = from[at] {
				way = "#" + at + ", which waits for " + way
			}
			return fmt.Errorf("%w: #%s would wait for %s; leave one of these out", ErrCircle, id, way)
		}
	}
	return nil
}

// checkOwner returns an error if a task is given to an owner who cannot have it.
func (g *graph) checkOwner(before, after *Task) error {
	switch {
	case after.Owner == "" || strings.EqualFold(after.Owner, before.Owner):
		return nil
	case before.Owner != "":
		return fmt.Errorf("%w: %s is owned by %s; take another task, or set its owner to \"\" first if %s will not go on with it", ErrOwned, after.label(), shortened(before.Owner), shortened(before.Owner))
	case len(after.BlockedBy) > 0:
		return fmt.Errorf("%w: %s is blocked by %s; take another task, or wait until that is completed", ErrBlocked, after.label(), g.labels(after.BlockedBy))
	}
	return nil
}

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
