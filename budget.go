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
func (p Period) String() string { return enum.Name(p, "session", "turn") }

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

// A BudgetLimit names one limit of a [CallBudget].
type BudgetLimit int

// The limits.
const (
	BudgetCalls BudgetLimit = iota
	BudgetTime
	BudgetTokens
)

// String returns the limit in lower case.
func (l BudgetLimit) String() string { return enum.Name(l, "calls", "time", "tokens") }

// left returns the remainder of a limit and the limit itself, in calls, nanoseconds or
// tokens. The limit is 0 if it is not set.
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

// roundTime drops the digits that no reader needs.
func roundTime(d time.Duration) time.Duration {
	if d >= time.Minute {
		return d.Truncate(time.Second)
	}
	return d.Truncate(10 * time.Millisecond)
}

// warning tells the model how much is left.
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
	Use   BudgetUse   // the budget and its use at that moment
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
	ledger *ledger       // of the session that has the budget
	rules  []policy.Rule // that name its tools; empty means every tool
	use    BudgetUse

	reserved int         // calls that were admitted and have not begun
	running  []*spending // calls whose time counts
	inside   []*spending // calls that run in one of those, in the order in which they began
	since    time.Time   // up to which the time of running was added
	timer    *time.Timer // stops them when the time is over
	turn     int         // how often the count began anew
}

// toldLimits are the limits of an account of whose end an agent was told in a turn.
type toldLimits struct {
	turn   int
	levels [BudgetTokens + 1]int // 0: not told; 1: that little is left; 2: that one call or nothing is left
}

// A spending is what one call spends. Root.mu guards its fields.
type spending struct {
	call     interface{ overspent(err *BudgetError) }
	outer    *spending  // of the nearest call around this one that has one, or nil
	accounts []*account // of the budgets that the call counts in
	reserved bool
	decided  bool // it will run, or has ended; until then it may leave its reservation, or take one
	counted  bool // as a call
	timed    bool
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
		l.own = append(l.own, &account{ledger: l, rules: rules, use: BudgetUse{Budget: b.clone(), AgentID: agentID}})
	}
	l.accounts = append(l.accounts, l.own...)
	l.told = make([]toldLimits, len(l.accounts))
	return l, nil
}

// namesTool reports whether calls of a tool count in a.
func (a *account) namesTool(e *entry) bool {
	return len(a.rules) == 0 || slices.ContainsFunc(a.rules, func(r policy.Rule) bool { return r.Names(&e.facts) })
}

// open fills s, which must be new, for a call of a tool. It reserves a call in each
// account if all have one left, so that the calls of a message are admitted in its order.
// Of a call that was executed before only the result counts.
func (l *ledger) open(s *spending, e *entry, executed bool) {
	for _, a := range l.accounts {
		if a.namesTool(e) {
			s.accounts = append(s.accounts, a)
		}
	}
	l.root.mu.Lock()
	defer l.root.mu.Unlock()
	if s.decided, s.counted = executed, executed; !executed {
		s.reserve()
	}
}

// reserve reserves a call, if that was not done and one is left everywhere.
func (s *spending) reserve() {
	if s.reserved || slices.ContainsFunc(s.accounts, func(a *account) bool {
		limit := a.use.Budget.Calls
		return limit > 0 && a.use.Calls+a.reserved >= limit
	}) {
		return
	}
	s.reserved = true
	for _, a := range s.accounts {
		a.reserved++
	}
}

// unreserve takes a reservation back.
func (s *spending) unreserve() {
	if s.reserved {
		s.reserved = false
		for _, a := range s.accounts {
			a.reserved--
		}
	}
}

// check returns an error if a call that was allowed must not run now. It takes a
// reservation if the call has none.
func (l *ledger) check(s *spending) *BudgetError {
	l.root.mu.Lock()
	defer l.root.mu.Unlock()
	s.reserve()
	err := s.usedUp(true)
	s.decided = err == nil
	return err
}

// dependsOnOthers reports whether it may become clear only later whether a call is left
// for this one: others have reservations that they may not need.
func (l *ledger) dependsOnOthers(s *spending) bool {
	l.root.mu.Lock()
	defer l.root.mu.Unlock()
	return !s.reserved && s.usedUp(false) == nil
}

// usedUp returns an error if a budget is used up, whatever others do with their
// reservations.
func (l *ledger) usedUp(s *spending) *BudgetError {
	l.root.mu.Lock()
	defer l.root.mu.Unlock()
	return s.usedUp(false)
}

// usedUp returns an error if a budget is used up, or reserved for other calls if reserved
// is set. Of several budgets it names one of every tool, if there is one.
func (s *spending) usedUp(reserved bool) (worst *BudgetError) {
	for _, a := range s.accounts {
		a.addTime()
		use := a.use
		switch {
		case s.counted: // for another attempt only time and tokens count
			use.Calls = 0
		case reserved && s.reserved:
			use.Calls += a.reserved - 1
		case reserved:
			use.Calls += a.reserved
		}
		if l, over := use.usedUp(); over && (worst == nil || !worst.everyTool()) {
			worst = &BudgetError{Use: a.copied(), Limit: l}
		}
	}
	return worst
}

// isOpen reports whether it is not decided whether the call will count.
func (l *ledger) isOpen(s *spending) bool {
	l.root.mu.Lock()
	defer l.root.mu.Unlock()
	return len(s.accounts) > 0 && !s.decided
}

// begin counts the call, if it was not counted, and from now on its time, if timed is set.
func (l *ledger) begin(s *spending, timed bool) *BudgetError {
	l.root.mu.Lock()
	defer l.root.mu.Unlock()
	if err := s.usedUp(true); err != nil {
		return err
	}
	s.unreserve()
	for _, a := range s.accounts {
		if !s.counted {
			a.use.Calls++
		}
		switch {
		case !timed:
		case a.counts(s.outer):
			a.inside = append(a.inside, s)
		default:
			a.addTime()
			a.running = append(a.running, s)
			a.setTimer()
		}
	}
	s.counted, s.timed = true, timed
	return nil
}

// counts reports whether the time of s or of a call around it counts at present.
func (a *account) counts(s *spending) bool {
	for ; s != nil; s = s.outer {
		if slices.Contains(a.running, s) {
			return true
		}
	}
	return false
}

// pause ends the count of the call's time, if it counts. That of calls inside that go on, such as
// those of an agent that the call has started, counts from now on.
func (l *ledger) pause(s *spending) {
	l.root.mu.Lock()
	defer l.root.mu.Unlock()
	if !s.timed {
		return
	}
	s.timed = false
	for _, a := range s.accounts {
		a.addTime()
		is := func(other *spending) bool { return other == s }
		a.running, a.inside = slices.DeleteFunc(a.running, is), slices.DeleteFunc(a.inside, is)
		a.inside = slices.DeleteFunc(a.inside, func(other *spending) bool {
			if a.counts(other.outer) {
				return false
			}
			a.running = append(a.running, other)
			return true
		})
		a.setTimer()
	}
}

// addTime adds the time of the running calls since it was added last.
func (a *account) addTime() {
	now := time.Now()
	a.use.Time += now.Sub(a.since) * time.Duration(len(a.running))
	a.since = now
}

// setTimer sets the timer that stops the running calls. The time was added just before.
func (a *account) setTimer() {
	if a.timer != nil {
		a.timer.Stop()
		a.timer = nil
	}
	left, n := a.use.Budget.Time-a.use.Time, time.Duration(len(a.running))
	if left > 0 && n > 0 {
		a.timer = time.AfterFunc((left+n-1)/n, a.stopRunning)
	}
}

// stopRunning stops the running calls if the time is over.
func (a *account) stopRunning() {
	running, err := a.overspending()
	for _, s := range running {
		s.call.overspent(err)
	}
}

func (a *account) overspending() ([]*spending, *BudgetError) {
	mu := &a.ledger.root.mu
	mu.Lock()
	defer mu.Unlock()
	if a.addTime(); a.use.Time < a.use.Budget.Time { // the turn has ended meanwhile
		a.setTimer()
		return nil, nil
	}
	return slices.Clone(a.running), &BudgetError{Use: a.copied(), Limit: BudgetTime}
}

// end ends the call, and adds the tokens of its result if it ran.
func (l *ledger) end(s *spending, tokens int) {
	l.root.mu.Lock()
	defer l.root.mu.Unlock()
	s.unreserve()
	s.decided = true
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
			a.setTimer()
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
		use := a.use
		use.Calls += a.reserved
		for limit := range told.levels {
			left, all := use.left(BudgetLimit(limit))
			level := 0
			if all > 0 && left <= all/budgetWarning {
				level = 1
			}
			if all > 0 && (left == 0 || left == 1 && BudgetLimit(limit) == BudgetCalls) {
				level = 2
			}
			if level > told.levels[limit] {
				told.levels[limit] = level
				lines = append(lines, use.warning(BudgetLimit(limit)))
			}
		}
	}
	return lines
}

// A GroupLimit says how many calls of a group run at once, and how many start in a
// second, in all batches and agents of a conversation together. See
// [SessionConfig].Groups. The zero value is no limit.
//
// A call waits for its groups after it was decided. It holds its targets back from other
// calls meanwhile, but takes no part of the executor's MaxParallel. It starts when each of
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

// groups are those of a conversation. A nil groups has none.
type groups struct {
	set  throttle.Set
	list []group // by name
}

// newGroups returns the groups of a main session, or nil without limits.
func newGroups(limits map[string]GroupLimit) (*groups, error) {
	if len(limits) == 0 {
		return nil, nil
	}
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
	if g == nil {
		return nil
	}
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
// while the model repairs the code are how the work is done. So errors count only on
// request.
type BreakerLimits struct {
	// Errors is how many messages in a row have an error of one tool, without a success
	// of that tool, before its next call is asked about; 0 means off.
	Errors int
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
	case is(ErrDenied), is(ErrBudget) && !is(ErrCancelled): // the model was told that it has none left
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
