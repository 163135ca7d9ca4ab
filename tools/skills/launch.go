package skills

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
	"github.com/seed49eaa51d/pegboard/policy"
)

// maxPrinted is how many characters of the output of a command stand in the text of a skill.
const maxPrinted = pegboard.DefaultPerResult

// A launch makes the text of one skill for one session.
type launch struct {
	skills  *Skills
	session *pegboard.Session
	pool    *pegboard.Pool
	skill   *Skill
	args    string
	// run runs calls that were decided allowed.
	run func(ctx context.Context, calls ...pegboard.Call) []pegboard.Outcome
	// noCommands stands in the place of each command, if it is not empty.
	noCommands string
	ended      bool // the turn has ended while the commands ran
}

// load makes the text, and runs it in an agent if the skill wants that. It changes nothing if it
// fails.
func (l *launch) load(ctx context.Context) (Output, error) {
	out := Output{Skill: l.skill.Name, skill: l.skill}
	if l.skill.Fork {
		if err := l.canFork(ctx); err != nil {
			return Output{}, err
		}
	}
	text, err := l.text(ctx)
	if err != nil {
		return Output{}, err
	}
	if !l.skill.Trusted {
		text = untrusted.Text(text)
	}
	if l.skill.Fork {
		return l.fork(ctx, text)
	}
	if err := l.checkRules(); err != nil {
		return Output{}, err
	}
	l.lend()
	if out.grants = l.hasGrants(); out.grants {
		out.AllowedTools, out.DisallowedTools = l.skill.AllowedTools, l.skill.DisallowedTools
	}
	out.Model, out.Effort, out.Status, out.message = l.skill.Model, l.skill.Effort, StatusLoaded, l.message(text)
	if l.skills.of(l.session).shows(l.skill.Name, out.message) {
		out.Status = StatusRepeated
	}
	return out, nil
}

// text returns the text with all that stands in it replaced.
func (l *launch) text(ctx context.Context) (string, error) {
	if l.skill.prompt != nil {
		return l.skill.prompt.text(ctx, l.args)
	}
	t := parseText(l.skill.Body, l.skill.Arguments)
	v := newValues(l.args, l.skills.variables(l.session, l.skill))
	v.backslashes = l.skill.PowerShell
	commands, err := v.commands(t)
	if err != nil {
		return "", fmt.Errorf("the skill %s was not loaded: %w", l.skill.Name, err)
	}
	outputs, err := l.outputs(ctx, commands)
	if err != nil {
		return "", err
	}
	return v.render(t, outputs), nil
}

// outputs decides all commands, and then runs them one after the other. The rules of the skill
// hold meanwhile.
func (l *launch) outputs(ctx context.Context, commands []string) (outputs []string, err error) {
	if len(commands) == 0 {
		return nil, nil
	}
	if l.noCommands != "" {
		return slices.Repeat([]string{l.noCommands}, len(commands)), nil
	}
	withdraw, err := grant(l.session, l.skill)
	if err != nil {
		return nil, err
	}
	defer func() { l.ended = withdraw() }()
	for i, line := range commands {
		if d := l.pool.Decide(ctx, l.call(i, line)); d.Behavior != policy.Allow {
			return nil, l.commandError(i, line, d, pegboard.ErrDenied)
		}
	}
	for i, line := range commands {
		printed, err := l.output(ctx, i, line)
		if err != nil {
			return nil, l.commandError(i, line, policy.Decision{}, err)
		}
		outputs = append(outputs, untrusted.Escape(printed))
	}
	return outputs, nil
}

// call returns the call of a command.
func (l *launch) call(i int, line string) pegboard.Call {
	in := map[string]string{"command": line, "description": "A command of the skill " + l.skill.Name}
	return pegboard.Call{ID: fmt.Sprintf("skill_command_%d", i+1), Name: l.skill.shell(), Input: encoded(in)}
}

func (l *launch) commandError(i int, line string, d policy.Decision, err error) error {
	if _, ok := l.pool.Lookup(l.skill.shell()); !ok {
		err = pegboard.ErrUnknownTool
	}
	return &CommandError{Skill: l.skill.Name, Number: i + 1, Command: line, Tool: l.skill.shell(), Decision: d, Err: err}
}

// output runs a command and returns its output.
func (l *launch) output(ctx context.Context, i int, line string) (string, error) {
	outcomes := l.run(ctx, l.call(i, line))
	if len(outcomes) != 1 {
		return "", fmt.Errorf("%d outcomes of one call", len(outcomes))
	}
	if outcomes[0].Err != nil {
		return "", outcomes[0].Err
	}
	value, err := outcomes[0].Value()
	if err != nil {
		return "", err
	}
	return printed(value)
}

// printed returns the output in the value of a call of a shell tool, as package tools/shell
// makes it, or a text.
func printed(value any) (string, error) {
	if text, ok := value.(string); ok {
		return cut(strings.TrimRight(text, "\n")), nil
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	var out struct {
		Stdout   any    `json:"stdout"`
		Notes    string `json:"stderr"`
		ExitCode *int   `json:"exitCode"`
		Task     string `json:"backgroundTaskId"`
	}
	if err := json.Unmarshal(encoded, &out); err != nil {
		return "", err
	}
	text, ok := out.Stdout.(string)
	if !ok {
		return "", fmt.Errorf("it printed more than %d bytes, or something else than text", pegboard.MaxInMemory)
	}
	text = cut(strings.TrimRight(text, "\n"))
	switch {
	case out.Task != "":
		text += fmt.Sprintf("\n[the command goes on in the background as %s]", out.Task)
	case out.ExitCode != nil && *out.ExitCode != 0:
		text += fmt.Sprintf("\n[exit code %d]", *out.ExitCode)
	}
	return strings.TrimLeft(text, "\n"), nil
}

// cut returns the beginning of a text.
func cut(text string) string {
	if utf8.RuneCountInString(text) <= maxPrinted {
		return text
	}
	return string([]rune(text)[:maxPrinted]) + fmt.Sprintf("\n[cut after %d characters]", maxPrinted)
}

// lend lets the model read the files of a skill whose author the user trusts.
func (l *launch) lend() {
	if l.skill.Trusted && l.skill.Dir != "" {
		l.session.AllowReads(l.skill.Dir)
	}
}

// message returns the text of a skill as it stands in the conversation.
func (l *launch) message(text string) string {
	head := "Skill " + l.skill.Name
	if l.skill.Dir != "" {
		head += ", whose files are in " + untrusted.Escape(l.skill.Dir)
	}
	return head + ":\n\n" + text
}

// fork runs an agent with the text as its prompt, by a call of the tool Agent, so that all that
// holds for such calls holds for this one.
func (l *launch) fork(ctx context.Context, text string) (Output, error) {
	outcomes := l.run(ctx, l.agentCall(text))
	if len(outcomes) != 1 {
		return Output{}, fmt.Errorf("%d outcomes of one call", len(outcomes))
	}
	o := &outcomes[0]
	if o.Err != nil && o.Result.Data == nil {
		return Output{}, fmt.Errorf("the agent that was to run the skill %s: %w", l.skill.Name, o.Err)
	}
	out := Output{Skill: l.skill.Name, Status: StatusForked, Report: o.Result.Text(), skill: l.skill}
	if data, err := json.Marshal(o.Result.Data); err == nil {
		var agent struct {
			ID string `json:"agentId"`
		}
		_ = json.Unmarshal(data, &agent) // another tool of this name may return something else
		out.AgentID = agent.ID
	}
	return out, o.Err
}

// agentCall returns the call that runs the skill in an agent.
func (l *launch) agentCall(prompt string) pegboard.Call {
	in := map[string]any{"description": "Run skill " + l.skill.Name, "prompt": prompt, "subagent_type": l.skill.agentType()}
	if l.skill.Model != "" {
		in["model"] = l.skill.Model
	}
	if l.skill.Effort != "" {
		in["effort"] = l.skill.Effort
	}
	if l.skill.Background != nil {
		in["run_in_background"] = *l.skill.Background
	}
	return pegboard.Call{ID: "skill_agent", Name: agentTool, Input: encoded(in)}
}

// canFork reports why no agent can run the skill.
func (l *launch) canFork(ctx context.Context) error {
	if _, ok := l.pool.Lookup(agentTool); !ok {
		return fmt.Errorf("%w, since there is no tool %s: go on without the skill %s", ErrNoAgents, agentTool, l.skill.Name)
	}
	if d := l.pool.Decide(ctx, l.agentCall(l.skill.Name)); d.Behavior == policy.Deny {
		return fmt.Errorf("the skill %s runs in an agent of the type %s, which is refused: %s: %w", l.skill.Name, l.skill.agentType(), d.Reason, pegboard.ErrDenied)
	}
	return nil
}

// encoded returns an input as JSON.
func encoded(in any) json.RawMessage {
	text, err := json.Marshal(in)
	if err != nil { // texts and switches can always be written
		panic(err)
	}
	return text
}

// hasGrants reports whether the skill changes the rules of the session.
func (l *launch) hasGrants() bool {
	return l.skill.grants() && len(l.session.AgentPath()) == 0 && !l.ended
}

// checkRules reports whether the rules of a skill that code has made can be added.
func (l *launch) checkRules() error {
	if !l.hasGrants() {
		return nil
	}
	_, err := l.session.Permissions().WithRules(rulesOf(l.skill))
	return err
}

// The number of tokens that [Skills.Carry] returns at most, as Claude Code documents them: of one
// skill, and of all. A token is counted as four bytes.
const (
	MaxCarried    = 5_000
	MaxCarriedAll = 25_000
)

const bytesPerToken = 4

// Carry returns the texts of the skills that are in use in a session, the last used first, for a
// compactor: their instructions would otherwise be lost with the conversation. At
// most MaxCarried tokens of each skill are returned, and MaxCarriedAll of all.
//
// Call it when the conversation is replaced by its summary, and put the parts behind that. A
// skill whose text is cut or left out is loaded anew if the model asks for it.
func (k *Skills) Carry(s *pegboard.Session) (parts []pegboard.Part) {
	room := MaxCarriedAll * bytesPerToken
	k.of(s).carry(func(b namedBody) bool {
		text, whole := head(b.text, min(room, MaxCarried*bytesPerToken))
		if text == "" {
			return false
		}
		if room -= len(text); !whole {
			text += fmt.Sprintf("\n[The rest of skill %s is left out. Call Skill with its name for all of it.]", b.name)
		}
		parts = append(parts, pegboard.Part{Text: text})
		return whole
	})
	return parts
}

// head returns at most n bytes from the beginning of a text, and whether that is all of it.
func head(text string, n int) (string, bool) {
	if len(text) <= n {
		return text, true
	}
	for n > 0 && text[n]&0xC0 == 0x80 {
		n--
	}
	return text[:max(n, 0)], false
}

// Forget says that the conversation of a session does not have the texts of its skills any more,
// for example because the user went back to an earlier message. They are sent again when the
// model asks for them. A conversation that is resumed in another process needs no call.
func (k *Skills) Forget(s *pegboard.Session) { k.of(s).forget() }
