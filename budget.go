package pegboard

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/breaker"
	"github.com/seed49eaa51d/pegboard/internal/enum"
	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/internal/throttle"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Budget counts the cost of a conversation, in US dollars, see [KeyBudget]. It refuses
// nothing: code that wants to spend looks at Left before. A nil Budget has no limit and counts
// nothing. Its methods may be called concurrently.
type Budget struct {
	limit float64

	mu    lock.Mutex // guards spent
	spent float64
}

// NewBudget returns a budget of which nothing is spent. Of a limit that is negative or no
// number nothing is left.
func NewBudget(limit float64) *Budget { return &Budget{limit: limit} }

// Spend records that dollars were spent, also if they are more than is left. It ignores what
// is negative or no number.
func (b *Budget) Spend(dollars float64) {
	if b == nil || !(dollars > 0) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent += dollars
}

// Spent returns how many dollars were spent.
func (b *Budget) Spent() float64 {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent
}

// Left returns how many dollars may still be spent, never less than 0, and positive infinity
// if there is no limit.
func (b *Budget) Left() float64 {
	if b == nil {
		return math.Inf(1)
	}
	if left := b.limit - b.Spent(); left > 0 {
		return left
	}
	return 0
}

// A CallBudget limits the spending of some tools' calls in a turn or in a session. At
// least one of Calls, Time and Tokens is set; 0 means no limit. Calls that a tool makes
// with [Call.Run] count as those of the model do. See [SessionConfig].Budgets.
//
// A call that begins when the budget is used up does not run. Its error wraps [ErrBudget]
// and is a *[BudgetError] for errors.As; the text for the model names the used-up limit. If
// the budget is of every tool, the outcome has StopTurn. The model is warned before: when a
// fifth or less is left, when one call is left, and when nothing is, a line in the Messages of
// the next result says so, to each agent once. A name that no tool has limits nothing.
type CallBudget struct {
	// Tools are names of tools, aliases or sources, as a deny rule spells them, such as
	// mcp__github; empty means every tool.
	Tools []string
	// Per says when the count begins anew; zero means never.
	Per Period
	// Calls is how many calls may run. A call counts when its tool is called, and once,
	// however often it is attempted. Calls that were denied, invalid, duplicate or
	// cancelled before do not count.
	Calls int
	// Time is how long the tools may run, those that run at the same time added up, from
	// the start of a tool until its call is answered. What a call waits for before and
	// between its attempts does not count, nor does a call that the host executes, nor one
	// made from inside a call whose time counts. Calls that run when the time is over go on,
	// so that the limit may be exceeded; see [Info].Timeout.
	Time time.Duration
	// Tokens is how many tokens the results may have by an estimate: one for each four bytes
	// of text, of each part and message rounded up, and 1,600 for each image or other data. A
	// result counts after it was shortened, see [ResultLimits]; results that only a script
	// reads do not.
	// What the host passes to [Session.SpendTokens] counts in budgets of every tool. The
	// number of tokens is known only when they are spent: calls that run already may exceed
	// the limit.
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
func (p Period) String() string { return enum.Name(p, "session", "turn") }

// budgetWarning is the part of a budget that is left when the model is first warned: one
// in so many.
const budgetWarning = 5

// tokensPerMedia is the estimate for an image, from the largest that Anthropic documents,
// about 1,600 tokens, and for any other bytes.
const tokensPerMedia = 1600

// estimateTokens estimates how many tokens a result has for the model.
func estimateTokens(r *Result) int {
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
func (b *CallBudget) check() (rules []policy.Rule, err error) {
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
		r, err := policy.ParseToolRule(name)
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

// A BudgetUse is a budget with the amounts that were spent of it.
type BudgetUse struct {
	Budget  CallBudget
	AgentID string // of the session that has the budget; empty for the main session's
	// Calls, Time and Tokens are the amounts spent since the session or the turn began.
	Calls  int
	Time   time.Duration
	Tokens int
}

// A budgetLimit is one limit of a [CallBudget].
type budgetLimit int

const (
	budgetCalls budgetLimit = iota
	budgetTime
	budgetTokens
)

// left returns the remainder of a limit and the limit itself, in calls, nanoseconds or
// tokens. The limit is 0 if it is not set.
func (u *BudgetUse) left(l budgetLimit) (left, limit int64) {
	switch b := &u.Budget; l {
	case budgetCalls:
		left, limit = int64(b.Calls-u.Calls), int64(b.Calls)
	case budgetTime:
		left, limit = int64(b.Time-u.Time), int64(b.Time)
	default:
		left, limit = int64(b.Tokens-u.Tokens), int64(b.Tokens)
	}
	return max(0, left), limit
}

// usedUp returns the first limit of which nothing is left.
func (u *BudgetUse) usedUp() (budgetLimit, bool) {
	for _, l := range []budgetLimit{budgetCalls, budgetTime, budgetTokens} {
		if left, limit := u.left(l); limit > 0 && left == 0 {
			return l, true
		}
	}
	return 0, false
}

// amount returns n of a limit in words, for example "20 calls of WebSearch".
func (u *BudgetUse) amount(l budgetLimit, n int64) string {
	switch of := u.Budget.of(); l {
	case budgetCalls:
		if of == "" {
			return plural(n, "tool call")
		}
		return plural(n, "call") + of
	case budgetTime:
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

// roundTime drops the digits that no reader needs.
func roundTime(d time.Duration) time.Duration {
	if d >= time.Minute {
		return d.Truncate(time.Second)
	}
	return d.Truncate(10 * time.Millisecond)
}

// warning tells the model how much is left.
func (u *BudgetUse) warning(l budgetLimit) string {
	left, limit := u.left(l)
	some := fmt.Sprint(left)
	if l == budgetTime {
		some = roundTime(time.Duration(left)).String()
	}
	return fmt.Sprintf("Budget: %s of %s left in this %v.", some, u.amount(l, limit), u.Budget.Per)
}

// A BudgetError says which budget keeps a call from running. It wraps [ErrBudget].
type BudgetError struct {
	Use   BudgetUse // the budget and its use at that moment
	limit budgetLimit
}

// Error returns the limit that is used up.
func (e *BudgetError) Error() string {
	return ErrBudget.Error() + ": " + e.what()
}

// what returns the limit in words.
func (e *BudgetError) what() string {
	_, limit := e.Use.left(e.limit)
	return fmt.Sprintf("the limit of %s in this %v", e.Use.amount(e.limit, limit), e.Use.Budget.Per)
}

// Unwrap returns ErrBudget.
func (e *BudgetError) Unwrap() error { return ErrBudget }

// everyTool reports whether no tool runs any more.
func (e *BudgetError) everyTool() bool { return len(e.Use.Budget.Tools) == 0 }

// text tells the model which limit is used up, and how to go on.
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

// A ledger keeps the accounts of a session: those of its own budgets, and those of its
// parents', which it shares with them.
type ledger struct {
	root     *ledger    // of the outermost session with budgets; its mu guards the ledgers of all its forks
	mu       lock.Mutex // of the root; guards the accounts, told and every spending
	accounts []*account // the parents' first
	own      []*account
	told     []toldLimits // the warnings of each account that this agent got
}

// An account counts the spending of one budget.
type account struct {
	rules   []policy.Rule // that name its tools; empty means every tool
	use     BudgetUse
	running int       // calls whose time counts
	since   time.Time // up to which the time of running was added
	turn    int       // how often the count began anew
}

// toldLimits are the limits of an account of whose end an agent was told in a turn.
type toldLimits struct {
	turn   int
	levels [budgetTokens + 1]int // 0: not told; 1: that little is left; 2: that one call is left; 3: that nothing is left
}

// A spending is what one call spends. Root.mu guards its fields.
type spending struct {
	outer    *spending  // of the nearest call around this one that has one, or nil
	accounts []*account // of the budgets that the call counts in
	counted  bool       // as a call
	timed    []*account // in which its time counts at present
}

// newLedger returns the ledger of a session, or nil if neither it nor a parent has
// budgets.
func newLedger(budgets []CallBudget, agentID string, parent *ledger) (*ledger, error) {
	if len(budgets) == 0 && parent == nil {
		return nil, nil
	}
	l := new(ledger)
	if l.root = l; parent != nil {
		l.root, l.accounts = parent.root, slices.Clone(parent.accounts)
	}
	for i, b := range budgets {
		rules, err := b.check()
		if err != nil {
			return nil, fmt.Errorf("budget %d: %w", i+1, err)
		}
		l.own = append(l.own, &account{rules: rules, use: BudgetUse{Budget: b.clone(), AgentID: agentID}})
	}
	l.accounts = append(l.accounts, l.own...)
	l.told = make([]toldLimits, len(l.accounts))
	return l, nil
}

// namesTool reports whether calls of a tool count in a.
func (a *account) namesTool(e *entry) bool {
	return len(a.rules) == 0 || slices.ContainsFunc(a.rules, func(r policy.Rule) bool { return r.Names(&e.facts) })
}

// open fills s, which must be new, for a call of a tool. Of a call that was executed before
// only the result counts.
func (l *ledger) open(s *spending, e *entry, executed bool) {
	for _, a := range l.accounts {
		if a.namesTool(e) {
			s.accounts = append(s.accounts, a)
		}
	}
	s.counted = executed
}

// usedUp returns an error if a budget is used up.
func (l *ledger) usedUp(s *spending) *BudgetError {
	l.root.mu.Lock()
	defer l.root.mu.Unlock()
	return s.usedUp()
}

// usedUp returns an error if a budget is used up. Of several it names one of every tool, if
// there is one.
func (s *spending) usedUp() (worst *BudgetError) {
	for _, a := range s.accounts {
		a.addTime()
		use := a.use
		if s.counted { // for another attempt only time and tokens count
			use.Calls = 0
		}
		if l, over := use.usedUp(); over && (worst == nil || !worst.everyTool()) {
			worst = &BudgetError{Use: a.copied(), limit: l}
		}
	}
	return worst
}

// begin counts the call, if it was not counted, and from now on its time, if timed is set.
func (l *ledger) begin(s *spending, timed bool) *BudgetError {
	l.root.mu.Lock()
	defer l.root.mu.Unlock()
	if err := s.usedUp(); err != nil {
		return err
	}
	for _, a := range s.accounts {
		if !s.counted {
			a.use.Calls++
		}
		if timed && !s.outer.counts(a) {
			a.running++
			s.timed = append(s.timed, a)
		}
	}
	s.counted = true
	return nil
}

// counts reports whether the time of the call or of one around it counts in a.
func (s *spending) counts(a *account) bool {
	return s != nil && (slices.Contains(s.timed, a) || s.outer.counts(a))
}

// pause ends the count of the call's time, if it counts.
func (l *ledger) pause(s *spending) {
	l.root.mu.Lock()
	defer l.root.mu.Unlock()
	for _, a := range s.timed {
		a.addTime()
		a.running--
	}
	s.timed = nil
}

// addTime adds the time of the running calls since it was added last.
func (a *account) addTime() {
	now := time.Now()
	a.use.Time += now.Sub(a.since) * time.Duration(a.running)
	a.since = now
}

// end adds the tokens of the call's result, if it ran.
func (l *ledger) end(s *spending, tokens int) {
	l.root.mu.Lock()
	defer l.root.mu.Unlock()
	if s.counted {
		for _, a := range s.accounts {
			a.use.Tokens += tokens
		}
	}
}

// spend adds tokens to the budgets of every tool.
func (l *ledger) spend(tokens int) {
	l.root.mu.Lock()
	defer l.root.mu.Unlock()
	for _, a := range l.accounts {
		if len(a.rules) == 0 {
			a.use.Tokens += tokens
		}
	}
}

// newTurn begins the count of the session's own budgets anew that last a turn. Calls that
// run go on, and their time counts from now.
func (l *ledger) newTurn() {
	l.root.mu.Lock()
	defer l.root.mu.Unlock()
	for _, a := range l.own {
		if a.use.Budget.Per == PerTurn {
			a.addTime()
			a.use.Calls, a.use.Time, a.use.Tokens = 0, 0, 0
			a.turn++
		}
	}
}

// uses returns the use of each account's budget.
func (l *ledger) uses() (all []BudgetUse) {
	l.root.mu.Lock()
	defer l.root.mu.Unlock()
	for _, a := range l.accounts {
		a.addTime()
		all = append(all, a.copied())
	}
	return all
}

func (a *account) copied() BudgetUse {
	use := a.use
	use.Budget = use.Budget.clone()
	return use
}

// warnings returns the warnings that are due to the agent, and notes that it got them.
func (l *ledger) warnings() (lines []string) {
	l.root.mu.Lock()
	defer l.root.mu.Unlock()
	for i, a := range l.accounts {
		told := &l.told[i]
		if told.turn != a.turn {
			*told = toldLimits{turn: a.turn}
		}
		a.addTime()
		for limit := range told.levels {
			left, all := a.use.left(budgetLimit(limit))
			level := 0
			if all > 0 && left <= all/budgetWarning {
				level = 1
			}
			if all > 0 && left == 1 && budgetLimit(limit) == budgetCalls {
				level = 2
			}
			if all > 0 && left == 0 {
				level = 3
			}
			if level > told.levels[limit] {
				told.levels[limit] = level
				lines = append(lines, a.use.warning(budgetLimit(limit)))
			}
		}
	}
	return lines
}

// A GroupLimit says how many calls of a group run at once, and how many start in a
// second, in all batches and agents of a conversation together. See
// [SessionConfig].Groups. The zero value is no limit.
//
// A call waits for its groups after it was decided. It holds its targets back from the other
// calls of its message meanwhile, but takes no part of the executor's MaxParallel. It starts when each of
// its groups has a place for it, the rate of each permits, and a worker is free. Of those
// that can start, the one that came first does; so a call in several groups may be
// overtaken by calls in one of them. [EventWaiting] says that a call waits, and for what.
//
// A call that was made from inside a call of its group uses the place of that call: by
// [Call.Run], or by an agent that runs in the context of the call. So a call never waits
// for itself. If two calls would each wait for a place of the other, the later one fails
// with [ErrDeadlock]. An abandoned call keeps its place until it returns; while such calls
// hold all places, others of the group fail with [ErrDetached].
type GroupLimit struct {
	// Parallel is how many calls run at once; 0 or less means any number.
	Parallel int
	// PerSecond is how many calls start in a second on average, such as 0.1 for one in ten
	// seconds; 0 or less means any number. Each attempt of a call counts, see [RetryPolicy].
	PerSecond float64
	// Burst is how many calls may start at once after a pause; less than 1 means 1. In any
	// period no more calls start than Burst and PerSecond times the period.
	Burst int
}

// interval returns the average time between two starts, or 0 if there is no rate.
func (l GroupLimit) interval() time.Duration {
	if l.PerSecond <= 0 || math.IsInf(l.PerSecond, 1) {
		return 0
	}
	const longest = math.MaxInt64 / 2
	if ns := math.Ceil(float64(time.Second) / l.PerSecond); ns < longest {
		return time.Duration(ns)
	}
	return longest
}

// A group is the calls that a key of SessionConfig.Groups names.
type group struct {
	rule     policy.Rule
	limit    GroupLimit
	throttle *throttle.Group
}

// groups are those of a conversation, and the set of its calls that run or are about to.
type groups struct {
	set  throttle.Set
	list []group // by name
}

// newGroups returns the groups of a main session.
func newGroups(limits map[string]GroupLimit) (*groups, error) {
	g := new(groups)
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		l := limits[name]
		r, err := policy.ParseToolRule(name)
		if err == nil && math.IsNaN(l.PerSecond) {
			err = errors.New("PerSecond is not a number")
		}
		if err != nil {
			return nil, fmt.Errorf("group %q: %w", name, err)
		}
		limit := throttle.Limit{Parallel: max(0, l.Parallel), Interval: l.interval(), Burst: l.Burst}
		g.list = append(g.list, group{r, l, g.set.Group(name, limit)})
	}
	return g, nil
}

// of returns the groups of the calls of a tool.
func (g *groups) of(e *entry) (all []*throttle.Group) {
	for k := range g.list {
		if r := &g.list[k].rule; e.info.Group == r.Tool || r.Names(&e.facts) {
			all = append(all, g.list[k].throttle)
		}
	}
	return all
}

// describe tells the user why a call waits.
func (g *groups) describe(o *throttle.Obstacle) string {
	name := o.Group.Name()
	i := slices.IndexFunc(g.list, func(g group) bool { return g.throttle == o.Group })
	limit := &g.list[i].limit
	if o.Rate {
		return fmt.Sprintf("waits for the rate of %s: %g in a second", name, limit.PerSecond)
	}
	return fmt.Sprintf("waits for a place in %s: %d at once", name, limit.Parallel)
}

// BreakerLimits say when the loop breaker steps in: it stops a model that makes no
// progress. Every agent counts for itself, from [Session.NewTurn] on, which a loop calls
// for every message of the user. A negative number turns a count off.
//
// The breaker counts messages of the model: a model cannot react to a result that it has
// not read, so equal calls in one message are no repetition, and any number of denials in
// it counts as one. Within a message it goes by request order, whatever ended first. It
// does not count calls that a tool makes with [Call.Run], nor those without a result for the
// model to learn from: they were cancelled, did not run since their message was cut off, or
// their reply was abandoned. A denial is such a result, and so is an error.
//
// The defaults are for calls that are never useful. The same calls with the same results,
// and nothing else in between, tell the model nothing new; a tool that polls says so in
// its [Info]. A model that is denied in message after message, and in between does nothing
// that is allowed, does not take no for an answer. Errors are different: tests that fail
// while the model repairs the code are how the work is done.
type BreakerLimits struct {
	// Repeats is how often in a row the same calls are made with the same results: the
	// last time, the user is asked about them, and after twice as often the turn should
	// end. Two messages that alternate count as one. 0 means 3.
	Repeats int
	// Denials is how many messages in a row have denied calls, with none that ran in
	// between, before the turn should end, see Outcome.StopTurn; 0 means 3.
	Denials int
}

// breakerOutcome classifies an outcome for the loop breaker.
func breakerOutcome(o *Outcome) breaker.Outcome {
	is := func(err error) bool { return errors.Is(o.Err, err) }
	switch {
	case o.SameAs != nil: // the breaker has counted that call
		return breaker.NotRun
	case is(ErrDenied), is(ErrBudget): // the model was told that it has none left
		return breaker.Denied
	case is(ErrInvalidInput), is(ErrUnknownTool):
		return breaker.Invalid
	case is(ErrDeferred):
		return breaker.Pending
	case is(ErrCancelled), is(ErrDuplicate), is(ErrDeadlock):
		return breaker.NotRun
	case is(ErrDetached) && !is(ErrTimeout) && o.Attempts > 0: // it goes on, and nobody is shown its result
		return breaker.NotRun
	case o.Result.IsError:
		return breaker.Failed
	}
	return breaker.Succeeded
}
