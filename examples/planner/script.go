package main

import (
	"context"
	"time"
)

const firstPlan = "1. Let greet.sh greet a name."

const secondPlan = firstPlan + "\n2. Test it with a name and without one."

// play plays the conversation.
func (h *host) play(ctx context.Context) error {
	h.title("The model plans before it acts")
	h.call(ctx, call("EnterPlanMode", nil))
	h.call(ctx, call("Write", map[string]any{"file_path": "greet.sh", "content": "too early"}), call("Read", map[string]any{"file_path": "greet.sh"}))
	h.call(ctx, call("AskUserQuestion", map[string]any{"questions": []any{map[string]any{
		"question": "Who is greeted when no name is given?", "header": "Default", "multiSelect": false,
		"options": []any{map[string]any{"label": "nobody", "description": "hello"}, map[string]any{"label": "the world", "description": "hello world"}},
	}}}))
	h.call(ctx, call("ExitPlanMode", map[string]any{"plan": firstPlan}))
	h.call(ctx, call("ExitPlanMode", map[string]any{"plan": secondPlan}))
	h.say("mode:    " + string(h.session.Permissions().Mode()))

	h.title("It keeps tasks, and works in a worktree")
	h.call(ctx,
		call("TaskCreate", map[string]any{"subject": "Greet a name", "description": "greet.sh takes a name"}),
		call("TaskCreate", map[string]any{"subject": "Test it", "description": "with a name and without one"}),
		call("TaskUpdate", map[string]any{"taskId": "2", "addBlockedBy": []string{"1"}}))
	h.call(ctx, call("EnterWorktree", map[string]any{"name": "greeting"}))
	h.call(ctx, call("Write", map[string]any{"file_path": "hello.sh", "content": "echo hello ${1:-world}\n"}))
	h.call(ctx, call("TaskUpdate", map[string]any{"taskId": "1", "status": "completed"}))
	h.call(ctx, call("Bash", map[string]any{"command": "sh hello.sh; sh hello.sh you"}))
	h.call(ctx, call("TaskUpdate", map[string]any{"taskId": "2", "status": "completed"}), call("TaskList", nil))
	h.call(ctx, call("VerifyPlanExecution", map[string]any{"steps": []any{
		map[string]any{"step": "1", "done": true, "evidence": "hello.sh"}, map[string]any{"step": "2", "done": true, "evidence": "hello world, hello you"},
	}}))

	h.title("It schedules a check, which fires when the host is idle")
	h.call(ctx, call("ScheduleWakeup", map[string]any{"delaySeconds": 600, "reason": "look again", "prompt": "Is hello.sh still there?"}))
	h.later = 10 * time.Minute // moves the clock forward, so that the example does not wait
	h.jobs.ClockChanged()
	fire, err := h.jobs.Wait(ctx)
	if err != nil {
		return err
	}
	h.say("host:    gives the model the prompt: " + fire.Job.Prompt)
	h.call(ctx, call("Glob", map[string]any{"pattern": "*.sh"}))

	h.title("It sends the file, and leaves the worktree")
	h.call(ctx, call("SendUserFile", map[string]any{"files": []string{"hello.sh"}, "caption": "the new greeting"}))
	h.call(ctx, call("ExitWorktree", map[string]any{"action": "remove"}))
	h.call(ctx, call("ExitWorktree", map[string]any{"action": "keep"}))
	return nil
}
