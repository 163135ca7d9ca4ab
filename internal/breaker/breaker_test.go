package breaker_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/breaker"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// step is one call: a tool and its input, how it ended and with which result.
type step struct {
	tool    string
	input   string
	outcome breaker.Outcome
	result  string
	allowed bool // a person let it run
	newTurn bool // the user spoke before it

	ask  string // a part of why a person should be asked; "" for no question
	stop string // a part of why the turn should end; "" for no end
}

func read(ask string) step {
	return step{tool: "Read", input: `{"path":"a"}`, outcome: breaker.Succeeded, result: "text", ask: ask}
}

func failing(ask string, input int) step {
	return step{tool: "Bash", input: fmt.Sprint(input), outcome: breaker.Failed, result: "exit 1", ask: ask}
}

func denied(stop string, input int) step {
	return step{tool: "Edit", input: fmt.Sprint(input), outcome: breaker.Denied, stop: stop}
}

func poll(result, ask string) step {
	return step{tool: "Poll", input: `{}`, outcome: breaker.Succeeded, result: result, ask: ask}
}

func (s step) with(change func(*step)) step {
	change(&s)
	return s
}

func TestBreaker(t *testing.T) {
	t.Parallel()
	const (
		third  = `"Read" is called 3 times in a row with the same input`
		fourth = `"Read" is called 4 times in a row with the same input`
		failed = `"Bash" failed 3 times in a row`
		polled = `"Poll" is called 3 times in a row`
		ends   = `Calls were denied 3 times in a row`
	)
	list := step{tool: "List", input: `{"n":1}`, outcome: breaker.Succeeded, result: "a b"}
	notRun := func(s *step) { s.outcome = breaker.NotRun }
	succeeded := func(s *step) { s.outcome = breaker.Succeeded }
	invalid := func(s *step) { s.outcome = breaker.Invalid }
	allowed := func(s *step) { s.allowed = true }
	newTurn := func(s *step) { s.newTurn = true }
	tests := []struct {
		name   string
		limits breaker.Limits
		exempt string
		steps  []step
	}{
		{name: "third identical call", steps: []step{read(""), read(""), read(third), read(fourth)}},
		{name: "another call between", steps: []step{read(""), read(""), list, read(""), read(""), read(third)}},
		{name: "another input", steps: []step{read(""), read(""), read("").with(func(s *step) { s.input = `{"path":"b"}` }), read("")}},
		{name: "another tool with the same input", steps: []step{read(""), read(""), read("").with(func(s *step) { s.tool = "Glob" }), read("")}},
		{name: "key order, space and escapes", steps: []step{
			{tool: "T", input: `{"a":1,"b":[2]}`}, {tool: "T", input: ` {"b" : [2], "a":1}`}, {tool: "T", input: `{"\u0061":1,"b":[2]}`, ask: "3 times"},
		}},
		{name: "escapes that say other things", steps: []step{{tool: "T", input: `"\u0061"`}, {tool: "T", input: `"\u0062"`}, {tool: "T", input: `"\u0061"`}}},
		{name: "space around a long input", steps: []step{
			{tool: "T", input: `[1,2]`}, {tool: "T", input: `[1,2]` + strings.Repeat(" ", 1<<20)}, {tool: "T", input: `[1, 2]`, ask: "3 times"},
		}},
		{name: "long inputs", steps: []step{
			{tool: "T", input: long("1", "2")}, {tool: "T", input: long("2", "1")}, {tool: "T", input: long("1", "2")}, {tool: "T", input: long("1", "2")},
			{tool: "T", input: " " + long("1", "2"), ask: "3 times"},
		}},
		{name: "order in lists", steps: []step{{tool: "T", input: `[1,2]`}, {tool: "T", input: `[2,1]`}, {tool: "T", input: `[1,2]`}}},
		{name: "no input", steps: []step{{tool: "T", input: ``}, {tool: "T", input: ` `}, {tool: "T", input: `{}`, ask: "3 times"}}},
		{name: "not JSON", steps: []step{{tool: "T", input: `{`}, {tool: "T", input: `{`}, {tool: "T", input: `{`, ask: "3 times"}}},
		{name: "not JSON, and not the same", steps: []step{{tool: "T", input: `{`}, {tool: "T", input: `{ `}, {tool: "T", input: `{`}}},
		{name: "a call that is not run counts", steps: []step{read(""), read("").with(notRun), read(third)}},
		{name: "allowed", steps: []step{read(""), read(""), read(third).with(allowed), read(""), read(""), read(third)}},
		{name: "another tool allowed", steps: []step{read(""), list.with(allowed), read(""), list, read(""), list, read(""), list.with(func(s *step) { s.ask = "take turns 3 times" })}},
		{name: "new turn", steps: []step{read(""), read(""), read("").with(newTurn), read(""), read(third)}},
		{name: "repeats off", limits: breaker.Limits{Repeats: -1}, steps: []step{read(""), read(""), read(""), read(""), read(""), read(""), read("")}},
		{name: "repeats at two", limits: breaker.Limits{Repeats: 2}, steps: []step{read(""), read("2 times")}},
		{name: "repeated without an answer", steps: []step{
			read(""), read(""), read("3"), read("4"), read("5"), read("6").with(func(s *step) { s.stop = `"Read" is called again and again` }),
		}},
		{name: "invalid again and again", limits: breaker.Limits{Errors: -1}, steps: []step{
			read("").with(invalid), read("").with(invalid), read("3").with(invalid), read("4").with(invalid), read("5").with(invalid),
			read("6").with(invalid).with(func(s *step) { s.stop = "again and again" }),
		}},

		{name: "two that take turns", steps: []step{
			read(""), list, read(""), list, read(""), list.with(func(s *step) { s.ask = `"Read" and "List" take turns 3 times in a row` }),
			read(`"List" and "Read" take turns 3 times`), list.with(func(s *step) { s.ask = `take turns 4 times` }),
		}},
		{name: "a third between two that take turns", steps: []step{read(""), list, read(""), list, poll("", ""), read(""), list, read(""), list}},
		{name: "news from one of two that take turns", steps: []step{read(""), list, read(""), list, read("").with(func(s *step) { s.result = "new" }), list, read("").with(func(s *step) { s.result = "new" }), list}},
		{name: "twice each is no turn", steps: []step{read(""), read(""), list, list, read(""), read(""), list, list}},

		{name: "result that changes", steps: []step{poll("1", ""), poll("2", ""), poll("3", ""), poll("4", ""), poll("5", "")}},
		{name: "result that stops changing", steps: []step{poll("1", ""), poll("2", ""), poll("2", ""), poll("2", polled)}},
		{name: "the text of a denial is no result", steps: []step{
			poll("1", ""), poll("2", "").with(func(s *step) { s.outcome = breaker.Denied }), poll("1", polled),
		}},
		{name: "the text for invalid input is no result", steps: []step{poll("1", ""), poll("2", "").with(invalid), poll("1", polled)}},
		{name: "errors that change", limits: breaker.Limits{Errors: -1}, steps: []step{
			poll("1", "").with(func(s *step) { s.outcome = breaker.Failed }), poll("2", "").with(func(s *step) { s.outcome = breaker.Failed }), poll("3", ""), poll("4", ""),
		}},
		{name: "exempt", exempt: "Poll", steps: []step{poll("", ""), poll("", ""), poll("", ""), poll("", ""), poll("", ""), poll("", ""), poll("", "")}},
		{name: "exempt in a new turn", exempt: "Poll", steps: []step{poll("", ""), poll("", "").with(newTurn), poll("", ""), poll("", ""), poll("", "")}},
		{name: "exempt between", exempt: "Poll", steps: []step{read(""), poll("", ""), read(""), poll("", ""), read(""), poll("", ""), read("")}},
		{name: "errors of an exempt tool", exempt: "Bash", steps: []step{failing("", 1), failing("", 1), failing("", 1), failing(failed, 1)}},

		{name: "three errors", steps: []step{failing("", 1), failing("", 2), failing("", 3), failing(failed, 4), failing("failed 4 times", 5)}},
		{name: "errors of other tools", steps: []step{failing("", 1), failing("", 2), read("").with(func(s *step) { s.outcome = breaker.Failed }), failing("", 3), read(""), failing(failed, 4)}},
		{name: "success between", steps: []step{failing("", 1), failing("", 2), failing("", 3).with(succeeded), failing("", 4), failing("", 5), failing("", 6), failing(failed, 7)}},
		{name: "invalid input is an error", steps: []step{failing("", 1).with(invalid), failing("", 2), failing("", 3).with(invalid), failing(failed, 4)}},
		{name: "not run is no error", steps: []step{failing("", 1), failing("", 2), failing("", 3).with(notRun), failing("", 4), failing(failed, 5)}},
		{name: "a denial is no error", steps: []step{failing("", 1), failing("", 2), failing("", 3).with(func(s *step) { s.outcome = breaker.Denied }), failing("", 4), failing(failed, 5)}},
		{name: "failing tool allowed", steps: []step{failing("", 1), failing("", 2), failing("", 3), failing(failed, 4).with(allowed), failing("", 5), failing("", 6), failing(failed, 7)}},
		{name: "errors and a new turn", steps: []step{failing("", 1), failing("", 2), failing("", 3), failing("", 4).with(newTurn)}},
		{name: "errors off", limits: breaker.Limits{Errors: -1}, steps: []step{failing("", 1), failing("", 2), failing("", 3), failing("", 4)}},
		{name: "errors at one", limits: breaker.Limits{Errors: 1}, steps: []step{failing("", 1), failing("failed 1 time in a row", 2)}},

		{name: "three denials", steps: []step{denied("", 1), denied("", 2), denied(ends, 3), denied("denied 4 times in a row", 4)}},
		{name: "denials of several tools", steps: []step{denied("", 1), denied("", 2).with(func(s *step) { s.tool = "Write" }), denied(ends, 3)}},
		{name: "a call that ran between", steps: []step{denied("", 1), denied("", 2), list, denied("", 3), denied("", 4), denied(ends, 5)}},
		{name: "a call that failed between", steps: []step{denied("", 1), denied("", 2), failing("", 1), denied("", 3)}},
		{name: "no way out by invalid calls", steps: []step{denied("", 1), failing("", 1).with(invalid), denied("", 2), failing("", 2).with(notRun), denied(ends, 3)}},
		{name: "denials and a new turn", steps: []step{denied("", 1), denied("", 2), denied("", 3).with(newTurn), denied("", 4), denied(ends, 5)}},
		{name: "denials off", limits: breaker.Limits{Denials: -1}, steps: []step{denied("", 1), denied("", 2), denied("", 3), denied("", 4)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := breaker.New(tt.limits)
			if tt.exempt != "" {
				b.Exempt(tt.exempt)
			}
			for i, s := range tt.steps {
				run(t, b, s, i)
			}
		})
	}
}

// long returns an input that is too long to be kept.
func long(first, last string) string {
	return "[" + first + `,"` + strings.Repeat("x", 1<<16) + `",` + last + "]"
}

func run(t *testing.T, b *breaker.Breaker, s step, number int) {
	t.Helper()
	if s.newTurn {
		b.NewTurn()
	}
	c := breaker.CallOf(s.tool, []byte(s.input))
	ask := b.Before(c)
	requirePart(t, s.ask, ask, "step %d", number)
	if s.allowed {
		b.Allowed(c)
	}
	stop := b.After(c, s.outcome, s.result)
	requirePart(t, s.stop, stop, "step %d", number)
}

func requirePart(t *testing.T, part, whole, format string, args ...any) {
	t.Helper()
	if part == "" {
		require.Empty(t, whole, append([]any{format}, args...)...)
		return
	}
	require.Contains(t, whole, part, append([]any{format}, args...)...)
}

// TestBatch admits the calls of one message before the first of them ends.
func TestBatch(t *testing.T) {
	t.Parallel()
	var b breaker.Breaker // the zero value is ready
	c := breaker.CallOf("Read", []byte(`{}`))
	var asks []bool
	for range 4 {
		asks = append(asks, b.Before(c) != "")
	}
	require.Equal(t, []bool{false, false, true, true}, asks)
	for range 4 {
		require.Empty(t, b.After(c, breaker.Succeeded, "same"))
	}
	require.NotEmpty(t, b.Before(c))
	require.Empty(t, b.After(c, breaker.Succeeded, "new"))
	require.Empty(t, b.Before(c))
}

// TestBatchStops ends the turn for the call that repeats, not for another one
// that was admitted before.
func TestBatchStops(t *testing.T) {
	t.Parallel()
	var b breaker.Breaker
	first, c := breaker.CallOf("List", nil), breaker.CallOf("Read", nil)
	b.Before(first)
	for range 6 {
		b.Before(c)
	}
	require.Empty(t, b.After(first, breaker.Succeeded, "a"))
	require.NotEmpty(t, b.After(c, breaker.Succeeded, "a"))
}

func TestTextsShowLittleOfLongNames(t *testing.T) {
	t.Parallel()
	b := breaker.New(breaker.Limits{Errors: 1, Repeats: 1, Denials: 1})
	c := breaker.CallOf(strings.Repeat("x", 1<<20)+"\n", nil)
	require.Less(t, len(b.Before(c)), 300)
	require.Less(t, len(b.After(c, breaker.Failed, "")), 300)
	require.Less(t, len(b.Before(c)), 300)
	require.Equal(t, c, breaker.CallOf(strings.Repeat("x", 1<<20), nil), "names are cut")
}

// TestMany has more failing tools than are remembered: the last ones are.
func TestMany(t *testing.T) {
	t.Parallel()
	var b breaker.Breaker
	const tools = 1000
	for i := range tools {
		for n := range 3 {
			b.After(breaker.CallOf(fmt.Sprint("tool", i), []byte{byte(n)}), breaker.Invalid, "")
		}
	}
	require.NotEmpty(t, b.Before(breaker.CallOf(fmt.Sprint("tool", tools-1), nil)))
	require.NotEmpty(t, b.Before(breaker.CallOf(fmt.Sprint("tool", tools-60), nil)))
	require.Empty(t, b.Before(breaker.CallOf("tool0", nil)))
}

// TestRandomCalls holds the breaker to its promises, checked against a plain
// list of all calls.
func TestRandomCalls(t *testing.T) {
	t.Parallel()
	type past struct {
		tool    string
		call    breaker.Call
		outcome breaker.Outcome
	}
	asked, stopped := 0, 0
	for seed := range effort.Of(t, uint64(300)) {
		random := rand.New(rand.NewPCG(seed, 1))
		var b breaker.Breaker
		var history []past
		for range 100 {
			if random.IntN(20) == 0 {
				b.NewTurn()
				history = nil
			}
			tool := string(rune('A' + random.IntN(2)))
			c := breaker.CallOf(tool, []byte{'0' + byte(random.IntN(2))})
			errors, denials := 0, 0
			for _, p := range history {
				switch sameTool := p.tool == tool; {
				case sameTool && p.outcome == breaker.Succeeded:
					errors = 0
				case sameTool && (p.outcome == breaker.Failed || p.outcome == breaker.Invalid):
					errors++
				}
				switch p.outcome {
				case breaker.Denied:
					denials++
				case breaker.Succeeded, breaker.Failed:
					denials = 0
				}
			}
			same, turns := 1, 1
			for i := len(history) - 1; i >= 0 && history[i].call == c; i-- {
				same++
			}
			for i := len(history) - 1; i >= 0; i-- {
				want := c
				if (len(history)-i)%2 == 1 {
					want = history[len(history)-1].call
				}
				if history[i].call != want {
					break
				}
				turns++
			}
			ask := b.Before(c)
			require.Equal(t, errors >= 3 || same >= 3 || same == 1 && turns >= 6, ask != "", "errors %d, same %d, turns %d: %s", errors, same, turns, ask)
			o := breaker.Outcome(random.IntN(5))
			stop := b.After(c, o, "same")
			if o == breaker.Denied {
				denials++
			}
			want := o == breaker.Denied && denials >= 3 || o != breaker.NotRun && (same >= 6 || same == 1 && turns/2 >= 6)
			require.Equal(t, want, stop != "", stop)
			history = append(history, past{tool: tool, call: c, outcome: o})
			if ask != "" {
				asked++
			}
			if stop != "" {
				stopped++
			}
		}
	}
	if effort.Full(t) {
		require.NotZero(t, asked)
		require.NotZero(t, stopped)
	}
}

// TestConcurrentUse is for the race detector, and counts what must not depend
// on order.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	var b breaker.Breaker
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			for i := range 200 {
				c := breaker.CallOf("Bash", fmt.Append(nil, i))
				b.Before(c)
				b.After(c, breaker.Failed, "no")
				other := breaker.CallOf(fmt.Sprint("tool", g), nil)
				b.Before(other)
				b.Allowed(other)
				b.Exempt("Poll")
			}
		})
	}
	group.Wait()
	require.Contains(t, b.Before(breaker.CallOf("Bash", nil)), "failed 1600 times")
	b.NewTurn()
	require.Empty(t, b.Before(breaker.CallOf("Bash", nil)))
}

func BenchmarkCall(b *testing.B) {
	var w breaker.Breaker
	input := []byte(`{"path":"/var/log/syslog","limit":200,"recursive":true}`)
	result := strings.Repeat("x", 30_000)
	b.Run("identity", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			breaker.CallOf("Read", input)
		}
	})
	b.Run("windows", func(b *testing.B) {
		b.ReportAllocs()
		c := breaker.CallOf("Read", input)
		for b.Loop() {
			w.NewTurn()
			w.Before(c)
			w.After(c, breaker.Succeeded, result)
		}
	})
}
