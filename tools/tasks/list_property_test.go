package tasks_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/tasks"
)

// A plainTask is a task of a plainList.
type plainTask struct {
	subject, owner string
	status         tasks.Status
	metadata       map[string]string
}

// A plainList is a list as its rules are written down: sets and loops, and no care for speed.
type plainList struct {
	next  int
	tasks map[int]*plainTask
	edges map[[2]int]bool // {a, b}: b waits for a
}

func newPlainList() *plainList {
	return &plainList{next: 1, tasks: map[int]*plainTask{}, edges: map[[2]int]bool{}}
}

func (p *plainList) clone() *plainList {
	c := &plainList{next: p.next, tasks: map[int]*plainTask{}, edges: maps.Clone(p.edges)}
	for id, t := range p.tasks {
		copied := *t
		copied.metadata = maps.Clone(t.metadata)
		c.tasks[id] = &copied
	}
	return c
}

// blocks reports whether b waits for a now.
func (p *plainList) blocks(a, b int) bool {
	return p.edges[[2]int{a, b}] && p.tasks[a].status != tasks.Completed
}

// hasCircle removes tasks that wait for nothing until none is left, or a circle.
func (p *plainList) hasCircle() bool {
	left := slices.Collect(maps.Keys(p.tasks))
	for {
		before := len(left)
		left = slices.DeleteFunc(left, func(b int) bool {
			return !slices.ContainsFunc(left, func(a int) bool { return p.blocks(a, b) })
		})
		if len(left) == 0 || len(left) == before {
			return len(left) > 0
		}
	}
}

// A plainUpdate is an update in the words of TaskUpdate.
type plainUpdate struct {
	ID           string             `json:"taskId"`
	Subject      *string            `json:"subject,omitempty"`
	Status       tasks.Status       `json:"status,omitempty"`
	AddBlocks    []string           `json:"addBlocks,omitempty"`
	AddBlockedBy []string           `json:"addBlockedBy,omitempty"`
	Owner        *string            `json:"owner,omitempty"`
	Metadata     map[string]*string `json:"metadata,omitempty"`
}

func (p *plainList) known(id string) (int, bool) {
	n, err := strconv.Atoi(id)
	return n, err == nil && p.tasks[n] != nil
}

// update returns the list after an update, or the name of the rule against it.
func (p *plainList) update(u plainUpdate) (after *plainList, rule string) {
	id, ok := p.known(u.ID)
	if !ok {
		return p, "unknown"
	}
	next := p.clone()
	t := next.tasks[id]
	if u.Status == tasks.Deleted {
		delete(next.tasks, id)
		maps.DeleteFunc(next.edges, func(edge [2]int, _ bool) bool { return edge[0] == id || edge[1] == id })
		return next, ""
	}
	if u.Subject != nil {
		t.subject = *u.Subject
	}
	t.status = cmp.Or(u.Status, t.status)
	for key, value := range u.Metadata {
		if delete(t.metadata, key); value != nil {
			t.metadata[key] = *value
		}
	}
	old := t.owner
	if u.Owner != nil {
		t.owner = *u.Owner
	}
	if strings.TrimSpace(t.subject) == "" {
		return p, "invalid"
	}
	for _, list := range [][]string{u.AddBlocks, u.AddBlockedBy} {
		for _, other := range list {
			if other == u.ID {
				return p, "circle"
			}
			if _, ok := p.known(other); !ok {
				return p, "unknown"
			}
		}
	}
	for _, other := range u.AddBlocks {
		n, _ := p.known(other)
		next.edges[[2]int{id, n}] = true
	}
	for _, other := range u.AddBlockedBy {
		n, _ := p.known(other)
		next.edges[[2]int{n, id}] = true
	}
	if next.hasCircle() {
		return p, "circle"
	}
	if t.owner != old && t.owner != "" {
		if old != "" {
			return p, "owned"
		}
		for a := range next.tasks {
			if next.blocks(a, id) {
				return p, "blocked"
			}
		}
	}
	return next, ""
}

// views returns the tasks as a list shows them.
func (p *plainList) views() []tasks.Task {
	list := []tasks.Task{}
	ids := slices.Sorted(maps.Keys(p.tasks))
	for _, id := range ids {
		t := p.tasks[id]
		v := tasks.Task{ID: strconv.Itoa(id), Subject: t.subject, Owner: t.owner, Status: t.status, Blocks: []string{}, BlockedBy: []string{}}
		for _, other := range ids {
			if p.blocks(id, other) {
				v.Blocks = append(v.Blocks, strconv.Itoa(other))
			}
			if p.blocks(other, id) {
				v.BlockedBy = append(v.BlockedBy, strconv.Itoa(other))
			}
		}
		for key, value := range t.metadata {
			if v.Metadata == nil {
				v.Metadata = map[string]json.RawMessage{}
			}
			v.Metadata[key] = json.RawMessage(strconv.Quote(value))
		}
		list = append(list, v)
	}
	return list
}

// randomUpdate returns an update of a list with ids below a number, and a few that are none.
func randomUpdate(r *rand.Rand, below int) plainUpdate {
	id := func() string { return strconv.Itoa(r.IntN(below + 1)) }
	u := plainUpdate{ID: id()}
	for range 1 + r.IntN(2) {
		switch r.IntN(7) {
		case 0:
			text := []string{"a", "b", "  ", "c c"}[r.IntN(4)]
			u.Subject = &text
		case 1, 2:
			u.Status = []tasks.Status{tasks.Pending, tasks.InProgress, tasks.Completed, tasks.Completed, tasks.Deleted}[r.IntN(5)]
		case 3:
			owner := []string{"", "ann", "bob"}[r.IntN(3)]
			u.Owner = &owner
		case 4:
			u.AddBlocks = append(u.AddBlocks, id())
		case 5:
			u.AddBlockedBy = append(u.AddBlockedBy, id(), id())
		case 6:
			value := &[]string{"x", "y"}[r.IntN(2)]
			if r.IntN(3) == 0 {
				value = nil
			}
			u.Metadata = map[string]*string{[]string{"k", "l"}[r.IntN(2)]: value}
		}
	}
	return u
}

// ruleOf names the rule that an error is about.
func ruleOf(err error) string {
	for rule, target := range rules {
		if errors.Is(err, target) {
			return rule
		}
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

var rules = map[string]error{
	"unknown": tasks.ErrUnknownTask, "invalid": tasks.ErrInvalid, "circle": tasks.ErrCircle, "owned": tasks.ErrOwned, "blocked": tasks.ErrBlocked,
}

// TestListIsAPlainGraph compares lists with plain ones, by random updates through the tools.
func TestListIsAPlainGraph(t *testing.T) {
	t.Parallel()
	s := session(t)
	for seed := range effort.Of(t, uint64(400)) {
		r := rand.New(rand.NewPCG(seed, 23))
		path := ""
		if seed%10 == 0 {
			path = filePath(t)
		}
		l, plain := open(t, path, tasks.Hooks{}), newPlainList()
		var registry pegboard.Registry
		require.NoError(t, registry.Add(l.Tools()...))
		pool, executor := registry.AssemblePool(s, pegboard.PoolConfig{}), pegboard.Executor{}
		for step := range 60 {
			if plain.next < 9 && r.IntN(5) == 0 {
				create(t, l, "new")
				plain.tasks[plain.next] = &plainTask{subject: "new", status: tasks.Pending, metadata: map[string]string{}}
				plain.next++
			}
			u := randomUpdate(r, plain.next)
			input, err := json.Marshal(u)
			require.NoError(t, err)
			next, rule := plain.update(u)
			out := executor.Run(t.Context(), pool, pegboard.Call{ID: "1", Name: "TaskUpdate", Input: input})[0]
			require.Equal(t, rule, ruleOf(out.Err), "seed %d, step %d: %s: %v", seed, step, input, out.Err)
			plain = next
			require.Equal(t, plain.views(), all(t, l), "seed %d, step %d: %s", seed, step, input)
		}
		if path != "" { // another list reads the same
			require.Equal(t, plain.views(), all(t, open(t, path, tasks.Hooks{})))
			_, err := open(t, path, tasks.Hooks{}).Create(t.Context(), tasks.Task{Subject: "last"})
			require.NoError(t, err)
			require.Equal(t, strconv.Itoa(plain.next), lastID(all(t, l)), "ids never come again")
		}
	}
}

func lastID(list []tasks.Task) string { return list[len(list)-1].ID }

// TestRemovedEdges: only a host removes edges.
func TestRemovedEdges(t *testing.T) {
	t.Parallel()
	l := open(t, filePath(t), tasks.Hooks{})
	create(t, l, "a", "b", "c")
	edges := func(blocks, blockedBy []string) func(*tasks.Task) error {
		return func(t *tasks.Task) error {
			t.Blocks, t.BlockedBy = blocks, blockedBy
			return nil
		}
	}
	show := func() string {
		text := ""
		for _, task := range all(t, l) {
			text += fmt.Sprint(task.ID, task.Blocks, task.BlockedBy, " ")
		}
		return text
	}
	_, err := l.Update(t.Context(), "2", edges([]string{"3"}, []string{"1"}))
	require.NoError(t, err)
	require.Equal(t, "1[2] [] 2[3] [1] 3[] [2] ", show())
	_, err = l.Update(t.Context(), "2", edges(nil, []string{"3"}))
	require.NoError(t, err)
	require.Equal(t, "1[] [] 2[] [3] 3[2] [] ", show())
	_, err = l.Create(t.Context(), tasks.Task{Subject: "d", Blocks: []string{"1"}, BlockedBy: []string{"2"}, Owner: "ann"})
	require.ErrorIs(t, err, tasks.ErrBlocked)
	made, err := l.Create(t.Context(), tasks.Task{Subject: "d", Blocks: []string{"#1"}, BlockedBy: []string{"2"}})
	require.NoError(t, err)
	require.Equal(t, "4", made.ID)
	require.Equal(t, "1[] [4] 2[4] [3] 3[2] [] 4[1] [2] ", show())
}

// TestCompletedTaskIsOpenedAgain: its edges come back, unless they would close a circle by now.
func TestCompletedTaskIsOpenedAgain(t *testing.T) {
	t.Parallel()
	l := open(t, filePath(t), tasks.Hooks{})
	create(t, l, "a", "b")
	for _, step := range []struct{ input, rule string }{
		{`{"taskId":"1","addBlocks":["2"],"status":"completed"}`, ""},
		{`{"taskId":"2","addBlocks":["1"]}`, ""}, // 2 waits for nothing now
		{`{"taskId":"1","status":"pending"}`, "circle"},
		{`{"taskId":"2","status":"completed"}`, ""},
		{`{"taskId":"1","status":"pending"}`, ""},
		{`{"taskId":"2","status":"pending"}`, "circle"},
	} {
		require.Equal(t, step.rule, ruleOf(call(t, l, "TaskUpdate", step.input).Err), step.input)
	}
	require.Equal(t, []string{"2"}, all(t, l)[0].Blocks)
}
