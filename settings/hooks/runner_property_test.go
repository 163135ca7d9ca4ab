package hooks_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// A plan is a random call with random rules and hooks.
type plan struct {
	mode   pegboard.Mode
	rules  pegboard.RuleSet
	tool   string
	input  string
	strict bool
	agent  bool
	hooks  []plannedHook
}

// A plannedHook is a hook and its answer.
type plannedHook struct {
	event, matcher, rule string
	answer               string // a name of answerText, or error, panic, nothing
	to                   string // the input of an answer that changes it
}

var (
	planLines = []string{
		"ls", "git status", "git push origin main", "git push", "rm -rf .", "rm -rf build", "cat .env", "cat a.txt", "curl https://example.com",
		"echo $(git push)", "$CMD push", "X=1 git push", "touch a", "echo hi > .git/config", "ls; git push", "if true; then rm -rf ~; fi", "echo 'unfinished",
	}
	planRules = []string{"Bash", "Bash(git push *)", "Bash(git *)", "Bash(ls)", "Bash(rm *)", "Bash(echo *)", "Bash(touch *)", "Read(.env)", "Edit(.git/**)", "Edit(*.txt)", "Write", "WebFetch(domain:example.com)", "mcp__far", "*"}
	planModes = []pegboard.Mode{pegboard.ModeDefault, pegboard.ModeAcceptEdits, pegboard.ModePlan, pegboard.ModeDontAsk, pegboard.ModeBypass, pegboard.ModeAsk, pegboard.ModeDeny}
	planReply = []string{"none", "text", "broken", "wrong", "array", "two", "bom", "below", "empty", "context", "stop", "block", "approve", "allow", "allow", "allow", "deny", "ask", "defer", "input", "only", "error", "panic"}
	// planFailures are the answers that are none.
	planFailures = []string{"broken", "wrong", "error", "panic"}
)

func pick[T any](r *rand.Rand, all []T) T { return all[r.IntN(len(all))] }

func newPlan(r *rand.Rand) plan {
	p := plan{mode: pick(r, planModes), strict: r.IntN(2) == 0, agent: r.IntN(4) == 0}
	for _, list := range []*[]string{&p.rules.Deny, &p.rules.Ask, &p.rules.Allow} {
		for range r.IntN(3) {
			if rule := pick(r, planRules); rule != "*" || list == &p.rules.Ask {
				*list = append(*list, rule)
			}
		}
	}
	p.tool, p.input = planInput(r)
	for range r.IntN(4) {
		h := plannedHook{event: pick(r, []string{"PreToolUse", "PreToolUse", "PermissionRequest"}), matcher: pick(r, []string{"", "*", "Bash|Write", "^(Bash|Write)$", ".*"}), answer: pick(r, planReply)}
		if r.IntN(3) == 0 {
			h.rule = pick(r, planRules[:len(planRules)-1])
		}
		if _, ok := answerText(h.event, "mcp_tool", h.answer); !ok && h.answer != "error" && h.answer != "panic" {
			h.answer = "none"
		}
		for h.to == "" {
			if tool, input := planInput(r); tool == p.tool {
				h.to = input
			}
		}
		p.hooks = append(p.hooks, h)
	}
	return p
}

func planInput(r *rand.Rand) (tool, input string) {
	if r.IntN(4) == 0 {
		return "Write", fmt.Sprintf(`{"file_path": %q, "content": "x"}`, pick(r, []string{"a.txt", ".env", ".git/config", "/etc/hosts", "../b.txt"}))
	}
	return "Bash", fmt.Sprintf(`{"command": %q}`, pick(r, planLines))
}

// set returns the plan's hooks, and what they answer.
func (p plan) set(t *testing.T) (hooks.Set, func(string) (*pegboard.Result, error)) {
	t.Helper()
	groups := map[string][]any{}
	for i, h := range p.hooks {
		handler := map[string]any{"type": "mcp_tool", "server": strconv.Itoa(i), "tool": "t"}
		if h.rule != "" {
			handler["if"] = h.rule
		}
		groups[h.event] = append(groups[h.event], map[string]any{"matcher": h.matcher, "hooks": []any{handler}})
	}
	data, err := json.Marshal(groups)
	require.NoError(t, err)
	set, problems, err := hooks.Parse(data, pegboard.SourceProject, "f")
	require.NoError(t, err)
	require.Empty(t, problems)
	return set, func(server string) (*pegboard.Result, error) {
		i, _ := strconv.Atoi(server)
		h := p.hooks[i]
		switch h.answer {
		case "error":
			return nil, errors.New("not connected")
		case "panic":
			panic("the host is broken")
		case "input":
			if h.event == "PreToolUse" {
				return pegboard.TextResult(`{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": ` + h.to + `}}`), nil
			}
			return pegboard.TextResult(`{"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow", "updatedInput": ` + h.to + `}}}`), nil
		case "only":
			return pegboard.TextResult(`{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": ` + h.to + `}}`), nil
		}
		text, _ := answerText(h.event, "mcp_tool", h.answer)
		return pegboard.TextResult(text), nil
	}
}

// A planResult is what came of a plan.
type planResult struct {
	out      pegboard.Outcome
	ran      bool
	behavior string
}

// run makes the plan's call in a session with these hooks. It is not run.
func (p plan) run(t *testing.T, registry *pegboard.Registry, dir string, h func(*planResult) pegboard.Hooks) planResult {
	t.Helper()
	var result planResult
	ctx := context.Background()
	permissions, err := pegboard.NewPermissions(p.mode, p.rules)
	require.NoError(t, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Home: dir, Permissions: permissions, Hooks: h(&result)})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close(ctx)) }()
	if p.agent {
		s, err = s.Fork(pegboard.SessionConfig{AgentID: "a"})
		require.NoError(t, err)
		defer func(fork *pegboard.Session) { require.NoError(t, fork.Close(ctx)) }(s)
	}
	ex := pegboard.Executor{
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Invoke: func(context.Context, pegboard.Tool, *pegboard.Call) (*pegboard.Result, error) {
			result.ran = true
			return pegboard.TextResult("not run"), nil
		},
	}
	result.out = ex.Run(ctx, registry.AssemblePool(s, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: p.tool, Input: []byte(p.input)})[0]
	switch err := result.out.Err; {
	case result.ran:
		result.behavior = "allow"
	case errors.Is(err, pegboard.ErrNoApprover):
		result.behavior = "ask"
	default:
		result.behavior = "deny"
	}
	return result
}

// TestHooksMakeNothingLaxer plays random plans. What a rule denies stays denied; what a rule
// asks about runs only if a hook answers for the person; and in strict mode a hook that fails
// lets nothing run.
func TestHooksMakeNothingLaxer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var registry pegboard.Registry
	require.NoError(t, registry.Add(shell.Bash(shell.Options{}), files.Write(files.WriteOptions{})))
	counts := map[string]int{}
	for seed := range effort.Of(t, uint64(5_000)) {
		p := newPlan(rand.New(rand.NewPCG(seed, 21)))
		set, answer := p.set(t)
		got := p.run(t, &registry, dir, func(r *planResult) pegboard.Hooks {
			runner := hooks.New(set, hooks.Options{Strict: p.strict, Invoke: func(_ context.Context, server, _ string, _ json.RawMessage) (*pegboard.Result, error) {
				return answer(server)
			}})
			return runner.Hooks()
		})
		final := p
		if got.out.Call != nil && got.ran {
			final.input = string(got.out.Call.Input)
		}
		want := final.run(t, &registry, dir, func(*planResult) pegboard.Hooks { return pegboard.Hooks{} })
		say := func() string {
			return fmt.Sprintf("seed %d: %+v\nwithout hooks: %s %v (%v)\nwith hooks: %s %v", seed, p, want.behavior, want.out.Err, want.out.Decision.By, got.behavior, got.out.Err)
		}
		counts[want.behavior+" becomes "+got.behavior]++
		matches := func(event string, answers ...string) bool {
			return slices.ContainsFunc(p.hooks, func(h plannedHook) bool {
				return h.event == event && slices.Contains(answers, h.answer)
			})
		}
		if got.behavior == "allow" && want.behavior != "allow" {
			byRule := want.out.Decision.By == pegboard.ByRule || want.out.Decision.Rule != nil
			answered := matches("PermissionRequest", "allow", "input")
			allowed := matches("PreToolUse", "allow", "approve", "input")
			switch {
			case want.behavior == "deny" && p.mode == pegboard.ModeDontAsk && want.out.Decision.Rule == nil, want.behavior == "deny" && p.mode == pegboard.ModeDeny && want.out.Decision.Rule == nil:
				require.True(t, allowed || answered, say())
			case want.behavior == "deny":
				require.Fail(t, "a hook has undone a denial", say())
			case byRule:
				require.True(t, answered, say())
			default:
				require.True(t, allowed || answered, say())
			}
		}
		if p.strict && got.behavior == "allow" {
			for _, h := range p.hooks {
				if h.event == "PreToolUse" && h.rule == "" && slices.Contains(planFailures, h.answer) {
					require.Fail(t, "a hook has failed, and the call ran", say())
				}
			}
			if want.behavior == "ask" && !matches("PreToolUse", "allow", "approve", "input") {
				for _, h := range p.hooks {
					require.False(t, h.event == "PermissionRequest" && h.rule == "" && slices.Contains(planFailures, h.answer), say())
				}
			}
		}
		for _, h := range p.hooks {
			if h.event == "PreToolUse" && h.rule == "" && slices.Contains([]string{"deny", "block", "array", "two", "bom", "below", "stop"}, h.answer) {
				require.NotEqual(t, "allow", got.behavior, say())
			}
		}
	}
	t.Log(counts)
	require.Positive(t, counts["ask becomes allow"])
	require.Positive(t, counts["allow becomes deny"])
}
