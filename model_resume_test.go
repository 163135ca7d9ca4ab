package pegboard_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

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
var remembering = [][]pegboard.PermissionUpdate{
	nil,
	{{Type: pegboard.UpdateAddRules, Behavior: pegboard.Deny, Destination: pegboard.SourceSession, Rules: askedRules}},
	{{Type: pegboard.UpdateRemoveRules, Behavior: pegboard.Ask, Rules: askedRules}},
}

var askedRules = []pegboard.PermissionUpdateRule{{Tool: "WebFetch", Pattern: "domain:ask.test"}}

// A memory has the updates that the host was told to keep, for the permissions of later days.
type memory struct {
	mu   sync.Mutex
	kept []pegboard.PermissionUpdate
}

func (m *memory) onRemember(_ ctx, updates []pegboard.PermissionUpdate) error {
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
func (c *calendar) permissions(t *testing.T, day int, m *memory) pegboard.Permissions {
	t.Helper()
	set := pegboard.RuleSet{Deny: []string{"WebFetch(domain:deny.test)"}}
	switch c.rules[day] {
	case "deny":
		set.Deny = append(set.Deny, "WebFetch(domain:ask.test)")
	case "":
		set.Ask = []string{"WebFetch(domain:ask.test)"}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := rules(t, pegboard.ModeBypass, set).Apply(m.kept...)
	require.NoError(t, err)
	return p
}

// answer returns what the user says about a call.
func (c *calendar) answer(id string, input []byte) pegboard.Decision {
	var p action
	if err := json.Unmarshal(input, &p); err != nil {
		panic(err)
	}
	if p.Person == "no" {
		return pegboard.Decision{Behavior: pegboard.Deny, Reason: "as planned", Remember: remembering[c.remember[id]]}
	}
	return pegboard.Decision{Behavior: pegboard.Allow, Remember: remembering[c.remember[id]]}
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
func (a *agency) process(day int, answers map[string]pegboard.Decision) (outs []pegboard.Outcome) {
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
		answers := map[string]pegboard.Decision{}
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
