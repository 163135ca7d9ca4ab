package hooks

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/session"
)

// AgentHooks returns hooks for [agents.Options] that run those of SubagentStart, SubagentStop and
// TeammateIdle, in the session of the agent. The agent reads their words for the model; a reason
// of the latter two makes it go on. "continue": false ends an agent that starts or is idle.
func (r *Runner) AgentHooks() agents.Hooks {
	return agents.Hooks{
		Start: func(ctx context.Context, a *agents.Agent) (string, error) {
			answer, err := r.Fire(ctx, a.Session, "SubagentStart", SubagentStartFields{AgentID: a.ID, AgentType: a.Type})
			return wordsFor(answer, err)
		},
		Stop: func(ctx context.Context, e agents.Ending) (string, error) {
			fields := SubagentStopFields{AgentID: e.Agent.ID, AgentType: e.Agent.Type, AgentTranscript: r.transcript(e.Agent.Session)}
			fields.LastAssistantMessage = e.Text
			answer, err := r.Fire(ctx, e.Agent.Session, subagentStop, fields)
			if answer.Stop { // it ends as it would
				return "", err
			}
			return wordsFor(answer, err)
		},
		Idle: func(ctx context.Context, e agents.Ending) (string, error) {
			answer, err := r.Fire(ctx, e.Agent.Session, "TeammateIdle", TeammateIdleFields{Teammate: e.Agent.Name, Team: e.Agent.Team})
			return wordsFor(answer, err)
		},
	}
}

// wordsFor returns what an agent reads of an answer.
func wordsFor(answer Answer, err error) (string, error) {
	switch {
	case err != nil:
		return "", err
	case answer.Stop:
		return "", fmt.Errorf("%w by a hook of the user", agents.ErrStopped)
	case answer.Block && answer.Reason == "" && len(answer.Context) == 0:
		return "A hook of the user wants you to go on, and does not say why.", nil
	case answer.Block && answer.Reason != "":
		answer.Context = append(answer.Context, answer.Reason)
	}
	return strings.Join(answer.Context, "\n\n"), nil
}

// WorktreeHooks returns o with Create and Remove that run the hooks of WorktreeCreate and
// WorktreeRemove in the session that calls. Without a hook of WorktreeCreate it returns o: git
// makes the worktrees then.
func (r *Runner) WorktreeHooks(o session.WorktreeOptions) session.WorktreeOptions {
	if len(r.matching(worktreeCreate)) == 0 {
		return o
	}
	o.Create = func(ctx context.Context, name string) (string, error) {
		s, _ := pegboard.SessionFrom(ctx)
		answer, err := r.Fire(ctx, s, worktreeCreate, map[string]string{"name": name})
		return answer.WorktreePath, err
	}
	o.Remove = func(ctx context.Context, path string) error {
		s, _ := pegboard.SessionFrom(ctx)
		_, err := r.Fire(ctx, s, "WorktreeRemove", map[string]string{"worktree_path": path})
		return err
	}
	return o
}
