package agents

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/seed49eaa51d/pegboard/tools/background"
)

// addTask adds the run to the background tasks of its caller. No lock is held while the table
// tells those who watch it.
func (k *run) addTask() (err error) {
	k.mu.Lock()
	if k.stays || k.task != nil || k.moving != nil {
		k.mu.Unlock()
		return ErrEnded
	}
	k.moving = make(chan struct{})
	k.mu.Unlock()
	task, file, err := k.newTask()
	k.mu.Lock()
	defer k.mu.Unlock()
	close(k.moving)
	k.moving = nil
	if err != nil {
		return err
	}
	k.agent.Session.MoveToBackground()
	k.task, k.file, k.output = task, file, file.Name()
	k.roster.update(k.entry, func(s *Status) { s.TaskID = task.ID() })
	return k.write(k.history[k.before:])
}

// newTask makes the task and its output file.
func (k *run) newTask() (*background.Handle, *os.File, error) {
	tasks := background.Of(k.caller)
	path, err := tasks.NewFile("agent")
	if err != nil {
		return nil, nil, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("the output file of the agent: %w", err)
	}
	names := []string{k.agent.ID}
	if k.agent.Name != "" {
		names = append(names, k.agent.Name)
	}
	task, err := tasks.Add(k.caller, background.Work{
		Kind: "agent", Names: names, Description: k.entry.status.Description, OutputFile: path, Started: k.started,
		Stop: func(cause error) { k.cancel(cause) }, Report: k.taskReport,
	})
	if err != nil {
		_ = file.Close()
		_ = os.Remove(path) // it is empty
		return nil, nil, err
	}
	return task, file, nil
}

// moveToBackground makes a task of a run that its caller waits for.
func (k *run) moveToBackground() bool {
	if err := k.addTask(); err != nil {
		if errors.Is(err, ErrEnded) || !k.isInBackground() {
			return false
		}
		k.g.options.logger().Error("what an agent has written is not in its output file", "agent", k.agent.ID, "error", err)
	}
	close(k.moved)
	return true
}

func (k *run) isInBackground() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.task != nil
}

// write adds messages to the output file. The caller holds the lock.
func (k *run) write(messages []json.RawMessage) error {
	if k.file == nil {
		return nil
	}
	for _, m := range messages {
		if _, err := k.file.WriteString(outputLines(m)); err != nil {
			return fmt.Errorf("the output file of the agent: %w", err)
		}
	}
	return nil
}

// taskReport returns the report for the notice of the end.
func (k *run) taskReport() string {
	select {
	case <-k.done:
		return k.result.message()
	default:
		return ""
	}
}

// launched returns the result of a call whose agent runs in the background.
func (k *run) launched() Result {
	r := k.base(StatusLaunched)
	k.mu.Lock()
	defer k.mu.Unlock()
	r.TaskID, r.OutputFile = k.task.ID(), k.output
	r.CanReadOutput = k.request.canUse("Read")
	advice := []string{"You are told of its end with its report; do not wait for it and do not poll. Go on with something else."}
	if k.request.canUse("TaskStop") {
		advice = append(advice, "TaskStop ends it.")
	}
	r.advice = strings.Join(advice, " ")
	return r
}

// canUse reports whether the caller has a tool.
func (r *Request) canUse(tool string) bool {
	if r.pool == nil {
		return false
	}
	_, ok := r.pool.Lookup(tool)
	return ok
}
