package pegboard

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A CallBudget limits what the calls of some tools may spend in a turn or in a session. At
// least one of Calls, Time and Tokens is set; 0 means no limit. Calls that a tool makes
// with [Call.Run] count as those of the model do. See [SessionConfig].Budgets.
//
// A call that begins when the budget is used up does not run. Its error wraps [ErrBudget]
// and is a *[BudgetError] for errors.As; the text for the model says what is used up. If
// the budget is of every tool, the outcome has StopTurn. The model is warned before: when a
// fifth or less is left, and when one call or nothing is left, a line in the Messages of the
// next result says so, to each agent once. A name that no tool has limits nothing.
type CallBudget struct {
	// Tools are names of tools, aliases or sources, as a deny rule spells them, such as
	// mcp__github; empty means every tool.
	Tools []string
	// Per says when the count begins anew; zero means never.
	Per Period
	// Calls is how many calls may run. A call counts when its tool is called, and once,
	// however often it is attempted. Calls that were denied, invalid, duplicate or
	// cancelled before do not count. The calls of a message are admitted in its order, and
	// before those that its calls make.
	Calls int
	// Time is how long the tools may run, those that run at the same time added up, from
	// the start of a tool until its call is answered. What a call waits for before and
	// between its attempts does not count, nor does a call that the host executes. The time
	// of a call made from inside a call that counts is not counted again. Calls that run
	// when the time is over are stopped, and have the same error as those that do not run.
	Time time.Duration
	// Tokens is how many tokens the results may have, as SessionConfig.CountTokens counts
	// them. A result counts after it was shortened, see [ResultLimits]; results that only
	// a script reads do not. What the host passes to [Session.SpendTokens] counts in budgets
	// of every tool. The number of tokens is known only when they are spent: calls that run
	// already may exceed the limit.
	Tokens int
}

// Period says for how long a [CallBudget] lasts.
type Period int

// The periods.
const (
	PerSession Period = iota // as long as the session that has the budget
	PerTurn                  // until the next NewTurn of the session that has the budget
)

// String returns the period in lower case.
func (p Period) String() string { return nameOf(int(p), "session", "turn") }

// budgetWarning is the part of a budget that is left when the model is first warned: one
// in so many.
const budgetWarning = 5

// tokensPerMedia is the estimate for an image, from the largest that Anthropic documents,
// about 1,600 tokens, and for any other bytes.
const tokensPerMedia = 1600

// EstimateTokens estimates how many tokens a result has for the model: one for each four
// bytes of text, of each part rounded up, and 1,600 for each image or other data.
// Messages count as the parts do.
func EstimateTokens(r *Result) int {
	n := 0
	for _, parts := range [][]Part{r.Parts, r.Messages} {
		for i := range parts {
			p := &parts[i]
			n += (len(p.Title) + len(p.Source) + len(p.Text) + len(p.Tool) + 3) / 4
			if len(p.Data) > 0 {
				n += tokensPerMedia
			}
		}
	}
	return n
}

// check returns an error if b makes no sense, and the rules that name its tools.
func (b *CallBudget) check() (rules []Rule, err error) {
	if b.Calls < 0 || b.Time < 0 || b.Tokens < 0 {
		return nil, errors.New("a limit is negative; 0 means no limit")
	}
	if b.Calls == 0 && b.Time == 0 && b.Tokens == 0 {
		return nil, errors.New("it limits nothing: set Calls, Time or Tokens")
	}
	if b.Per != PerSession && b.Per != PerTurn {
		return nil, fmt.Errorf("its period is %d; use PerSession or PerTurn", b.Per)
	}
	for _, name := range b.Tools {
		r, err := toolRule(name)
		if err != nil {
			return nil, err
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// of returns the tools as part of a phrase, for example " of Read and Grep", or "".
func (b *CallBudget) of() string {
	if len(b.Tools) == 0 {
		return ""
	}
	last := len(b.Tools) - 1
	if last == 0 {
		return " of " + b.Tools[0]
	}
	return " of " + strings.Join(b.Tools[:last], ", ") + " and " + b.Tools[last]
}

// A BudgetUse is a budget and what was spent of it.
type BudgetUse struct {
	Budget  CallBudget
	AgentID string // of the session that has the budget; empty for the main session's
	// Calls, Time and Tokens are what was spent since the session or the turn began.
	Calls  int
	Time   time.Duration
	Tokens int
}

// A BudgetLimit names one limit of a [CallBudget].
type BudgetLimit int

// The limits.
const (
	BudgetCalls BudgetLimit = iota
	BudgetTime
	BudgetTokens
)

// String returns the limit in lower case.
func (l BudgetLimit) String() string { return nameOf(int(l), "calls", "time", "tokens") }

// left returns what is left of a limit and the limit itself, in calls, nanoseconds or
// tokens. The limit is 0 if there is none.
func (u *BudgetUse) left(l BudgetLimit) (left, limit int64) {
	switch b := &u.Budget; l {
	case BudgetCalls:
		left, limit = int64(b.Calls-u.Calls), int64(b.Calls)
	case BudgetTime:
		left, limit = int64(b.Time-u.Time), int64(b.Time)
	default:
		left, limit = int64(b.Tokens-u.Tokens), int64(b.Tokens)
	}
	return max(0, left), limit
}

// usedUp returns the first limit of which nothing is left.
func (u *BudgetUse) usedUp() (BudgetLimit, bool) {
	for _, l := range []BudgetLimit{BudgetCalls, BudgetTime, BudgetTokens} {
		if left, limit := u.left(l); limit > 0 && left == 0 {
			return l, true
		}
	}
	return 0, false
}

// amount returns n of a limit in words, for example "20 calls of WebSearch".
func (u *BudgetUse) amount(l BudgetLimit, n int64) string {
	switch of := u.Budget.of(); l {
	case BudgetCalls:
		if of == "" {
			return plural(n, "tool call")
		}
		return plural(n, "call") + of
	case BudgetTime:
		if of == "" {
			of = " of tools"
		}
		return fmt.Sprintf("%v running time%s", roundTime(time.Duration(n)), of)
	default:
		if of == "" {
			return plural(n, "token")
		}
		return plural(n, "token") + " of results" + of
	}
}

func plural(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// roundTime leaves out what nobody wants to read.
func roundTime(d time.Duration) time.Duration {
	if d >= time.Minute {
		return d.Truncate(time.Second)
	}
	return d.Truncate(10 * time.Millisecond)
}

// warning tells the model what is left.
func (u *BudgetUse) warning(l BudgetLimit) string {
	left, limit := u.left(l)
	some := fmt.Sprint(left)
	if l == BudgetTime {
		some = roundTime(time.Duration(left)).String()
	}
	return fmt.Sprintf("Budget: %s of %s left in this %v.", some, u.amount(l, limit), u.Budget.Per)
}

// A BudgetError says which budget keeps a call from running. It wraps [ErrBudget].
type BudgetError struct {
	Use   BudgetUse   // the budget and what was spent, at that moment
	Limit BudgetLimit // the limit that is used up
}

// Error returns the limit that is used up.
func (e *BudgetError) Error() string {
	return ErrBudget.Error() + ": " + e.what()
}

// what returns the limit in words.
func (e *BudgetError) what() string {
	_, limit := e.Use.left(e.Limit)
	return fmt.Sprintf("the limit of %s in this %v", e.Use.amount(e.Limit, limit), e.Use.Budget.Per)
}

// Unwrap returns ErrBudget.
func (e *BudgetError) Unwrap() error { return ErrBudget }

// everyTool reports whether no tool runs any more.
func (e *BudgetError) everyTool() bool { return len(e.Use.Budget.Tools) == 0 }

// text tells the model what is used up, and what to do next.
func (e *BudgetError) text() string {
	next := "Use other tools, or answer with what you have and say what is missing"
	if e.everyTool() {
		next = fmt.Sprintf("No tool runs any more in this %v: answer with what you have and say what is missing", e.Use.Budget.Per)
	}
	return fmt.Sprintf("%s is used up. %s", e.what(), next)
}

// clone returns a copy that shares no memory with b.
func (b CallBudget) clone() CallBudget {
	b.Tools = slices.Clone(b.Tools)
	return b
}
