package inspect

import (
	"slices"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/policy"
)

// maxInputs is how many bytes of inputs the ring keeps. The newest calls have theirs.
const maxInputs = 8 << 20

// maxInput is the length of the longest input that is kept.
const maxInput = 1 << 20

// A ring remembers the last calls. All its methods may be called concurrently; none of them
// waits for more than a copy of what another is asked for.
type ring struct {
	describer
	hash ruleHash

	mu       lock.Mutex
	calls    []*callRecord // by number, modulo their count
	last     int64         // the number of the newest call
	open     map[any]*callRecord
	batches  map[batchKey]*batchRecord
	newest   int64 // the number of the newest batch
	agents   *agentRecords
	revision uint64 // of the newest change
	asked    uint64 // revision of the newest change of the questions
	inputs   int    // bytes of inputs that are kept
	oldest   int64  // no call before this one has an input
	wake     chan struct{}
}

// A batchRecord is the calls of one message.
type batchRecord struct {
	number int64
	key    batchKey
	trace  string
	agent  *agentRecord
	begin  time.Time
	span   time.Duration // of all bars, a round number
	calls  int           // that are remembered
	roots  []*callRecord // calls that the model made, in order
}

// batchKey tells batches apart: a host may give those of several agents one trace.
type batchKey struct {
	trace   string
	session *pegboard.Session
}

func newRing(keep int, contents bool, main *pegboard.Session) *ring {
	return &ring{
		describer: describer{contents}, hash: newRuleHash(), calls: make([]*callRecord, keep), open: map[any]*callRecord{},
		batches: map[batchKey]*batchRecord{}, agents: newAgentRecords(main), oldest: 1,
	}
}

// record adds an event. Texts are made before the lock is acquired.
func (r *ring) record(e *pegboard.Event) {
	switch e.Kind {
	case pegboard.EventAdmitted:
		r.recordAdmission(e)
	case pegboard.EventAsked:
		r.recordQuestion(e)
	case pegboard.EventDecided:
		r.recordDecision(e)
	case pegboard.EventFinished:
		r.recordOutcome(e)
	default:
		r.recordStep(e)
	}
}

// change has apply change the record of a call that goes on.
func (r *ring) change(e *pegboard.Event, apply func(c *callRecord)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.open[e.Call.Identity()]; c != nil {
		apply(c)
		r.touch(c, e.Time)
	}
}

func (r *ring) recordAdmission(e *pegboard.Event) {
	c := r.newRecord(e)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.admit(c, e)
}

func (r *ring) recordQuestion(e *pegboard.Event) {
	targets, id := r.targets(e.Targets), ""
	var rule uint64
	counted := false
	if e.Question != nil {
		id = e.Question.ID
		rule, counted = r.hash.decider(&e.Question.Decision)
	}
	r.change(e, func(c *callRecord) {
		if counted {
			c.agent.count(rule)
		}
		c.questionID, c.targets = id, targets
		r.keepUnnamed(c, e)
		c.enter(phaseAsked, e.Time)
		r.questionsChanged()
	})
}

// maxDecisions is how many decisions about one call are kept: the first, and the newest of
// those about targets that it checks while it runs.
const maxDecisions = 10

func (r *ring) recordDecision(e *pegboard.Event) {
	if e.Decision == nil {
		return
	}
	d := r.decision(e.Decision, e.Targets)
	rule, counted := r.hash.decider(e.Decision)
	r.change(e, func(c *callRecord) {
		if counted {
			c.agent.count(rule)
		}
		if len(c.answers) == maxDecisions {
			c.answers = append(c.answers[:1], c.answers[2:]...)
		}
		c.answers = append(c.answers, d)
		if c.running() {
			c.resume(e.Time)
			return
		}
		c.targets = d.targets
		r.keepUnnamed(c, e)
		if d.behavior == policy.Allow {
			c.enter(phaseWaiting, e.Time)
			c.state = "waiting for a place"
		}
	})
}

func (r *ring) recordOutcome(e *pegboard.Event) {
	if e.Outcome == nil {
		return
	}
	var done outcomeRecord
	r.outcome(e.Outcome, &done)
	r.change(e, func(c *callRecord) {
		c.finish(&done, e.Time)
		delete(r.open, e.Call.Identity())
	})
}

// recordStep adds an event that says no more than a text.
func (r *ring) recordStep(e *pegboard.Event) {
	text := r.text(e.Text)
	r.change(e, func(c *callRecord) {
		switch e.Kind {
		case pegboard.EventWaiting:
			c.content.why = text
			r.keepUnnamed(c, e)
			if e.WaitsFor == nil {
				c.waitedGroup = true
			} else {
				c.waitsFor = r.open[e.WaitsFor.Identity()]
			}
			c.enter(phaseWaiting, e.Time)
		case pegboard.EventSettled:
			c.resume(e.Time)
			r.questionsChanged()
		case pegboard.EventStarted:
			c.attempts = max(c.attempts, 1)
			c.enter(phaseRunning, e.Time)
		case pegboard.EventExternal:
			c.enter(phaseAwaited, e.Time)
		case pegboard.EventReleased:
			c.enter(phaseRunning, e.Time)
		case pegboard.EventRetried:
			c.attempts++
		case pegboard.EventProgress, pegboard.EventHook:
			c.progress, c.content.progress = c.progress+1, text
		case pegboard.EventRepaired:
			c.repairs, c.content.repair = c.repairs+1, text
		case pegboard.EventDetached:
			c.detached, c.content.detached = true, text
		}
	})
}

// resume ends a question.
func (c *callRecord) resume(at time.Time) {
	if c.running() {
		c.enter(phaseRunning, at)
		return
	}
	c.enter(phaseDecided, at)
}

// keepUnnamed keeps a call that goes on until a view asks its tool what to call it: most end
// before that. The caller holds the lock.
func (r *ring) keepUnnamed(c *callRecord, e *pegboard.Event) {
	if r.contents {
		c.unnamed = e.Call
	}
}

// nameOpen asks the tools of calls that go on for the line that a person reads of them, without
// holding the lock.
func (r *ring) nameOpen() {
	if !r.contents {
		return
	}
	unnamed := map[*callRecord]*pegboard.Call{}
	r.mu.Lock()
	for _, c := range r.open {
		if c.unnamed != nil && len(unnamed) < maxRows {
			unnamed[c] = c.unnamed
		}
	}
	r.mu.Unlock()
	names := make(map[*callRecord]string, len(unnamed))
	for c, open := range unnamed {
		names[c] = open.View().Before
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for c, name := range names {
		if c.unnamed == unnamed[c] {
			c.content.before, c.unnamed = name, nil
		}
	}
}

// admit adds a call. The caller holds the lock.
func (r *ring) admit(c *callRecord, e *pegboard.Event) {
	r.last++
	c.number = r.last
	slot := &r.calls[c.number%int64(len(r.calls))]
	if *slot != nil {
		r.forget(*slot)
	}
	*slot = c
	if c.identity = e.Call.Identity(); c.identity != nil {
		r.open[c.identity] = c
	}
	c.agent = r.agents.meet(e.Call.Session(), e.Call.Pool(), e.Time)
	if p := e.Call.Parent(); p != nil {
		c.parent = r.open[p.Identity()]
	}
	switch {
	case c.parent != nil:
		c.batch = c.parent.batch
		c.parent.children = append(c.parent.children, c)
	default:
		c.batch = r.batchOf(e, c.agent)
		c.batch.roots = append(c.batch.roots, c)
	}
	c.batch.calls++
	r.inputs += len(c.content.call.Input)
	if len(c.content.call.Input) > maxInput {
		r.dropInput(c)
	}
	for ; r.inputs > maxInputs; r.oldest++ {
		r.dropInput(r.calls[r.oldest%int64(len(r.calls))])
	}
	r.touch(c, e.Time)
}

// batchOf returns the batch of a call that the model made.
func (r *ring) batchOf(e *pegboard.Event, agent *agentRecord) *batchRecord {
	key := batchKey{e.TraceID, e.Call.Session()}
	if b := r.batches[key]; b != nil {
		return b
	}
	r.newest++
	b := &batchRecord{number: r.newest, key: key, trace: r.name(e.TraceID), agent: agent, begin: e.Time}
	r.batches[key] = b
	return b
}

// forget removes the oldest call. The caller holds the lock.
func (r *ring) forget(c *callRecord) {
	r.dropInput(c)
	r.oldest = max(r.oldest, c.number+1)
	if c.identity != nil {
		delete(r.open, c.identity)
	}
	siblings := &c.batch.roots
	if c.parent != nil {
		siblings = &c.parent.children
	}
	if i := slices.Index(*siblings, c); i == 0 {
		*siblings = (*siblings)[1:]
	} else if i > 0 {
		*siblings = slices.Delete(*siblings, i, i+1)
	}
	for _, child := range c.children { // they are newer
		child.parent = nil
		c.batch.roots = append(c.batch.roots, child)
	}
	c.children = nil
	if c.batch.calls--; c.batch.calls == 0 {
		delete(r.batches, c.batch.key)
	}
}

// dropInput forgets the input of a call.
func (r *ring) dropInput(c *callRecord) {
	if c != nil {
		r.inputs -= len(c.content.call.Input)
		c.content.call.Input = nil
	}
}

// touch says that a call has changed. The caller holds the lock.
func (r *ring) touch(c *callRecord, at time.Time) {
	if !r.grow(c.batch, at) {
		r.revision++
		c.revision = r.revision
	}
	r.wakeAll()
}

// grow makes the bars of a batch long enough for at, and reports whether they were not: then
// all are drawn anew. The caller holds the lock.
func (r *ring) grow(b *batchRecord, at time.Time) bool {
	span := roundSpan(at.Sub(b.begin))
	if span <= b.span {
		return false
	}
	b.span = span
	r.touchAll(b.roots)
	return true
}

// touchAll says that calls and those below them have changed.
func (r *ring) touchAll(calls []*callRecord) {
	for _, c := range calls {
		r.revision++
		c.revision = r.revision
		r.touchAll(c.children)
	}
}

// questionsChanged says that a question has entered or left the line.
func (r *ring) questionsChanged() { r.asked = r.revision + 1 } // touch follows

// wakeAll wakes those who wait for a change. The caller holds the lock.
func (r *ring) wakeAll() {
	if r.wake != nil {
		close(r.wake)
		r.wake = nil
	}
}

// roundSpan returns the shortest of 1, 2 and 5 ms, 10, 20 and 50 ms, and so on that is not
// shorter than d: so that the bars of a batch seldom change their scale.
func roundSpan(d time.Duration) time.Duration {
	for unit := time.Millisecond; ; unit *= 10 {
		for _, n := range []int{1, 2, 5} {
			if span := time.Duration(n) * unit; span >= d || unit > 1000*time.Hour {
				return span
			}
		}
	}
}

// call returns the call of that number, or nil. The caller holds the lock.
func (r *ring) call(number int64) *callRecord {
	if number < 1 || number > r.last {
		return nil
	}
	c := r.calls[number%int64(len(r.calls))]
	if c == nil || c.number != number {
		return nil
	}
	return c
}

// now returns the revision of the newest change.
func (r *ring) now() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.revision
}

// asking returns since when the call of a question is asked about, and its number.
func (r *ring) asking(q *pegboard.Question) (at time.Time, number int64, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.open[q.Call.Identity()]
	if c == nil || q.Call.Identity() == nil {
		return time.Time{}, 0, false
	}
	return c.admitted.Add(c.phases[len(c.phases)-1].after), c.number, true
}

// wasAsked reports whether a call that is remembered was asked about by a question of that id.
func (r *ring) wasAsked(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.calls, func(c *callRecord) bool { return c != nil && c.questionID == id })
}
