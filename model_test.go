package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
)

// The tests of the files model_* compare the executor with a model of it.
//
// A plan (model_test.go) is a random message. The input of each call says what its
// tool does, and what hooks, rules and the user do about it; model_world_test.go has the
// tools, hooks and answers that keep to it. A scene (model_world_test.go) plays a plan on
// a fake clock: in one batch, call by call, with every call sent elsewhere by Invoke, as a
// stream, or as a gathering.
//
// Three things are compared. The outcome of every call, with its stage, error, text and
// repair, is the one that the reference (model_world_test.go) foresees, which takes
// the calls one after the other and shares no code with the executor. No two calls run at
// once whose targets conflict. The events of every call tell one story, from admitted to
// finished, and outcomes and admissions stand in the order of the message.
//
// model_test.go ends a plan after each of its events in turn, by every cause there is,
// and expects each call to end as foreseen or by that cause. model_test.go drives a
// stream by random bytes and compares only what holds for every plan.

// TestInvariant9ScheduleEqualsSerialRun plays random plans in every manner: each call
// ends as it does in the reference.
func TestInvariant9ScheduleEqualsSerialRun(t *testing.T) {
	t.Parallel()
	manners := []manner{{name: "serially", serially: true}, {name: "together"}, {name: "elsewhere", far: true}, {name: "streamed", streams: true}, {name: "gathered", gathers: true}}
	for seed := range effort.Of(t, uint64(100)) {
		p := draw(rand.New(rand.NewPCG(seed, 9)))
		for _, how := range manners {
			if (how.serially || how.gathers) && hasTwins(p) || how.far && hasScript(p) {
				continue
			}
			want := foresee(p, how.serially)
			what := func() string { return "seed " + strconv.FormatUint(seed, 10) + ", " + how.name + ":" + p.String() }
			bubble(t, what, func(t *testing.T) {
				t.Helper()
				s := play(t, p, 1+int(seed%5), how, nil)
				require.Len(t, s.outs, len(p))
				for i, o := range s.outs {
					want[i].check(t, o, what)
					for n, in := range want[i].inner {
						in.check(t, s.inner[o.Call.ID][n], what)
					}
				}
			})
		}
	}
}

// TestSameCallsEndAsIfEachHadRun plays random plans with tools that compare their calls, and
// with tools that do not. Only the texts of calls that were not run again differ.
func TestSameCallsEndAsIfEachHadRun(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(60)) {
		p := draw(rand.New(rand.NewPCG(seed, 10)))
		for _, streams := range []bool{false, true} {
			what := func() string { return "seed " + strconv.FormatUint(seed, 10) + ":" + p.String() }
			var once, each []pegboard.Outcome
			bubble(t, what, func(t *testing.T) { t.Helper(); once = play(t, p, 0, manner{streams: streams}, nil).outs })
			bubble(t, what, func(t *testing.T) { t.Helper(); each = play(t, p, 0, manner{streams: streams, each: true}, nil).outs })
			for i, o := range once {
				require.Nil(t, each[i].SameAs, what())
				require.Equal(t, each[i].Result.IsError, o.Result.IsError, "%s\n%s", o.Call.ID, what())
				require.Equal(t, fmt.Sprint(each[i].Err), fmt.Sprint(o.Err), "%s\n%s", o.Call.ID, what())
				if o.SameAs == nil {
					require.Equal(t, each[i].Result.Text(), o.Result.Text(), "%s\n%s", o.Call.ID, what())
				}
			}
		}
	}
}

// hasTwins says whether two calls have one id.
func hasTwins(p plan) bool {
	ids := map[string]bool{}
	for _, c := range p {
		ids[c.id] = true
	}
	return len(ids) < len(p)
}

func hasScript(p plan) bool {
	return slices.ContainsFunc(p, func(c planned) bool { return c.tool == "Script" })
}

// A cut ends a plan in its midst.
type cut struct {
	name    string
	cause   error                     // that the calls wrap which it ended
	streams bool                      // it ends a stream
	beside  bool                      // it waits for the calls, so the listener cannot do it
	lets    func(*pegboard.Call) bool // begin later
	do      func(*scene)
}

// looks says which calls may begin after a message was cut off: those that did not
// wait for its end.
func looks(c *pegboard.Call) bool { return c.Facts().ReadOnly }

// inside says which calls may begin after a new message: those of a script that the
// message waits for.
func inside(c *pegboard.Call) bool { return c.Parent() != nil }

func cuts() []cut {
	interrupt := func(cause error) func(*scene) { return func(s *scene) { s.session.Interrupt(cause) } }
	finish := func(why pegboard.FinishReason) func(*scene) { return func(s *scene) { s.missed = !s.finish(why) } }
	return []cut{
		{name: "the user interrupts", cause: pegboard.ErrUserInterrupt, do: func(s *scene) { s.cancel(pegboard.ErrUserInterrupt) }},
		{name: "a new message", cause: pegboard.ErrNewMessage, lets: inside, do: func(s *scene) { s.cancel(pegboard.ErrNewMessage) }},
		{name: "the context ends", cause: context.Canceled, do: func(s *scene) { s.cancel(nil) }},
		{name: "the turn is over", cause: context.DeadlineExceeded, do: func(s *scene) { s.cancel(context.DeadlineExceeded) }},
		{name: "Session.Interrupt", cause: pegboard.ErrUserInterrupt, do: interrupt(pegboard.ErrUserInterrupt)},
		{name: "Session.Interrupt by a message", cause: pegboard.ErrNewMessage, do: interrupt(pegboard.ErrNewMessage)},
		{name: "Session.Interrupt without a cause", cause: pegboard.ErrCancelled, do: interrupt(nil)},
		{name: "Session.Close", cause: pegboard.ErrClosed, beside: true, do: func(s *scene) { _ = s.session.Close(context.Background()) }},
		{name: "Finish, too long", cause: pegboard.ErrCancelled, streams: true, lets: looks, do: finish(pegboard.FinishLength)},
		{name: "Finish, filtered", cause: pegboard.ErrCancelled, streams: true, lets: looks, do: finish(pegboard.FinishFilter)},
		{name: "Stream.Abandon", cause: pegboard.ErrAbandoned, streams: true, beside: true, do: func(s *scene) {
			s.stream.Abandon(nil)
		}},
	}
}

// TestInvariant1EveryCallHasOneOutcome plays random plans and ends each after
// its first event, after the second, and so on to the last, in turn by every cause
// there is, and as a message or as a stream.
func TestInvariant1EveryCallHasOneOutcome(t *testing.T) {
	t.Parallel()
	all, turn := cuts(), 0
	for seed := range effort.Of(t, uint64(30)) {
		p := draw(rand.New(rand.NewPCG(seed, 1)))
		for _, how := range []manner{{name: "together"}, {name: "streamed", streams: true}, {name: "gathered", gathers: true}} {
			if how.gathers && hasTwins(p) { // which of the two is handed in first is the first
				continue
			}
			undisturbed := 0
			bubble(t, func() string { return "seed " + strconv.FormatUint(seed, 10) + ", undisturbed:" + p.String() }, func(t *testing.T) {
				t.Helper()
				undisturbed = len(play(t, p, 2, how, nil).events)
			})
			for k := 1; k <= undisturbed; k++ {
				c := all[turn%len(all)]
				if turn++; c.streams && !how.streams || c.beside && how.gathers { // after Close, what is handed in is a message of its own
					continue
				}
				c.beside = c.beside || turn%2 == 0
				c.play(t, p, how, seed, k)
			}
		}
	}
}

// TestInvariant1HoldsWhereFailuresCancel plays plans in which a call that fails stops
// those beside it. A call that was stopped was beside one that did fail.
func TestInvariant1HoldsWhereFailuresCancel(t *testing.T) {
	t.Parallel()
	c := cut{cause: pegboard.ErrSiblingFailed}
	for seed := range effort.Of(t, uint64(60)) {
		p := draw(rand.New(rand.NewPCG(seed, 3)))
		for _, how := range []manner{{name: "together", siblings: true}, {name: "streamed", siblings: true, streams: true}, {name: "gathered", siblings: true, gathers: true}} {
			if how.gathers && hasTwins(p) {
				continue
			}
			what := func() string { return "seed " + strconv.FormatUint(seed, 10) + ", " + how.name + ":" + p.String() }
			bubble(t, what, func(t *testing.T) {
				t.Helper()
				s := play(t, p, 0, how, nil)
				c.check(t, s, time.Now(), what)
				stopped := func(o pegboard.Outcome) bool { return errors.Is(o.Err, pegboard.ErrSiblingFailed) }
				failed := func(o pegboard.Outcome) bool {
					return o.Call.Name == "DoOrStop" && o.Result.IsError && s.ran[o.Call.ID] > 0 && !stopped(o)
				}
				require.True(t, !slices.ContainsFunc(s.outs, stopped) || slices.ContainsFunc(s.outs, failed), what())
			})
		}
	}
}

// play plays a plan up to its k-th event, cuts it there, and sees what becomes of it.
func (c cut) play(t *testing.T, p plan, how manner, seed uint64, k int) {
	t.Helper()
	what := func() string {
		return "seed " + strconv.FormatUint(seed, 10) + ", " + how.name + ", after event " + strconv.Itoa(k) + " " + c.name + ":" + p.String()
	}
	bubble(t, what, func(t *testing.T) {
		t.Helper()
		var at time.Time
		done := make(chan struct{})
		s := play(t, p, 2, how, func(s *scene, n int) {
			if n != k {
				return
			}
			at = time.Now()
			if !c.beside {
				c.do(s)
				close(done)
				return
			}
			go func() {
				defer close(done)
				c.do(s)
			}()
		})
		if at.IsZero() {
			return // it went another way this time, which had fewer events
		}
		if <-done; s.missed {
			return
		}
		c.check(t, s, at, what)
	})
}

// check sees that each call ended as it was foreseen for it alone, or by the cut;
// that none began later, and that all ended soon.
func (c cut) check(t *testing.T, s *scene, at time.Time, what func() string) {
	t.Helper()
	for i, o := range s.outs {
		var ce *pegboard.CallError
		require.True(t, o.Err == nil || errors.As(o.Err, &ce), "%s: %v\n%s", o.Call.ID, o.Err, what())
		cancelled, detached := errors.Is(o.Err, pegboard.ErrCancelled), errors.Is(o.Err, pegboard.ErrDetached)
		switch {
		case cancelled:
			require.ErrorIs(t, o.Err, c.cause, "%s\n%s", o.Call.ID, what())
			require.NotErrorIs(t, o.Err, pegboard.ErrDenied, "%s\n%s", o.Call.ID, what())
			require.True(t, o.Result.IsError, "%s\n%s", o.Call.ID, what())
		case detached: // itself, or what has its keys
		case s.plan[i].Post == "block" && errors.Is(o.Err, errPlanned): // whatever came before it
		case slices.ContainsFunc(s.plan[:i], func(p planned) bool { return p.id == o.Call.ID }):
			require.ErrorIs(t, o.Err, pegboard.ErrDuplicate, "%s\n%s", o.Call.ID, what())
		default:
			alone := foresee(plan{s.plan[i]}, true)[0]
			if o.SameAs != nil { // it is checked with nothing in between
				alone.same = o.SameAs.ID
			}
			if alone.says = o.Result.Text(); s.plan[i].Ends == "hang" && o.Err == nil {
				t.Fatalf("%s hangs, and ended by itself\n%s", o.Call.ID, what())
			}
			alone.check(t, o, what)
		}
	}
	for _, e := range s.events {
		if e.Kind == pegboard.EventStarted && e.Time.After(at) {
			require.True(t, c.lets != nil && c.lets(e.Call), "%s began %v after it was cut\n%s", e.Call.ID, e.Time.Sub(at), what())
		}
		if e.Kind == pegboard.EventFinished && c.lets == nil && e.Call.Parent() == nil {
			require.Less(t, e.Time.Sub(at), pegboard.DefaultGrace+time.Second, "%s ended late\n%s", e.Call.ID, what())
		}
	}
}

// A plan is the calls of a random message. What each of them does stands in its
// input, so that tools, hooks and the asker can keep to it on whatever side they are.
type plan []planned

// planned is one call of a plan, as the model sends it.
type planned struct {
	action
	id, tool string
	spelling string        // of the input: as it should be, "fenced", "lost" (the host knows it), "cut"
	gap      time.Duration // until the model has written the next call
}

// action is what a call of a plan does, and what hooks, rules and the user do about it.
type action struct {
	Reads  []string `json:"reads,omitempty"`
	Writes []string `json:"writes,omitempty"`
	Tree   bool     `json:"tree,omitempty"`
	Class  int      `json:"class,omitempty"`
	Look   bool     `json:"look,omitempty"` // it is read-only
	Ms     int      `json:"ms,omitempty"`

	Valid  string   `json:"valid,omitempty"`  // "no": the tool objects
	Pre    string   `json:"pre,omitempty"`    // what the hook before it does: deny, ask, error, panic, late
	Rule   string   `json:"rule,omitempty"`   // "deny" or "ask"
	Person string   `json:"person,omitempty"` // who is asked says yes, no, never anything
	Ends   string   `json:"ends,omitempty"`   // error, panic, goexit, flagged, hang (until it is stopped), deaf
	Post   string   `json:"post,omitempty"`   // what the hook after it does: replace, error, panic, late, block
	Then   string   `json:"then,omitempty"`   // what its result does to the session, see scene
	Inner  []string `json:"inner,omitempty"`  // inputs of the calls that it makes
}

// conflicts says whether two calls of a message must not run at once.
func (p action) conflicts(q action) bool { return p.Class == 0 || q.Class == 0 || p.meets(q) }

// meets says whether two calls name the same file, of which one writes it: they must not run at
// once, of whatever messages they are.
func (p action) meets(q action) bool {
	touches := func(a, b string) bool {
		return a == b || (p.Tree && strings.HasPrefix(b, a+"/")) || (q.Tree && strings.HasPrefix(a, b+"/"))
	}
	for _, w := range p.Writes {
		if slices.ContainsFunc(append(slices.Clone(q.Reads), q.Writes...), func(x string) bool { return touches(w, x) }) {
			return true
		}
	}
	for _, r := range p.Reads {
		if slices.ContainsFunc(q.Writes, func(x string) bool { return touches(r, x) }) {
			return true
		}
	}
	return false
}

// settled returns p as it is meant: by target without targets is alone.
func (p action) settled() action {
	if p.Class == int(pegboard.PerTarget-pegboard.Exclusive) && len(p.Reads)+len(p.Writes) == 0 && p.Rule == "" {
		p.Class = 0
	}
	return p
}

func (p action) input() string {
	in, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	return string(in)
}

// inner returns the calls that a call makes, as a plan of their own.
func (p planned) inner() (in plan) {
	for i, text := range p.Inner {
		var s action
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			panic(err)
		}
		in = append(in, planned{action: s, id: p.id + "." + strconv.Itoa(i), tool: "Do"})
	}
	return in
}

// call returns the call as the model spells it.
func (p planned) call() pegboard.Call {
	input := p.input()
	switch p.spelling {
	case "fenced":
		input = "```json\n" + input + "\n```"
	case "lost", "cut":
		input = input[:len(input)-1]
	}
	return call(p.id, p.tool, input)
}

func (p plan) calls() (calls []pegboard.Call) {
	for _, c := range p {
		calls = append(calls, c.call())
	}
	return calls
}

// String returns a line for each call.
func (p plan) String() (text string) {
	for _, c := range p {
		text += fmt.Sprintf("\n%s %s%s %s", c.id, c.tool, strings.TrimRight(" "+c.spelling, " "), c.input())
	}
	return text
}

// quirks are the ways in which a call of a plan may be unlike others.
var quirks = []func(*planned){
	func(p *planned) { p.Ends = "error" },
	func(p *planned) { p.Ends = "panic" },
	func(p *planned) { p.Ends = "goexit" },
	func(p *planned) { p.Ends = "flagged" },
	func(p *planned) { p.Ends = "hang" },
	func(p *planned) { p.Ends = "deaf" },
	func(p *planned) { p.Ends = "deaf" },
	func(p *planned) { p.tool = "Nothing" },
	func(p *planned) { p.id = "0" }, // which another may have
	func(p *planned) { p.spelling = "cut" },
	func(p *planned) { p.spelling = "fenced" },
	func(p *planned) { p.spelling, p.Look, p.Writes = "fenced", true, nil },
	func(p *planned) { p.spelling, p.Look, p.Writes = "lost", true, nil },
	func(p *planned) { p.Valid = "no" },
	func(p *planned) { p.Rule = "deny" },
	func(p *planned) { p.Rule, p.Person = "ask", "yes" },
	func(p *planned) { p.Rule, p.Person = "ask", "no" },
	func(p *planned) { p.Rule, p.Person = "ask", "never" },
	func(p *planned) { p.Pre, p.Person = "ask", "yes" },
	func(p *planned) { p.Pre = "deny" },
	func(p *planned) { p.Pre = "error" },
	func(p *planned) { p.Pre = "panic" },
	func(p *planned) { p.Pre = "late" },
	func(p *planned) { p.Post = "replace" },
	func(p *planned) { p.Post = "error" },
	func(p *planned) { p.Post = "panic" },
	func(p *planned) { p.Post = "late" },
	func(p *planned) { p.Post = "block" },
}

// draw makes a random plan. Every other call has no quirk.
func draw(rnd *rand.Rand) (p plan) {
	for i := range 2 + rnd.IntN(7) {
		c := planned{action: drawAction(rnd), id: strconv.Itoa(i), tool: []string{"Do", "DoOrStop", "DoOrLeave"}[rnd.IntN(3)]}
		c.gap = time.Duration(rnd.IntN(15)) * time.Millisecond
		for rnd.IntN(2) == 0 {
			quirks[rnd.IntN(len(quirks))](&c)
		}
		c.action = c.settled()
		if rnd.IntN(8) == 0 && !*sendFar { // where no calls can be made from inside
			c = planned{id: c.id, tool: "Script", gap: c.gap}
			for range 1 + rnd.IntN(3) {
				in := planned{action: drawAction(rnd)}
				if rnd.IntN(3) == 0 {
					quirks[rnd.IntN(len(quirks))](&in)
				}
				if in.Ends == "deaf" { // its keys would only be in the way of later messages
					in.Ends = "hang"
				}
				c.Inner = append(c.Inner, in.settled().input())
			}
		}
		if len(p) > 0 && rnd.IntN(5) == 0 {
			c = repeated(&p[len(p)-1], c, rnd.IntN(4) > 0)
		}
		p = append(p, c)
	}
	return p
}

// repeated returns the call before once more, in the place of c. Look: both are read-only.
func repeated(before *planned, c planned, look bool) planned {
	if look && before.tool != "Script" {
		before.Look, before.Writes = true, nil
		before.action = before.settled()
	}
	again := *before
	again.id, again.gap = c.id, c.gap
	return again
}

func drawAction(rnd *rand.Rand) action {
	places := []string{"a", "a/b", "a/b/c", "d", "e"}
	pick := func() (ps []string) {
		for range rnd.IntN(3) {
			ps = append(ps, places[rnd.IntN(len(places))])
		}
		return ps
	}
	s := action{Reads: pick(), Writes: pick(), Tree: rnd.IntN(4) == 0, Class: rnd.IntN(3), Look: rnd.IntN(3) == 0, Ms: rnd.IntN(30)}
	if s.Look {
		s.Writes = nil
	}
	return s
}

// bubble plays f on a fake clock. Whatever goes wrong, a test says what was played:
// also if something is left that never ends, or a lock is never given back.
func bubble(t *testing.T, what func() string, f func(t *testing.T)) {
	t.Helper()
	watch := time.AfterFunc(2*time.Minute, func() {
		debug.SetTraceback("all")
		panic("it hangs: " + what())
	})
	defer watch.Stop()
	defer func() {
		if crash := recover(); crash != nil {
			t.Fatalf("%v\n%s\n%s", crash, what(), debug.Stack())
		}
		if t.Failed() {
			t.Log("it was: " + what())
		}
	}()
	synctest.Test(t, f)
}

// A calendar is a plan whose questions are answered on different days, and what the rules are on
// each of them.
type calendar struct {
	plan
	answered map[string]int // the day on which the question about a call is answered, by its id
	rules    []string       // the rules of each day: "", "deny" or "free"
	remember map[string]int // what the answer to the question about a call remembers, by its id; see remembering
}

// remembering are the updates that an answer may remember: none, that all are refused from now
// on, or that all need no question.
var remembering = [][]policy.Update{
	nil,
	{{Type: policy.AddRules, Behavior: policy.Deny, Destination: policy.SourceSession, Rules: askedRules}},
	{{Type: policy.RemoveRules, Behavior: policy.Ask, Rules: askedRules}},
}

var askedRules = []policy.UpdateRule{{Tool: "WebFetch", Pattern: "domain:ask.test"}}

// A memory has the updates that the host was told to keep, for the permissions of later days.
type memory struct {
	mu   sync.Mutex
	kept []policy.Update
}

func (m *memory) onRemember(_ ctx, updates []policy.Update) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept = append(m.kept, updates...)
	return nil
}

const calendarDays = 3

// drawCalendar makes a random calendar with many questions. It has nothing that belongs to one
// process: no call that goes on in the background, no script, no user who never answers.
func drawCalendar(rnd *rand.Rand) calendar {
	c := calendar{plan: draw(rnd), answered: map[string]int{}, remember: map[string]int{}}
	for i := range c.plan {
		p := &c.plan[i]
		if p.tool == "Script" {
			*p = planned{action: drawAction(rnd), id: p.id, tool: "Do"}
		}
		if p.Ends == "deaf" {
			p.Ends = "error"
		}
		if p.spelling == "lost" { // a host that knows the input is one process
			p.spelling = "fenced"
		}
		if rnd.IntN(3) == 0 && (i == 0 || p.input() != c.plan[i-1].input()) {
			p.Rule = "ask"
		}
		if p.Person == "never" || p.Rule == "ask" || p.Pre == "ask" {
			p.Person = []string{"yes", "yes", "no"}[rnd.IntN(3)]
		}
		p.action = p.settled()
		c.answered[p.id] = rnd.IntN(calendarDays)
	}
	for range calendarDays {
		c.rules = append(c.rules, []string{"", "", "", "deny", "free"}[rnd.IntN(5)])
	}
	return c
}

// looks reports whether a call with that id, which several may have, changes nothing.
func (c *calendar) looks(id string) bool {
	return slices.ContainsFunc(c.plan, func(p planned) bool { return p.id == id && p.Look })
}

// permissions returns the permissions of a day, with what answers have had remembered.
func (c *calendar) permissions(t *testing.T, day int, m *memory) policy.Permissions {
	t.Helper()
	set := policy.RuleSet{Deny: []string{"WebFetch(domain:deny.test)"}}
	switch c.rules[day] {
	case "deny":
		set.Deny = append(set.Deny, "WebFetch(domain:ask.test)")
	case "":
		set.Ask = []string{"WebFetch(domain:ask.test)"}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := rules(t, policy.ModeBypass, set).Apply(m.kept...)
	require.NoError(t, err)
	return p
}

// answer returns what the user says about a call.
func (c *calendar) answer(id string, input []byte) policy.Decision {
	var p action
	if err := json.Unmarshal(input, &p); err != nil {
		panic(err)
	}
	if p.Person == "no" {
		return policy.Decision{Behavior: policy.Deny, Reason: "as planned", Remember: remembering[c.remember[id]]}
	}
	return policy.Decision{Behavior: policy.Allow, Remember: remembering[c.remember[id]]}
}

// inOneProcess plays the calendar while one process waits.
func (c *calendar) inOneProcess(t *testing.T, tools *pegboard.Registry) []pegboard.Outcome {
	t.Helper()
	w, m := newWorld(), &memory{}
	s := w.session(t, func(cfg *pegboard.SessionConfig) {
		cfg.Ask, cfg.AskTimeout, cfg.Permissions, cfg.OnRemember = pegboard.AskLater, 0, c.permissions(t, 0, m), m.onRemember
	})
	defer func() { require.NoError(t, s.Close(t.Context())) }()
	ex := executor(pegboard.Executor{Repair: pegboard.Repair{Syntax: true}})
	done := make(chan []pegboard.Outcome, 1)
	go func() { done <- ex.Run(t.Context(), tools.AssemblePool(s, pegboard.PoolConfig{}), c.calls()...) }()
	for day := range calendarDays {
		require.NoError(t, s.SetPermissions(c.permissions(t, day, m)))
		for answered := true; answered; {
			time.Sleep(time.Hour)
			answered = false
			for _, q := range s.Questions() {
				if c.answered[q.Call.ID] <= day {
					if err := s.Answer(q.ID, c.answer(q.Call.ID, q.Call.Input)); err != nil {
						require.ErrorIs(t, err, pegboard.ErrQuestionClosed) // an answer before it has decided it
					}
					answered = true
				}
			}
		}
	}
	outs := <-done
	time.Sleep(longAfter)
	return outs
}

// An agency plays a calendar in many processes, which share the world and the journal.
type agency struct {
	*calendar
	t       *testing.T
	tools   *pegboard.Registry
	world   *world
	journal *memoryJournal
	memory  memory
	value   *pegboard.Suspension // that was saved last
	crash   int                  // the process dies behind this entry of the journal; 0: never
	written int
	dead    bool
	values  []string // that were saved
}

func newAgency(t *testing.T, c *calendar, tools *pegboard.Registry, crash int) *agency {
	t.Helper()
	a := &agency{calendar: c, t: t, tools: tools, world: newWorld(), journal: &memoryJournal{}, crash: crash}
	a.journal.fail = func(pegboard.JournalEntry) error {
		if a.dead {
			return errDisk
		}
		return nil
	}
	a.journal.added = func(pegboard.JournalEntry) {
		a.written++
		a.dead = a.written == a.crash
	}
	return a
}

// process runs one process to its end, or until it dies. Outs is nil if it has died.
func (a *agency) process(day int, answers map[string]policy.Decision) (outs []pegboard.Outcome) {
	s := a.world.session(a.t, func(cfg *pegboard.SessionConfig) {
		*cfg = suspending(a.journal, *cfg)
		cfg.Permissions, cfg.OnRemember = a.permissions(a.t, day, &a.memory), a.memory.onRemember
	})
	defer func() {
		require.NoError(a.t, s.Close(a.t.Context()))
		time.Sleep(longAfter)
	}()
	ex := executor(pegboard.Executor{Repair: pegboard.Repair{Syntax: true}})
	pool := a.tools.AssemblePool(s, pegboard.PoolConfig{})
	var err error
	if a.value == nil {
		outs = ex.Run(pegboard.WithTurn(a.t.Context(), "message-1"), pool, a.calls()...)
	} else {
		outs, err = ex.Resume(a.t.Context(), pool, saved(a.t, a.value), answers)
	}
	if a.dead { // nothing of it is left but the journal
		a.dead = false
		return nil
	}
	require.NoError(a.t, err)
	a.value, err = s.Suspension(outs)
	require.NoError(a.t, err)
	if a.value != nil {
		text, err := json.Marshal(a.value)
		require.NoError(a.t, err)
		a.values = append(a.values, string(text))
	}
	return outs
}

// play plays the calendar.
func (a *agency) play() (outs []pegboard.Outcome) {
	for day := range calendarDays {
		answers := map[string]policy.Decision{}
		for {
			given := len(answers)
			now := a.process(day, answers)
			clear(answers)
			if now == nil { // the host does not know which answers were taken
				continue
			}
			if outs = now; a.value == nil {
				return outs
			}
			for _, q := range a.value.Questions {
				if a.answered[q.CallID] <= day {
					answers[q.ID] = a.answer(q.CallID, q.Input)
				}
			}
			if len(answers) == 0 && given == 0 { // what was remembered may decide a call that had to wait
				break
			}
		}
	}
	require.Nil(a.t, a.value, "all questions were answered")
	return outs
}

// sameOutcome compares an outcome with that of one process.
func sameOutcome(t *testing.T, want, got pegboard.Outcome, what func() string) {
	t.Helper()
	require.Equal(t, want.Call.ID, got.Call.ID, what)
	require.Equal(t, fmt.Sprint(want.Err), fmt.Sprint(got.Err), "%s\n%s", got.Call.ID, what())
	require.Equal(t, want.Result.Text(), got.Result.Text(), "%s\n%s", got.Call.ID, what())
	require.Equal(t, want.Result.IsError, got.Result.IsError, "%s\n%s", got.Call.ID, what())
	require.Equal(t, want.Decision.Behavior, got.Decision.Behavior, "%s\n%s", got.Call.ID, what())
	require.Equal(t, want.Repairs, got.Repairs, "%s\n%s", got.Call.ID, what())
	require.Equal(t, want.SameAs == nil, got.SameAs == nil, "%s\n%s", got.Call.ID, what())
	var was, is *pegboard.CallError
	if errors.As(want.Err, &was) {
		require.ErrorAs(t, got.Err, &is)
		require.Equal(t, was.Sentinel(), is.Sentinel(), "%s\n%s", got.Call.ID, what())
	}
}

// TestSuspendedPlansEndAsInOneProcess plays random messages in one process that waits, and in
// processes that suspend. Each call ends the same.
func TestSuspendedPlansEndAsInOneProcess(t *testing.T) {
	t.Parallel()
	questions, processes, remembered := 0, 0, 0
	for seed := range effort.Of(t, uint64(300)) {
		rnd := rand.New(rand.NewPCG(seed, 11))
		c := drawCalendar(rnd)
		for _, p := range c.plan {
			c.remember[p.id] = max(rnd.IntN(5)-2, 0)
		}
		what := func() string { return fmt.Sprint("seed ", seed, ": ", c.answered, c.rules, c.remember, c.plan) }
		var want, got []pegboard.Outcome
		bubble(t, what, func(t *testing.T) { t.Helper(); want = c.inOneProcess(t, planTools()) })
		bubble(t, what, func(t *testing.T) {
			t.Helper()
			a := newAgency(t, &c, planTools(), 0)
			got = a.play()
			questions, processes, remembered = questions+len(a.values), processes+1, remembered+len(a.memory.kept)
			require.Empty(t, a.world.overlaps, what())
		})
		require.Len(t, got, len(c.plan))
		for i := range want {
			sameOutcome(t, want[i], got[i], what)
		}
	}
	require.Greater(t, questions, processes/10, "few messages are suspended")
	if effort.Full(t) {
		require.Greater(t, remembered, processes/10, "few answers remember rules")
	}
}

// TestPlansSurviveCrashes lets the process die behind each entry of the journal in turn. A call
// whose effect is not harmless runs at most once; every call has an outcome; and if no call was
// lost in its midst, all end as in one process.
func TestPlansSurviveCrashes(t *testing.T) {
	t.Parallel()
	same, unknown := 0, 0
	for seed := range effort.Of(t, uint64(25)) {
		c := drawCalendar(rand.New(rand.NewPCG(seed, 12)))
		crash := 0
		what := func() string { return fmt.Sprint("seed ", seed, ", crash ", crash, ": ", c.answered, c.rules, c.plan) }
		var want []pegboard.Outcome
		bubble(t, what, func(t *testing.T) { t.Helper(); want = c.inOneProcess(t, planToolsEach()) })
		for more := true; more; {
			crash++
			bubble(t, what, func(t *testing.T) {
				t.Helper()
				a := newAgency(t, &c, planToolsEach(), crash)
				got := a.play()
				more = a.written >= crash
				lost := slices.ContainsFunc(got, func(o pegboard.Outcome) bool { return errors.Is(o.Err, pegboard.ErrOutcomeUnknown) })
				require.Len(t, got, len(c.plan))
				for i, o := range got {
					require.NotErrorIs(t, o.Err, pegboard.ErrSuspended, what())
					if p := c.plan[i]; !c.looks(p.id) {
						require.LessOrEqual(t, a.world.ran[p.id], 1, "%s ran twice\n%s", p.id, what())
					}
					if !lost {
						sameOutcome(t, want[i], o, what)
					}
				}
				if lost {
					unknown++
				} else {
					same++
				}
			})
		}
	}
	require.NotZero(t, same)
	require.NotZero(t, unknown)
}

// TestTamperedValuesAreRefused flips every byte of values that plans have left.
func TestTamperedValuesAreRefused(t *testing.T) {
	t.Parallel()
	values := effort.Of(t, 50)
	for seed := uint64(0); values > 0; seed++ {
		rnd := rand.New(rand.NewPCG(seed, 13))
		c := drawCalendar(rnd)
		what := func() string { return "seed " + strconv.FormatUint(seed, 10) }
		bubble(t, what, func(t *testing.T) {
			t.Helper()
			a := newAgency(t, &c, planTools(), 0)
			a.play()
			if len(a.values) == 0 {
				return
			}
			values--
			flipEveryByte(t, rnd, a, a.values[rnd.IntN(len(a.values))])
		})
	}
}

// flipEveryByte changes a value byte by byte. No process goes on with it, and nothing runs.
func flipEveryByte(t *testing.T, rnd *rand.Rand, a *agency, text string) {
	t.Helper()
	s := a.world.session(t, func(cfg *pegboard.SessionConfig) { *cfg = suspending(a.journal, *cfg) })
	defer func() { require.NoError(t, s.Close(t.Context())) }()
	pool, before := a.tools.AssemblePool(s, pegboard.PoolConfig{}), a.written
	ran := fmt.Sprint(a.world.ran)
	var whole pegboard.Suspension
	require.NoError(t, json.Unmarshal([]byte(text), &whole))
	for i := range len(text) {
		changed := []byte(text)
		changed[i] ^= byte(1 + rnd.IntN(255))
		var v pegboard.Suspension
		if json.Unmarshal(changed, &v) != nil {
			continue
		}
		ex := executor(pegboard.Executor{})
		_, err := ex.Resume(t.Context(), pool, &v, nil)
		require.ErrorIs(t, err, pegboard.ErrAltered, "byte %d: %s", i, changed)
	}
	require.Equal(t, before, a.written)
	require.Equal(t, ran, fmt.Sprint(a.world.ran))
}

// scriptedCalls are what the bytes of a script can submit.
func scriptedCalls() []planned {
	return []planned{
		{tool: "Do", action: action{Class: 2, Look: true}},
		{tool: "Do", action: action{Class: 2, Look: true, Ms: 5}},
		{tool: "DoOrStop", action: action{Ms: 3}},
		{tool: "DoOrLeave", action: action{Class: 1, Writes: []string{"a"}, Ms: 2}},
		{tool: "Do", action: action{Class: 1, Reads: []string{"a"}, Look: true}},
		{tool: "DoOrStop", action: action{Class: 2, Look: true, Ends: "deaf"}},
		{tool: "Do", action: action{Class: 1, Writes: []string{"a"}, Ends: "deaf"}},
		{tool: "Do", action: action{Class: 2, Look: true, Ends: "goexit"}},
		{tool: "Do", action: action{Class: 2, Look: true, Ends: "hang", Post: "late"}},
		{tool: "Do", action: action{Class: 2, Look: true, Rule: "ask", Person: "never"}},
		{tool: "Do", action: action{Class: 2, Look: true, Ms: 1, Then: "interrupt"}},
		{tool: "Do", action: action{Class: 2, Look: true, Then: "finish"}},
		{tool: "Do", spelling: "cut"},
		{tool: "Nothing"},
	}
}

// scripted is a stream that the bytes of a script drive.
type scripted struct {
	*scene
	turn    chan struct{} // who has it may range over the outcomes
	leaving chan struct{} // who has it may abandon the stream
	watched chan pegboard.Event
	second  chan byte   // what the second goroutine is to do
	next    chan func() // what the listener is to do at the next event

	submitted atomic.Int32
}

// act does what one byte says, on whatever goroutine.
func (s *scripted) act(i int, b byte) {
	kinds := scriptedCalls()
	switch op := int(b) % 24; {
	case op < len(kinds):
		c := kinds[op]
		c.id = fmt.Sprint(i)
		s.submitted.Add(1)
		s.stream.Submit(c.call())
	case op == 14 && b < 128: // the listener could not wait for its turn
		s.turn <- struct{}{}
		for o := range s.stream.Ready() {
			s.outs = append(s.outs, o)
		}
		<-s.turn
	case op == 15:
		s.stream.Finish(pegboard.FinishToolCalls)
	case op == 16:
		s.stream.Finish(pegboard.FinishLength)
	case op == 17:
		s.cancel(pegboard.ErrNewMessage)
	case op == 18:
		s.session.Interrupt(pegboard.ErrNewMessage)
	case op == 19:
		s.session.Interrupt(nil)
	case op == 20 && b < 128: // it waits for the listener
		s.leaving <- struct{}{} // for two at once the fake clock would stand still
		s.stream.Abandon(nil)
		<-s.leaving
	case op == 21:
		time.Sleep(300 * time.Millisecond)
	default:
		time.Sleep(time.Millisecond)
	}
}

// watch reads the calls of the events on a goroutine of its own, long after they
// were told.
func (s *scripted) watch() {
	for e := range s.watched {
		if e.Call.Session() != s.session || e.Call.Parent() != nil || e.Call.ID == "" {
			panic(fmt.Sprintf("a %v event of nobody's: %+v", e.Kind, e.Call))
		}
		_, _, _, _ = actionOf(e.Call), e.Call.Targets(), e.Call.Facts().ReadOnly, e.Call.Pool()
		if e.Outcome != nil {
			_ = e.Outcome.Result.Text()
		}
	}
}

// playScript drives a stream by bytes. The highest two bits say who does what the
// others say: the main goroutine, a second one, or the listener at the next event.
func playScript(t *testing.T, script []byte) {
	t.Helper()
	s := &scripted{
		scene: &scene{world: newWorld()}, turn: make(chan struct{}, 1), leaving: make(chan struct{}, 1), watched: make(chan pegboard.Event, 1000),
		second: make(chan byte, len(script)), next: make(chan func(), len(script)),
	}
	s.session = s.world.session(t)
	s.then = func(what string) {
		if what == "finish" {
			s.stream.Finish(pegboard.FinishStop)
		} else {
			s.session.Interrupt(pegboard.ErrUserInterrupt)
		}
	}
	var turn context.Context
	turn, s.cancel = context.WithCancelCause(t.Context())
	defer s.cancel(nil)
	go s.watch()
	ex := executor(pegboard.Executor{MaxParallel: 3, StartWritesEarly: len(script)%2 == 0, OnEvent: s.onScriptedEvent})
	s.stream = ex.Stream(turn, planTools().AssemblePool(s.session, pegboard.PoolConfig{}))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 1000; ; i++ {
			b, more := <-s.second
			if !more {
				return
			}
			s.act(i, b)
		}
	}()
	for i, b := range script {
		switch b >> 6 {
		case 2:
			s.second <- b &^ 128
		case 3:
			s.next <- func() { s.act(2000+i, b) }
		default:
			s.act(i, b)
		}
	}
	close(s.second)
	<-done
	s.turn <- struct{}{}
	for o := range s.stream.Outcomes() {
		s.outs = append(s.outs, o)
	}
	s.ended()
	time.Sleep(2 * longAfter)
	close(s.watched)
	s.checkScript(t)
}

func (s *scripted) onScriptedEvent(e pegboard.Event) {
	s.listen(e)
	s.watched <- e
	select {
	case do := <-s.next:
		do()
	default:
	}
}

// checkScript: the calls were admitted in an order, which is that of the outcomes.
func (s *scripted) checkScript(t *testing.T) {
	t.Helper()
	for _, e := range s.events {
		if e.Kind == pegboard.EventAdmitted {
			s.plan = append(s.plan, planned{id: e.Call.ID})
		}
	}
	s.sure, s.most = len(s.plan), int(s.submitted.Load())
	s.check(t)
	require.NoError(t, s.session.Close(context.Background()))
}

// FuzzStream drives a stream by bytes: every call that was taken gets one outcome,
// in order, whatever the host does in between, on whichever goroutine.
func FuzzStream(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 14, 15})
	f.Add([]byte{0, 0, 16, 0, 20})
	f.Add([]byte{4, 5, 6, 17, 15})
	f.Add([]byte{5, 6, 21, 18, 12, 13})
	f.Add([]byte{10, 11, 128 + 2, 128 + 15, 192 + 19, 1})
	f.Add([]byte{192 + 21, 192 + 21, 192 + 21, 192 + 21, 192 + 21, 192 + 21, 0, 0, 15}) // a slow listener
	f.Add([]byte{8, 9, 192 + 15, 192 + 3, 22, 7, 128 + 20})
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) <= 40 {
			bubble(t, func() string { return fmt.Sprintf("%v", script) }, func(t *testing.T) {
				t.Helper()
				playScript(t, script)
			})
		}
	})
}

// TestScriptedStreams drives streams by random bytes.
func TestScriptedStreams(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(200)) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		script := make([]byte, 1+rnd.IntN(40))
		for i := range script {
			script[i] = byte(rnd.IntN(256))
		}
		bubble(t, func() string { return fmt.Sprintf("seed %d: %v", seed, script) }, func(t *testing.T) {
			t.Helper()
			playScript(t, script)
		})
	}
}

const (
	actionTime = 200 * time.Millisecond // that an action may take
	hookTime   = 50 * time.Millisecond
	askTime    = time.Second
	longAfter  = 10 * time.Minute // after this a deaf action returns, when all others have
)

// world holds the files that the calls of a plan read and write. It notices when two
// calls that conflict run at once.
type world struct {
	mu       sync.Mutex
	files    map[string]string
	serially bool // each call that the model makes is a message of its own
	running  map[string]action
	readers  map[string]func() error // of the deaf calls that only read, the Err of their contexts
	ran      map[string]int          // how often
	hooked   map[string]int          // how often a hook ran after the tool of a call was called
	unhooked map[string]int          // and how often one ran since it was not
	overlaps []string
	inner    map[string][]pegboard.Outcome // of the calls that a call made
	then     func(what string)             // what a result does
}

func newWorld() *world {
	return &world{files: map[string]string{}, running: map[string]action{}, readers: map[string]func() error{}, ran: map[string]int{}, hooked: map[string]int{}, unhooked: map[string]int{}, inner: map[string][]pegboard.Outcome{}}
}

// session returns one whose hooks, rules and person do what the input says.
func (w *world) session(t *testing.T, change ...func(*pegboard.SessionConfig)) *pegboard.Session {
	t.Helper()
	cfg := pegboard.SessionConfig{
		Permissions: rules(t, policy.ModeBypass, policy.RuleSet{Deny: []string{"WebFetch(domain:deny.test)"}, Ask: []string{"WebFetch(domain:ask.test)"}}),
		Breaker:     pegboard.BreakerLimits{Repeats: -1, Denials: -1},
		Hooks: pegboard.JoinHooks(
			pegboard.Hooks{Post: w.count(w.hooked), PostFailure: w.count(w.hooked), NotRun: w.count(w.unhooked)},
			pegboard.Hooks{Pre: preAsPlanned, Post: postAsPlanned, PostFailure: postAsPlanned, NotRun: postAsPlanned, Timeout: hookTime},
			pegboard.Hooks{Post: blockAsPlanned, PostFailure: blockAsPlanned, NotRun: blockAsPlanned, OnFailure: pegboard.FailBlock},
		),
		Ask: askAsPlanned, AskTimeout: askTime,
	}
	for _, f := range change {
		f(&cfg)
	}
	s, err := pegboard.NewSession(cfg)
	require.NoError(t, err)
	worldOf.Set(s, w)
	return s
}

// count returns a hook that counts its calls in counts.
func (w *world) count(counts map[string]int) func(ctx, *pegboard.HookCall) error {
	return func(_ ctx, h *pegboard.HookCall) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		counts[h.Call.ID]++
		return nil
	}
}

// actionOf reads what was planned for a call.
func actionOf(c *pegboard.Call) (p action) {
	_ = json.Unmarshal(c.Input, &p) // an input that cannot be read plans nothing
	return p
}

func preAsPlanned(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
	switch actionOf(h.Call).Pre {
	case "deny":
		return policy.Decision{Behavior: policy.Deny, Reason: "as planned"}, nil
	case "ask":
		return policy.Decision{Behavior: policy.Ask, Reason: "as planned"}, nil
	case "error":
		return policy.Decision{}, errPlanned
	case "panic":
		panic("as planned")
	case "late":
		time.Sleep(20 * hookTime)
		h.Emit("late")
		return policy.Decision{Behavior: policy.Deny}, nil
	}
	return policy.Decision{}, nil
}

func postAsPlanned(_ ctx, h *pegboard.HookCall) error {
	switch actionOf(h.Call).Post {
	case "replace":
		if !h.Outcome.Result.IsError {
			h.Outcome.Result = pegboard.TextResult("replaced")
		}
	case "error":
		return errPlanned
	case "panic":
		panic("as planned")
	case "late":
		time.Sleep(20 * hookTime)
		h.Emit("late")
		h.Outcome.Result = pegboard.TextResult("late")
	}
	return nil
}

func blockAsPlanned(_ ctx, h *pegboard.HookCall) error {
	if actionOf(h.Call).Post == "block" {
		return errPlanned
	}
	return nil
}

func askAsPlanned(ctx ctx, q *pegboard.Question) (policy.Decision, error) {
	switch actionOf(q.Call).Person {
	case "yes":
		return policy.Decision{Behavior: policy.Allow}, nil
	case "no":
		return policy.Decision{Behavior: policy.Deny}, nil
	}
	return pegboard.AskLater(ctx, q)
}

// worldOf is the world of a session. The tools of all plans are the same.
var worldOf = pegboard.NewKey[*world]("world")

// planTools are the tools whose calls make up a plan, and planToolsEach are those whose calls
// are never the same.
var (
	planTools     = sync.OnceValue(func() *pegboard.Registry { return newPlanTools(pegboard.SameInput[action]) })
	planToolsEach = sync.OnceValue(func() *pegboard.Registry { return newPlanTools(nil) })
)

func newPlanTools(same func(a, b action) bool) *pegboard.Registry {
	var reg pegboard.Registry
	for name, i := range map[string]pegboard.Interrupt{"Do": pegboard.InterruptBlock, "DoOrStop": pegboard.InterruptCancel, "DoOrLeave": pegboard.InterruptDetach} {
		err := reg.Add(planTool(pegboard.Info{Name: name, Interrupt: i, Timeout: actionTime, CancelsSiblings: i == pegboard.InterruptCancel}, same))
		if err != nil {
			panic(err)
		}
	}
	if err := reg.Add(planTool(pegboard.Info{Name: "Script"}, same)); err != nil {
		panic(err)
	}
	return &reg
}

func planTool(info pegboard.Info, same func(a, b action) bool) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[action, *pegboard.Result]{
		Info: info, Description: "Does one step of a plan.", Equivalent: same,
		Inspect: func(p action, _ *pegboard.Call) pegboard.Traits {
			tr := pegboard.Traits{Concurrency: pegboard.Exclusive + pegboard.Concurrency(p.Class), ReadOnly: p.Look}
			for _, r := range p.Reads {
				tr.Targets = append(tr.Targets, policy.Target{Kind: policy.Resource, Access: policy.Read, Value: r, Tree: p.Tree})
			}
			for _, x := range p.Writes {
				tr.Targets = append(tr.Targets, policy.Target{Kind: policy.Resource, Value: x, Tree: p.Tree})
			}
			if p.Rule != "" {
				tr.Targets = append(tr.Targets, policy.Target{Kind: policy.Host, Access: policy.Read, Value: p.Rule + ".test"})
			}
			return tr
		},
		Validate: func(_ ctx, p action, _ *pegboard.Call) error {
			if p.Valid == "no" {
				return errPlanned
			}
			return nil
		},
		Call: func(ctx ctx, p action, c *pegboard.Call) (*pegboard.Result, error) {
			w, _ := worldOf.Get(c.Session())
			return w.call(ctx, p, c)
		},
	})
}

// messageOf returns what the calls of one message have in common.
func (w *world) messageOf(id string) string {
	outer := strings.LastIndex(id, ".")
	if outer < 0 && !w.serially {
		return ""
	} else if outer < 0 {
		return id
	}
	return id[:outer] + "."
}

// enter notes that a call begins, and returns what it reads.
func (w *world) enter(p action, c *pegboard.Call) (saw string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, q := range w.running {
		ended := w.readers[id]
		givenUp := ended != nil && ended() != nil // and has given back its keys
		conflict := p.meets(q) || w.messageOf(c.ID) == w.messageOf(id) && p.conflicts(q)
		if conflict && !givenUp && !strings.HasPrefix(c.ID, id+".") {
			w.overlaps = append(w.overlaps, id+" and "+c.ID)
		}
	}
	w.running[c.ID] = p
	w.ran[c.ID]++
	for _, r := range p.Reads {
		saw += w.files[r] + ";"
	}
	return saw
}

func (w *world) leave(p action, c *pegboard.Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.running, c.ID)
	for _, x := range p.Writes {
		w.files[x] += c.ID
	}
}

func (w *world) call(ctx context.Context, p action, c *pegboard.Call) (*pegboard.Result, error) {
	saw := w.enter(p, c)
	defer w.leave(p, c)
	if len(p.Inner) > 0 {
		return w.script(ctx, c)
	}
	patience, takes := ctx.Done(), time.Duration(p.Ms)*time.Millisecond
	switch p.Ends {
	case "deaf":
		patience, takes = nil, longAfter
		if p.Look {
			w.mu.Lock()
			w.readers[c.ID] = ctx.Err
			w.mu.Unlock()
		}
	case "hang":
		takes = longAfter
	}
	select {
	case <-time.After(takes):
	case <-patience:
		return pegboard.TextResult(saw), context.Cause(ctx)
	}
	r := pegboard.TextResult(saw)
	if p.Then != "" {
		r.UpdateSession = func(*pegboard.Session) { w.then(p.Then) }
	}
	switch p.Ends {
	case "error":
		return nil, errPlanned
	case "panic":
		panic("as planned")
	case "goexit":
		runtime.Goexit()
	case "deaf":
		c.Emit("back")
	case "flagged":
		r.IsError = true
	case "":
		if saw == "" {
			r.Parts[0].Text = "nothing"
		}
	}
	return r, nil
}

// script makes the calls that were planned.
func (w *world) script(ctx context.Context, c *pegboard.Call) (*pegboard.Result, error) {
	outs := c.Run(ctx, planned{action: actionOf(c), id: c.ID}.inner().calls()...)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inner[c.ID] = outs
	return pegboard.TextResult("played"), nil
}

// manner is how a plan is played.
type manner struct {
	name     string
	serially bool // one call after the other
	far      bool // each call is sent away as id, name and bytes
	streams  bool // while the model still writes
	gathers  bool // the calls are handed in one by one
	siblings bool // a failure may cancel the calls beside it
	each     bool // no call is the same as another
}

// scene is a plan that is played.
type scene struct {
	*world
	plan    plan
	how     manner
	session *pegboard.Session
	stream  *pegboard.Stream
	cancel  context.CancelCauseFunc

	telling  sync.Mutex
	events   []pegboard.Event
	onEvent  func(n int) // is told how many there were
	over     bool        // there should be no more
	toolate  []string    // but there were
	finished atomic.Bool // Finish was called
	missed   bool        // the cut came too late

	begin    time.Time
	outs     []pegboard.Outcome
	handedIn []pegboard.Outcome // as the framework gets them
	sure     int                // calls that must have an outcome
	most     int                // and all that may have one
	unending []string
}

// play plays a plan in a world of its own, until detached calls have returned.
func play(t *testing.T, p plan, limit int, how manner, onEvent func(s *scene, n int)) *scene {
	t.Helper()
	s := &scene{world: newWorld(), plan: p, how: how, begin: time.Now()}
	s.serially = how.serially
	if onEvent != nil {
		s.onEvent = func(n int) { onEvent(s, n) }
	}
	s.session = s.world.session(t)
	tools := planTools()
	if how.each {
		tools = planToolsEach()
	}
	pool := tools.AssemblePool(s.session, pegboard.PoolConfig{})
	var turn context.Context
	turn, s.cancel = context.WithCancelCause(t.Context())
	defer s.cancel(nil)
	ex := executor(pegboard.Executor{MaxParallel: limit, OnEvent: s.listen, CancelSiblings: how.siblings, Repair: pegboard.Repair{Syntax: true, Func: s.remember}})
	if how.far {
		ex.Invoke = farInvoke(pool)
	}
	s.sure, s.most = len(p), len(p)
	switch {
	case how.streams:
		s.playStream(turn, ex, pool)
	case how.gathers:
		s.playGathering(turn, ex, pool)
		for i, o := range s.outs {
			require.Equal(t, o.Result.Text(), s.handedIn[i].Result.Text(), o.Call.ID)
		}
	case how.serially:
		for _, c := range p.calls() {
			s.outs = append(s.outs, ex.Run(turn, pool, c)...)
		}
	default:
		s.outs = ex.Run(turn, pool, p.calls()...)
	}
	for _, o := range s.outs {
		require.NotNil(t, o.Call, "an outcome that nobody filled in")
	}
	for id, outs := range s.inner {
		for i, o := range outs {
			require.NotNil(t, o.Call, "the outcome of %s.%d, which nobody filled in", id, i)
		}
	}
	s.ended()
	time.Sleep(2 * longAfter) // detached calls and late hooks end, or the bubble reports it
	s.check(t)
	require.NoError(t, s.session.Close(context.Background()))
	return s
}

func (s *scene) playStream(turn context.Context, ex anywhere, pool *pegboard.Pool) {
	s.sure, s.most = len(s.plan), len(s.plan)
	s.stream = ex.Stream(turn, pool)
	for i, c := range s.plan.calls() {
		s.stream.Submit(c)
		time.Sleep(s.plan[i].gap)
		if s.plan[i].gap%2 == 0 {
			s.outs = append(s.outs, slices.Collect(s.stream.Ready())...)
		}
	}
	s.finish(pegboard.FinishToolCalls)
	s.outs = append(s.outs, slices.Collect(s.stream.Outcomes())...)
}

// playGathering hands in the calls in another order than that of the message.
func (s *scene) playGathering(turn context.Context, ex anywhere, pool *pegboard.Pool) {
	g := ex.Gather(context.WithoutCancel(turn), pool, s.plan.calls()...)
	s.handedIn = make([]pegboard.Outcome, len(s.plan))
	var all sync.WaitGroup
	for i, c := range s.plan.calls() {
		all.Go(func() {
			time.Sleep(s.plan[i].gap * time.Duration(i%3))
			s.handedIn[i] = ex.Run(turn, pool, c)[0]
		})
	}
	all.Wait()
	s.outs = g.End()
}

// finish ends the message unless it has ended, and reports whether it did.
func (s *scene) finish(why pegboard.FinishReason) bool {
	if !s.finished.CompareAndSwap(false, true) {
		return false
	}
	s.stream.Finish(why)
	return true
}

// remember is the host's repair: it knows what the model meant.
func (s *scene) remember(_ ctx, _ pegboard.Tool, c *pegboard.Call, _ error) json.RawMessage {
	for _, p := range s.plan {
		if p.id == c.ID && p.spelling == "lost" {
			return json.RawMessage(p.input())
		}
	}
	return nil
}

// listen notes an event.
func (s *scene) listen(e pegboard.Event) {
	s.telling.Lock()
	s.events = append(s.events, e)
	if s.over && e.Call.Parent() == nil {
		s.toolate = append(s.toolate, e.Call.ID+" "+e.Kind.String())
	}
	n := len(s.events)
	s.telling.Unlock()
	if s.onEvent != nil {
		s.onEvent(n)
	}
}

// ended notes what goes on although there are all outcomes.
func (s *scene) ended() {
	s.telling.Lock()
	s.over = true
	s.telling.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	detached := map[string]bool{}
	note := func(outs []pegboard.Outcome) {
		for _, o := range outs {
			detached[o.Call.ID] = detached[o.Call.ID] || errors.Is(o.Err, pegboard.ErrDetached)
		}
	}
	note(s.outs)
	for _, outs := range s.inner {
		note(outs)
	}
	for id := range s.running {
		if outer, _, _ := strings.Cut(id, "."); !detached[id] && !detached[outer] {
			s.unending = append(s.unending, id)
		}
	}
}

// check compares what holds for every plan, however it was played and ended.
func (s *scene) check(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.telling.Lock()
	defer s.telling.Unlock()
	require.Empty(t, s.unending, "calls that have an outcome and neither returned nor were detached")
	require.Empty(t, s.overlaps, "calls that conflict ran at once")
	require.Empty(t, s.running)
	require.Empty(t, s.session.Detached())
	require.Empty(t, s.toolate, "events after the end")
	require.GreaterOrEqual(t, len(s.outs), s.sure, "calls without an outcome")
	require.LessOrEqual(t, len(s.outs), s.most)
	for i, o := range s.outs {
		require.NotNil(t, o.Result)
		if i < len(s.plan) { // of a script, those that were admitted
			require.Equal(t, s.plan[i].id, o.Call.ID, "outcomes stand in the order of the calls")
		}
	}
	var admitted []string
	for _, e := range s.events {
		if e.Kind == pegboard.EventAdmitted && e.Call.Parent() == nil {
			admitted = append(admitted, e.Call.ID)
		}
	}
	require.LessOrEqual(t, len(admitted), len(s.outs))
	for _, o := range s.outs[len(admitted):] { // submitted when Abandon had returned or the session was closed: there are no more events
		require.True(t, errors.Is(o.Err, pegboard.ErrAbandoned) || errors.Is(o.Err, pegboard.ErrClosed) || errors.Is(o.Err, pegboard.ErrDuplicate), "%s has no event: %v", o.Call.ID, o.Err)
	}
	for i, id := range admitted {
		require.Equal(t, s.plan[i].id, id, "calls are admitted in their order")
	}
	s.checkEvents(t)
}

// checkEvents checks the story of each call.
func (s *scene) checkEvents(t *testing.T) {
	t.Helper()
	stories := map[string][]pegboard.EventKind{}
	for _, e := range s.events {
		stories[e.Call.ID] = append(stories[e.Call.ID], e.Kind)
	}
	for id, story := range stories {
		count := map[pegboard.EventKind]int{}
		for _, kind := range story {
			count[kind]++
		}
		require.Equal(t, pegboard.EventAdmitted, story[0], "%s: %v", id, story)
		require.Equal(t, count[pegboard.EventFinished], s.hooked[id]+s.unhooked[id], "one hook runs after each call %s: %v", id, story)
		require.Equal(t, count[pegboard.EventStarted], s.hooked[id], "%s: %v", id, story)
		if twins := count[pegboard.EventAdmitted]; twins > 1 {
			require.Equal(t, twins, count[pegboard.EventFinished], "%s: %v", id, story)
			continue
		}
		require.Equal(t, pegboard.EventFinished, story[len(story)-1], "%s: %v", id, story)
		require.Equal(t, 1, count[pegboard.EventFinished], "%s: %v", id, story)
		require.Equal(t, s.ran[id], count[pegboard.EventStarted], "%s: %v", id, story)
		require.LessOrEqual(t, s.ran[id], 1, "%s: %v", id, story)
		require.LessOrEqual(t, count[pegboard.EventStarted], count[pegboard.EventDecided], "%s: %v", id, story)
		require.Equal(t, count[pegboard.EventAsked], count[pegboard.EventSettled], "%s: %v", id, story)
	}
}

// errPlanned is the error of whatever is to fail in a plan.
var errPlanned = errors.New("as planned")

// expected is how a call of a plan ends when nothing disturbs it.
type expected struct {
	stage pegboard.Stage // where it failed; empty if it did not
	is    []error        // what its error wraps
	says  string         // what it tells the model, if it succeeds
	fails bool           // its result describes a failure
	inner []expected     // of the calls that it made
	same  string         // the id of the call whose outcome it has, too

	repaired bool // its input was repaired
}

func failed(stage pegboard.Stage, is ...error) expected {
	return expected{stage: stage, is: is, fails: true}
}

// foresee returns how each call of a plan ends when nothing disturbs it. Each: every call
// runs for itself.
func foresee(p plan, each bool) []expected {
	ref := reference{files: map[string]string{}, each: each}
	return ref.message(p, false)
}

// reference takes the calls of a plan one after the other. It is written after the
// documentation and shares no code with the executor.
type reference struct {
	files map[string]string // what calls have written
	left  []kept            // calls that go on in the background, and keep their keys
	each  bool              // each call of the plan is a message of its own
	last  int               // number of messages so far
}

// kept is a call that goes on in the background.
type kept struct {
	action
	message int
}

// holds says where a call of a message fails that needs what k holds, or nothing: if it knows k in
// the order of its message, before it is decided.
func (k kept) holds(c action, message int) pegboard.Stage {
	switch {
	case k.message == message && k.conflicts(c), k.message < message && k.Class == 0:
		return pegboard.StageTargets
	case k.meets(c):
		return pegboard.StageLimits
	}
	return ""
}

// heldAt returns the first stage at which c fails for what others hold, or nothing.
func (r *reference) heldAt(c planned, message int) (at pegboard.Stage) {
	for _, k := range r.left {
		if stage := k.holds(c.action, message); at == "" || stage == pegboard.StageTargets {
			at = stage
		}
	}
	return at
}

// message takes the calls of a message, or those of a script.
func (r *reference) message(calls []planned, script bool) (foreseen []expected) {
	ids := map[string]bool{}
	twin := false // the call before has the id of another
	r.last++
	message := r.last
	for i, c := range calls {
		if r.each && !script {
			r.last++
			message = r.last
		}
		if ids[c.id] {
			foreseen, twin = append(foreseen, failed(pegboard.StageAdmit, pegboard.ErrDuplicate)), true
			continue
		}
		ids[c.id] = true
		var f expected
		if before := c.before(calls[:i]); before != nil && !twin && !script && !r.each && !r.unreachable(c, message).fails {
			f = foreseen[i-1].again(before.id, c)
		} else {
			f = r.call(c, message)
		}
		twin = false
		f.repaired = c.tool != "Nothing" && c.Look && (c.spelling == "fenced" || c.spelling == "lost")
		foreseen = append(foreseen, f)
	}
	return foreseen
}

// before returns the last of calls if c is the same call, and is answered by it.
func (p planned) before(calls []planned) *planned {
	if len(calls) == 0 || !p.Look || p.spelling != "" || p.Rule == "deny" {
		return nil
	}
	last := calls[len(calls)-1]
	if last.tool != p.tool || last.spelling != "" || last.input() != p.input() {
		return nil
	}
	return &last
}

// again returns how c ends if the call before it, whose id is before, is the same and has
// ended as f.
func (f expected) again(before string, c planned) expected {
	if f.same == "" {
		f.same = before
	}
	if !f.fails && c.Post != "replace" {
		f.says = c.tool + " was not run again: a call before it in this message (" + f.same + ") is the same. The result of that call holds for both."
	}
	return f
}

func (r *reference) call(c planned, message int) expected {
	if refused := r.refuse(c, message); refused.fails {
		return refused
	}
	if r.heldAt(c, message) != "" {
		return failed(pegboard.StageLimits, pegboard.ErrDetached)
	}
	f := r.work(c, message)
	switch {
	case c.Post == "block" && f.stage == "":
		return failed(pegboard.StageResult, errPlanned)
	case c.Post == "block" && c.Ends == "deaf": // the outcome says that the call goes on
		return failed(f.stage, errPlanned, pegboard.ErrDetached)
	case c.Post == "block":
		return failed(f.stage, errPlanned)
	case c.Post == "replace" && !f.fails:
		f.says = "replaced"
	}
	return f
}

// unreachable says why a call does not get to a decision, or nothing.
func (r *reference) unreachable(c planned, message int) expected {
	switch {
	case c.tool == "Nothing":
		return failed(pegboard.StageLookup, pegboard.ErrUnknownTool)
	case c.spelling == "cut", c.spelling != "" && !c.Look: // only read-only calls run on a repaired input
		return failed(pegboard.StageDecode, pegboard.ErrInvalidInput)
	}
	if r.heldAt(c, message) == pegboard.StageTargets {
		return failed(pegboard.StageTargets, pegboard.ErrDetached)
	}
	return expected{}
}

// refuse says why a call does not run, or nothing.
func (r *reference) refuse(c planned, message int) expected {
	if refused := r.unreachable(c, message); refused.fails {
		return refused
	}
	switch {
	case c.Valid == "no":
		return failed(pegboard.StageValidate, pegboard.ErrInvalidInput, errPlanned)
	case c.Pre == "error":
		return failed(pegboard.StageHook, pegboard.ErrDenied, errPlanned)
	case c.Pre == "panic":
		return failed(pegboard.StageHook, pegboard.ErrDenied, pegboard.ErrPanic)
	case c.Pre == "late":
		return failed(pegboard.StageHook, pegboard.ErrDenied, pegboard.ErrTimeout)
	case c.Pre == "deny", c.Rule == "deny":
		return failed(pegboard.StagePermission, pegboard.ErrDenied)
	case c.Pre != "ask" && c.Rule != "ask", c.Person == "yes":
		return expected{}
	case c.Person == "no":
		return failed(pegboard.StagePermission, pegboard.ErrDenied)
	}
	return failed(pegboard.StagePermission, pegboard.ErrDenied, pegboard.ErrExpired)
}

// work does what the tool does.
func (r *reference) work(c planned, message int) expected {
	if c.tool == "Script" {
		return expected{says: "played", inner: r.message(c.inner(), true)}
	}
	f := expected{}
	for _, x := range c.Reads {
		f.says += r.files[x] + ";"
	}
	if c.Ends == "deaf" { // it writes when it returns
		if !c.Look { // what only reads guards nothing
			r.left = append(r.left, kept{c.action, message})
		}
		return failed(pegboard.StageCall, pegboard.ErrDetached, pegboard.ErrTimeout)
	}
	for _, x := range c.Writes {
		r.files[x] += c.id
	}
	switch c.Ends {
	case "error":
		return failed(pegboard.StageCall, errPlanned)
	case "panic", "goexit":
		return failed(pegboard.StageCall, pegboard.ErrPanic)
	case "hang":
		return failed(pegboard.StageCall, pegboard.ErrTimeout)
	case "flagged":
		f.fails = true
	case "":
		if f.says == "" {
			f.says = "nothing"
		}
	}
	return f
}

// check holds an outcome against what was foreseen.
func (f expected) check(t *testing.T, o pegboard.Outcome, what func() string) {
	t.Helper()
	require.Equal(t, f.fails, o.Result.IsError, "%s: %v, %s\n%s", o.Call.ID, o.Err, o.Result.Text(), what())
	require.Equal(t, f.repaired, len(o.Repairs) > 0, "%s: %v\n%s", o.Call.ID, o.Repairs, what())
	if f.stage == "" {
		require.NoError(t, o.Err, "%s\n%s", o.Call.ID, what())
	} else {
		var ce *pegboard.CallError
		require.ErrorAs(t, o.Err, &ce, "%s\n%s", o.Call.ID, what())
		require.Equal(t, f.stage, ce.Stage, "%s: %v\n%s", o.Call.ID, o.Err, what())
	}
	same := ""
	if o.SameAs != nil {
		same = o.SameAs.ID
	}
	require.Equal(t, f.same, same, "%s\n%s", o.Call.ID, what())
	for _, err := range f.is {
		require.ErrorIs(t, o.Err, err, "%s\n%s", o.Call.ID, what())
	}
	if !f.fails {
		require.Equal(t, f.says, o.Result.Text(), "%s\n%s", o.Call.ID, what())
	}
}
