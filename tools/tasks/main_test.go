package tasks_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/seed49eaa51d/pegboard/tools/tasks"
)

// The variables that make a child process of this binary play a role.
const (
	roleName = "PEGBOARD_TASKS_ROLE"
	fileName = "PEGBOARD_TASKS_FILE"
	logName  = "PEGBOARD_TASKS_LOG"
	seedName = "PEGBOARD_TASKS_SEED"
	workName = "PEGBOARD_TASKS_WORK"

	updating = "update" // makes random updates
	killed   = "killed" // changes tasks until it is killed
)

// firstTasks is how many tasks there are before the processes begin. Only tasks that a process
// has created itself are deleted by it.
const firstTasks = 12

func TestMain(m *testing.M) {
	switch os.Getenv(roleName) {
	case updating:
		fail(updateAtRandom())
	case killed:
		fail(changeUntilKilled())
	default:
		os.Exit(m.Run())
	}
}

func fail(err error) {
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
}

// A logged update is one that a process makes. The line is written while the list is locked, so
// that the lines are in the order of the changes.
type loggedUpdate struct {
	Process, Number int
	Update          plainUpdate
}

// A report tells what came of a change.
type report struct {
	Number  int
	Created string // the id of a new task; empty for an update
	Rule    string // that an update has broken
}

// updateAtRandom makes updates and prints reports.
func updateAtRandom() error {
	process, err := strconv.Atoi(os.Getenv(seedName))
	if err != nil {
		return err
	}
	work, err := strconv.Atoi(os.Getenv(workName))
	if err != nil {
		return err
	}
	list, err := tasks.Open(os.Getenv(fileName), tasks.Hooks{})
	if err != nil || list.Problem() != nil {
		return errors.Join(err, list.Problem())
	}
	log, err := os.OpenFile(os.Getenv(logName), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	if _, err := io.ReadAll(os.Stdin); err != nil { // until all are ready
		return err
	}
	r, out := rand.New(rand.NewPCG(uint64(process), 8)), json.NewEncoder(os.Stdout)
	var own []string
	for n := range work {
		done := report{Number: n}
		if r.IntN(20) == 0 {
			made, err := list.Create(context.Background(), tasks.Task{Subject: "new"})
			for errors.Is(err, tasks.ErrBusy) {
				made, err = list.Create(context.Background(), tasks.Task{Subject: "new"})
			}
			if err != nil {
				return err
			}
			done.Created, own = made.ID, append(own, made.ID)
		} else {
			u := randomUpdate(r, firstTasks)
			if len(own) > 0 && r.IntN(4) == 0 {
				u.ID = own[r.IntN(len(own))]
			} else if u.Status == tasks.Deleted {
				u.Status = tasks.Pending
			}
			change := func(t *tasks.Task) error {
				line, err := json.Marshal(loggedUpdate{process, n, u})
				if err == nil {
					_, err = log.Write(append(line, '\n'))
				}
				u.apply(t)
				return err
			}
			_, err := list.Update(context.Background(), u.ID, change)
			for errors.Is(err, tasks.ErrBusy) { // a slow machine; nothing was changed
				_, err = list.Update(context.Background(), u.ID, change)
			}
			done.Rule = ruleOf(err)
		}
		if err := out.Encode(done); err != nil {
			return err
		}
	}
	return nil
}

// apply makes the update of a task.
func (u *plainUpdate) apply(t *tasks.Task) {
	if u.Subject != nil {
		t.Subject = *u.Subject
	}
	if u.Status != "" {
		t.Status = u.Status
	}
	if u.Owner != nil {
		t.Owner = *u.Owner
	}
	t.Blocks, t.BlockedBy = append(t.Blocks, u.AddBlocks...), append(t.BlockedBy, u.AddBlockedBy...)
	for key, value := range u.Metadata {
		if t.Metadata == nil {
			t.Metadata = map[string]json.RawMessage{}
		}
		if delete(t.Metadata, key); value != nil {
			t.Metadata[key] = json.RawMessage(strconv.Quote(*value))
		}
	}
}

// changeUntilKilled counts in the metadata of task 1, and creates and deletes tasks that are
// large, so that writing takes a while. It prints what it has done.
func changeUntilKilled() error {
	list, err := tasks.Open(os.Getenv(fileName), tasks.Hooks{})
	if err != nil || list.Problem() != nil {
		return errors.Join(err, list.Problem())
	}
	ctx := context.Background()
	fmt.Println("ready")
	for {
		count := 0
		if _, err := list.Update(ctx, "1", func(t *tasks.Task) (err error) {
			if t.Metadata == nil {
				t.Metadata = map[string]json.RawMessage{"n": json.RawMessage("0")}
			}
			count, err = strconv.Atoi(string(t.Metadata["n"]))
			count++
			t.Metadata["n"] = json.RawMessage(strconv.Itoa(count))
			return err
		}); err != nil {
			return err
		}
		fmt.Println("count", count)
		made, err := list.Create(ctx, tasks.Task{Subject: "large", Description: strings.Repeat("d", tasks.MaxDescription)})
		if err != nil {
			return err
		}
		fmt.Println("made", made.ID)
		if list, err := list.All(ctx); err == nil && len(list) > 20 {
			made.ID = list[1].ID
		}
		if _, err := list.Update(ctx, made.ID, func(t *tasks.Task) error { t.Status = tasks.Deleted; return nil }); err != nil && !errors.Is(err, tasks.ErrUnknownTask) {
			return err
		}
		fmt.Println("deleted", made.ID)
	}
}
