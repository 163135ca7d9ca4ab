package pegboard

import (
	"fmt"
	"slices"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// A ledger keeps the accounts of a session: those of its own budgets, and those of its
// parents', which it shares with them.
type ledger struct {
	root     *ledger    // of the outermost session with budgets; its mu guards the ledgers of all its forks
	mu       lock.Mutex // of the root; guards the accounts, told and every spending
	accounts []*account // the parents' first
	own      []*account
	told     []toldLimits // what this agent was told of each account
}

// An account counts what was spent of one budget.
type account struct {
	ledger *ledger // of the session that has the budget
	rules  []Rule  // that name its tools; empty means every tool
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
func (a *account) namesTool(i *Info) bool {
	return len(a.rules) == 0 || slices.ContainsFunc(a.rules, func(r Rule) bool { return r.namesTool(i) })
}

// open fills s, which must be new, for a call of a tool. It reserves a call in each
// account if all have one left, so that the calls of a message are admitted in its order.
// Of a call that was executed before only the result counts.
func (l *ledger) open(s *spending, i *Info, executed bool) {
	for _, a := range l.accounts {
		if a.namesTool(i) {
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

// uses returns what was spent.
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

// warnings returns what the agent should be told now.
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
