package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Plan is a plan that was approved.
type Plan struct {
	Text   string         // as it was approved; empty if the model has given none with the call
	Sent   string         // as the model wrote it
	Edited bool           // whether it was changed before it was approved
	By     policy.Decider // ByPerson, or ByHook or ByApprover in the user's place; ByDefault and no Edited for a call of Pool.Rebuild
}

// planKey has the last approved plan. A fork begins with that of its parent.
var planKey = pegboard.NewClonedKey("approved plan", func(p Plan) Plan { return p })

// ApprovedPlan returns the plan that was approved last in s, or in a parent before s was forked,
// and whether there is one. It stays until another one is approved. It is not kept when the
// conversation is resumed in another program.
func ApprovedPlan(s *pegboard.Session) (Plan, bool) { return planKey.Get(s) }

// A planStep is a step of a plan.
type planStep struct {
	name   string // its line in the plan, without its mark
	number string // as the plan numbers it, or ""
	words  map[string]bool
}

// stepsOf returns the steps of a plan: its numbered lines; without any, its bullets; without any,
// its headings; and else its lines. Of lines that are nested only the outermost count. What
// stands in a block of code does not.
func stepsOf(plan string) []planStep {
	lines := proseOf(plan)
	for _, parse := range []func(string) (planStep, bool){numbered, bullet, heading} {
		if steps := outermost(lines, parse); len(steps) > 0 {
			return steps
		}
	}
	var steps []planStep
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" {
			steps = append(steps, planStep{name: line})
		}
	}
	return steps
}

// proseOf returns the lines that stand in no block of code.
func proseOf(text string) (lines []string) {
	code := false
	for line := range strings.Lines(text) {
		start := strings.TrimLeft(line, spaces)
		if strings.HasPrefix(start, "```") || strings.HasPrefix(start, "~~~") {
			code = !code
		} else if !code {
			lines = append(lines, strings.TrimRight(line, "\r\n \t"))
		}
	}
	return lines
}

// outermost returns the steps of the lines that parse accepts and that are indented least.
func outermost(lines []string, parse func(string) (planStep, bool)) (steps []planStep) {
	least := -1
	for _, line := range lines {
		step, ok := parse(line)
		if !ok {
			continue
		}
		before := line[:len(line)-len(strings.TrimLeft(line, spaces))]
		indent := len(before) + 3*strings.Count(before, "\t") // a tab is as wide as four spaces
		if least < 0 || indent < least {
			least, steps = indent, nil
		}
		if indent == least {
			steps = append(steps, step)
		}
	}
	return steps
}

// spaces are the characters that separate the parts of a line. Marks are parsed without regular
// expressions, which took a second for the lines of a plan of 3 MB.
const spaces = " \t\n\f\r"

// numbered parses "2.1. Text", with any of ".):" behind the number. The number may follow "#" and
// "Step".
func numbered(line string) (planStep, bool) {
	line = strings.TrimLeft(line, spaces)
	if rest := strings.TrimLeft(line, "#"); rest != line {
		line = strings.TrimLeft(rest, spaces)
	}
	if strings.HasPrefix(line, "Step") || strings.HasPrefix(line, "step") {
		rest, ok := afterSpace(line[len("Step"):])
		if !ok {
			return planStep{}, false
		}
		line = rest
	}
	n := digits(line)
	for n > 0 && n < len(line) && line[n] == '.' && digits(line[n+1:]) > 0 {
		n += 1 + digits(line[n+1:])
	}
	if n == 0 || n == len(line) || !strings.Contains(".):", line[n:n+1]) {
		return planStep{}, false
	}
	name, ok := afterSpace(line[n+1:])
	return planStep{name: name, number: line[:n]}, ok
}

// bullet parses "- Text" and "- [x] Text".
func bullet(line string) (planStep, bool) {
	line = strings.TrimLeft(line, spaces)
	mark, size := utf8.DecodeRuneInString(line)
	if !strings.ContainsRune("-*+•", mark) {
		return planStep{}, false
	}
	name, ok := afterSpace(line[size:])
	if len(name) > 3 && name[0] == '[' && strings.Contains(" xX", name[1:2]) && name[2] == ']' {
		if text, ok := afterSpace(name[3:]); ok {
			name = text
		}
	}
	return planStep{name: name}, ok
}

// heading parses "## Text".
func heading(line string) (planStep, bool) {
	rest := strings.TrimLeft(line, "#")
	if rest == line {
		return planStep{}, false
	}
	name, ok := afterSpace(rest)
	return planStep{name: name}, ok
}

// afterSpace returns the text behind the space at the beginning of s, if there are both.
func afterSpace(s string) (string, bool) {
	text := strings.TrimLeft(s, spaces)
	return text, text != "" && text != s
}

// digits returns how many digits s begins with.
func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }

// claimed returns how well a claim with that number and those words names the step, from 0, not
// at all, to 1, or 2 by its number.
func (s *planStep) claimed(number string, claim map[string]bool) float64 {
	common := 0
	for w := range claim {
		if s.words[w] {
			common++
		}
	}
	switch {
	case number != "" && number == s.number && (common > 0 || len(claim) == 0):
		return 2
	case len(s.words) == 0 || len(claim) == 0:
		return 0
	}
	return float64(common) / float64(min(len(s.words), len(claim)))
}

// numberOf splits a claim such as "2. Write tests", "Step 2" or "2" into number and text.
func numberOf(claim string) (number, text string) {
	claim = strings.TrimSpace(claim)
	for _, with := range []string{claim, claim + " ?", claim + ": ?"} {
		if step, ok := numbered(with); ok {
			return step.number, step.name
		}
	}
	return "", claim
}

// words returns the words of a text, in lower case.
func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if !fillers[w] {
			set[w] = true
		}
	}
	return set
}

// fillers are words that name no step.
var fillers = map[string]bool{
	"a": true, "an": true, "and": true, "as": true, "at": true, "by": true, "for": true, "from": true, "in": true, "is": true, "it": true,
	"of": true, "on": true, "or": true, "so": true, "step": true, "that": true, "the": true, "to": true, "with": true,
}

const (
	enterTool  = "EnterPlanMode"
	exitTool   = "ExitPlanMode"
	verifyTool = "VerifyPlanExecution"
)

// PlanOptions are the settings of [PlanTools]. The zero value is ready to use.
type PlanOptions struct {
	// Guidance is a text for the model when it enters plan mode, such as the parts that a plan of
	// this project must have. It follows a text on how the mode works. Empty means nothing.
	Guidance string
}

// PlanTools returns EnterPlanMode, ExitPlanMode and VerifyPlanExecution. Their state is
// kept in the session.
//
// EnterPlanMode and ExitPlanMode change the mode when they have ended, by Result.UpdateSession,
// and run alone: a call before them in the message is decided in the mode before, one behind
// them in the mode after. The pool of the next request should be assembled anew.
//
// ExitPlanMode needs the user, see Info.RequiresUser. The answer may edit the plan, by
// Decision.Input, and choose the mode that follows, by Decision.Remember; otherwise it is the mode
// before plan mode, see [policy.Permissions.AfterPlan]. A refusal changes nothing, and the model
// reads its reason. If there is no way to ask, the error wraps [pegboard.ErrNoApprover].
//
// They are deferred. A host that lists them in Deferral.AlwaysLoad while [Planning] says so spares
// the model a search.
func PlanTools(o PlanOptions) []pegboard.Tool {
	return []pegboard.Tool{o.enter(), exitPlanMode(), verifyPlanExecution()}
}

// planTraits are those of a call that changes the mode.
func planTraits() pegboard.Traits {
	return pegboard.Traits{
		Own: true, Concurrency: pegboard.Exclusive,
		Targets: []policy.Target{{Kind: policy.Resource, Access: policy.Write, Value: "plan mode"}},
	}
}

// An EnterPlanOutput is the Result.Data of EnterPlanMode.
type EnterPlanOutput struct {
	Message string `json:"message"`
}

// enter returns EnterPlanMode.
func (o PlanOptions) enter() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, EnterPlanOutput]{
		Info:        pegboard.Info{Name: enterTool, Title: "Plan", Hint: "plan first without changing anything"},
		Description: "Enters plan mode, in which nothing is written.",
		Prompt: func(pegboard.Scope) string {
			return "Enters plan mode, in which nothing is written: look around, ask, and work out a plan that the user approves before you change anything. " +
				"Enter it when the user asks for a plan, or when a task has several ways to do it or many files to change and the choice should be the user's. " +
				"Do not enter it for small changes or for questions that only need reading."
		},
		Traits: planTraits(),
		Summary: func(struct{}, *pegboard.Call) pegboard.Summary {
			return pegboard.Summary{Before: "Enter plan mode", While: "Entering plan mode"}
		},
		Validate: func(_ context.Context, _ struct{}, c *pegboard.Call) error {
			if c.Parent() != nil {
				return errors.New("a script cannot change the mode: call " + enterTool + " yourself")
			}
			return checkEnter(c.Session())
		},
		Permit: func(context.Context, struct{}, *pegboard.Call) policy.Decision {
			return policy.Decision{Behavior: policy.Allow, Reason: "plan mode is stricter than the present mode"}
		},
		ClassifierInput: func(struct{}, *pegboard.Call) string { return "enters plan mode, in which nothing is written" },
		Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (EnterPlanOutput, error) {
			s := c.Session()
			if s == nil {
				return EnterPlanOutput{}, fmt.Errorf("%w: only a call of an executor can enter it", ErrNoPlanMode)
			}
			return EnterPlanOutput{Message: o.message(c)}, nil
		},
		Result: func(out EnterPlanOutput) *pegboard.Result {
			r := pegboard.TextResult(out.Message)
			r.Data, r.Line, r.UpdateSession = out, "Entered plan mode", enterPlanMode
			return r
		},
	})
}

// message says how plan mode works.
func (o PlanOptions) message(c *pegboard.Call) string {
	text := "You are in plan mode from now on: nothing is written, and what does not only read is asked about. " +
		"Look around until you know what has to be done, and ask what only the user can say. "
	then := "Then call " + exitTool + " with the whole plan as the input: what will be changed, where, in which steps, and how it will be tested. " +
		"The user approves it, changes it or refuses it; until then, change nothing."
	if c.Session().Permissions().Mode() == policy.ModePlan {
		text, then = "You are in plan mode already. ", "Call "+exitTool+" with the whole plan when you have it."
	}
	if pool := c.Pool(); pool != nil {
		if _, ok := pool.Lookup(exitTool); !ok {
			then = "When you have the whole plan, end with it as your answer: only the user can leave plan mode here."
		}
	}
	text += then
	if guidance := strings.TrimSpace(o.Guidance); guidance != "" {
		text += "\n\n" + guidance
	}
	return text
}

// checkEnter returns an error unless plan mode can be entered in s. A stricter mode stays: plan
// mode lets reads run that it refuses or asks about.
func checkEnter(s *pegboard.Session) error {
	if s == nil {
		return nil
	}
	switch p := s.Permissions(); {
	case policy.ModePlan.Laxer(p.Mode()):
		return fmt.Errorf("%w: the mode of this conversation, %s, is stricter. Plan all the same, and write the plan into your answer", ErrNoPlanMode, p.Mode())
	case !p.Offers(policy.ModePlan):
		return fmt.Errorf("%w: it is switched off here. Write the plan into your answer, and wait for the user", ErrNoPlanMode)
	}
	return nil
}

// enterPlanMode changes the mode, unless it has become a stricter one meanwhile.
func enterPlanMode(s *pegboard.Session) {
	err := s.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
		if policy.ModePlan.Laxer(p.Mode()) {
			return p, fmt.Errorf("the mode is %s now, which is stricter", p.Mode())
		}
		return p.WithMode(policy.ModePlan)
	})
	if err != nil {
		s.Notify(pegboard.Part{Text: "(" + ErrNoPlanMode.Error() + ": " + err.Error() + ".)"})
	}
}
