package skills

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/policy"
)

const (
	toolName  = "Skill"
	agentTool = "Agent"
)

// maxText is how many characters of a skill's text the model is sent; a longer text is stored, and
// it gets a preview. Our choice: authors are told to stay below a tenth of it.
const maxText = 100_000

type input struct {
	Skill string `json:"skill" jsonschema:"minLength=1" jsonschema_description:"The name of the skill, as it was listed"`
	Args  string `json:"args,omitempty" jsonschema_description:"Its arguments, as the user would type them after the name"`
}

// An Output is the Result.Data of the tool Skill.
type Output struct {
	Skill string `json:"skill"`
	// Status is loaded; repeated, if the conversation has the same text already; or forked, if an
	// agent runs it or has run it.
	Status string `json:"status"`
	// AllowedTools and DisallowedTools are the rules that hold for the rest of the turn.
	AllowedTools    []string `json:"allowedTools,omitempty"`
	DisallowedTools []string `json:"disallowedTools,omitempty"`
	// Model and Effort are for the host's loop, for the rest of the turn; empty means
	// no change.
	Model  string `json:"model,omitempty"`
	Effort string `json:"effort,omitempty"`

	AgentID string `json:"agentId,omitempty"` // of the agent, if the status is forked
	Report  string `json:"report,omitempty"`  // likewise, its text

	skill   *Skill
	grants  bool   // whether the rules of the skill hold
	message string // the text for the conversation; empty if it is not sent
}

// The statuses of an [Output].
const (
	StatusLoaded   = "loaded"
	StatusRepeated = "repeated"
	StatusForked   = "forked"
)

// Tool returns the tool Skill, with which the model loads a skill. Its target is the name of the
// skill with its arguments, of the kind policy.Skill; rules such as Skill(deploy) and
// Skill(deploy *) are about it. Without such a rule, the user is asked. Deny and ask rules on the
// tools of an MCP server, such as mcp__github, are about its prompts, too.
//
// The text of the skill follows the results of the message, see Result.Messages. The same text is
// sent once, as long as the conversation has it.
func (k *Skills) Tool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[input, Output]{
		Info: pegboard.Info{Name: toolName, Title: "Skill", Hint: "load instructions for a kind of task by name", Loading: pegboard.LoadAlways, MaxResult: maxText},
		Description: "Loads a skill: instructions for a kind of task, maybe with files. Messages list the skills that there are. " +
			"Load one before you do what it is for, and when the user types its name behind a slash; then follow what it says. " +
			"A skill that is loaded need not be loaded again. Never make up a name.",
		Inspect:    k.inspect,
		Summary:    lines,
		Equivalent: pegboard.SameInput[input],
		Permit:     k.permit,
		Validate:   k.validate,
		Call:       k.call,
		Result:     k.result,
	})
}

func lines(in input, _ *pegboard.Call) pegboard.Summary {
	what := strings.TrimSpace(bareName(in.Skill) + " " + in.Args)
	return pegboard.Summary{Before: "Load skill " + what, While: "Loading skill " + what}
}

// inspect uses the skills that were read last, and does not read them.
func (k *Skills) inspect(in input, c *pegboard.Call) pegboard.Traits {
	name := bareName(in.Skill)
	target := policy.Target{Kind: policy.Skill, Access: policy.Run, Value: name}
	if args := visibleWords(in.Args); args != "" {
		target.Value += " " + args
		target.Aliases = []string{name}
	}
	t := pegboard.Traits{Kind: pegboard.KindRead, Targets: []policy.Target{target}, Own: true}
	if c.Session() == nil {
		return t
	}
	if known := k.of(c.Session()).loaded(); known != nil {
		switch skill := known.find(name); {
		case skill == nil: // the call fails
		case skill.prompt != nil:
			t.Concurrency, t.OpenWorld = pegboard.Shared, true
		case skill.Fork:
			t.Kind, t.Concurrency = pegboard.KindRun, pegboard.Shared
		case skill.plain():
			t.Concurrency, t.ReadOnly = pegboard.Shared, true
		}
	}
	return t
}

// visibleWords returns arguments on one line, as rules compare them.
func visibleWords(args string) string {
	args = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || c == unicode.ReplacementChar {
			return ' '
		}
		return c
	}, args)
	return strings.Join(strings.Fields(args), " ")
}

// permit is the opinion on a call that loads a prompt of an MCP server. Of other skills there is
// none.
func (k *Skills) permit(_ context.Context, in input, c *pegboard.Call) policy.Decision {
	if c.Session() == nil {
		return policy.Decision{}
	}
	skill, err := k.find(c.Session(), in.Skill)
	if err != nil || skill.prompt == nil { // without a skill the call fails
		return policy.Decision{}
	}
	return skill.prompt.permit(c.Session())
}

func (k *Skills) validate(_ context.Context, in input, c *pegboard.Call) error {
	if c.Session() == nil {
		return nil
	}
	skill, err := k.find(c.Session(), in.Skill)
	if err != nil {
		return err
	}
	if why := skill.refusal(); why != "" {
		return &wordedError{why, ErrRefused}
	}
	return nil
}

func (k *Skills) call(ctx context.Context, in input, c *pegboard.Call) (Output, error) {
	s := c.Session()
	if s == nil {
		return Output{}, fmt.Errorf("%w: Skill runs in a session only; give the call to an Executor", pegboard.ErrDenied)
	}
	skill, err := k.find(s, in.Skill)
	if err != nil {
		return Output{}, err
	}
	if c.Facts().ReadOnly && !skill.plain() {
		return Output{}, errors.New("the file of the skill has just changed; call the skill again")
	}
	return k.newLaunch(c.Pool(), skill, in.Args, c.Run).load(ctx)
}

func (k *Skills) result(out Output) *pegboard.Result {
	r := &pegboard.Result{Data: out, Value: codeValue{out, out.message}, Line: "Loaded skill " + out.Skill}
	skill := out.skill
	if out.grants {
		r.UpdateSession = func(s *pegboard.Session) { _, _ = grant(s, skill) } // the rules were added before, so they can be
	}
	switch out.Status {
	case StatusForked:
		r.Line = "Ran skill " + out.Skill + " in agent " + out.AgentID
		r.Parts = []pegboard.Part{{Text: out.Report}}
		r.UpdateSession, r.Value = nil, codeValue{out, out.Report}
		r.Shown = func(s *pegboard.Session, _ pegboard.Outcome) { k.of(s).used(out.Skill) }
		return r
	case StatusRepeated:
		r.Parts = []pegboard.Part{{Text: "Skill " + out.Skill + " is loaded already and says the same as before: follow what stands about it above."}}
	default:
		r.Parts = []pegboard.Part{{Text: "Skill " + out.Skill + " is loaded: what it says follows. Do that now."}}
		r.Messages = []pegboard.Part{{Text: out.message}}
	}
	r.Shown = func(s *pegboard.Session, _ pegboard.Outcome) { k.of(s).show(out.Skill, out.message) }
	return r
}

// A codeValue is what code gets that calls the tool.
type codeValue struct {
	Output
	Text string `json:"text"`
}

// An Invocation is a skill that a person has started.
type Invocation struct {
	Output
	// Parts belong into the message of the user: the text of the skill, or the report of the agent
	// that ran it.
	Parts []pegboard.Part
}

// Run starts a skill for a person who has typed its name and arguments, in the session of the
// pool: a host calls it for "/deploy staging" with the name deploy. The executor runs the
// commands in the text, which are decided like those of any call; no rule is about the skill
// itself, since the user has asked for it. The rules of the skill hold until the next
// [pegboard.Session.NewTurn], so call that first.
//
// The error wraps ErrUnknown if there is no such skill, ErrRefused if the skill is not for people
// or switched off, and ErrCommand, as a [*CommandError], if a command did not run; then nothing
// has changed.
func (k *Skills) Run(ctx context.Context, x *pegboard.Executor, p *pegboard.Pool, name, args string) (Invocation, error) {
	s := p.Session()
	if s == nil {
		return Invocation{}, fmt.Errorf("%w: the pool has no session", ErrRefused)
	}
	skill, err := k.find(s, name)
	switch {
	case err != nil:
		return Invocation{}, err
	case skill.Visibility == Off:
		return Invocation{}, &wordedError{skill.refusal(), ErrRefused}
	case skill.NoPerson:
		return Invocation{}, &wordedError{"the skill " + skill.Name + " is for the model only", ErrRefused}
	}
	run := func(ctx context.Context, calls ...pegboard.Call) []pegboard.Outcome { return x.Run(ctx, p, calls...) }
	out, err := k.newLaunch(p, skill, args, run).load(ctx)
	if err != nil {
		return Invocation{}, err
	}
	if out.Status == StatusForked {
		k.of(s).used(skill.Name)
		return Invocation{Output: out, Parts: []pegboard.Part{{Text: out.Report}}}, nil
	}
	if out.grants {
		if _, err := grant(s, skill); err != nil {
			return Invocation{}, err
		}
	}
	k.of(s).show(skill.Name, out.message)
	return Invocation{Output: out, Parts: []pegboard.Part{{Text: out.message}}}, nil
}

// Text returns the text of a skill for an agent whose definition names it: it is the func of the
// option Skill of package agents, and s is the agent's session. No call runs the commands of such
// a text, so each is replaced by a note. The rules of the skill do not count. A skill that the
// model cannot load, or that a deny rule is about, is an error.
func (k *Skills) Text(ctx context.Context, s *pegboard.Session, name string) (string, error) {
	skill, err := k.find(s, name)
	if err != nil {
		return "", err
	}
	if why := skill.refusal(); why != "" {
		return "", &wordedError{why, ErrRefused}
	}
	r := denying(s, skill.Name)
	if r == "" && skill.prompt != nil {
		r = skill.prompt.rule(s, policy.Deny)
	}
	if r != "" {
		return "", fmt.Errorf("%w by the rule %s", pegboard.ErrDenied, r)
	}
	l := &launch{skills: k, session: s, skill: skill, noCommands: "[a command that runs when the skill is loaded by the tool Skill]"}
	text, err := l.text(ctx)
	if err != nil {
		return "", err
	}
	l.lend()
	message := l.message(text)
	if !hasCommands(skill.Body) {
		k.of(s).show(skill.Name, message)
	}
	return message, nil
}

// denying returns the deny rule that is about a skill without arguments, or "".
func denying(s *pegboard.Session, name string) string {
	for _, r := range s.Permissions().Rules() {
		if r.Behavior != policy.Deny || !pattern.NameMatches(r.Tool, toolName, "", false) {
			continue
		}
		if r.Pattern == "" {
			return r.String()
		}
		spec, err := pattern.Parse(r.Tool, r.Pattern)
		if err != nil || spec.Touches(pattern.Subject{Kind: pattern.Text, Write: true, Names: []string{name}}) {
			return r.String()
		}
	}
	return ""
}
