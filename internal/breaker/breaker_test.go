package breaker_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/breaker"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
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

func called(input, ask string) step {
	return step{tool: "T", input: input, outcome: breaker.Succeeded, ask: ask}
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
		polled = `"Poll" is called 3 times in a row`
		ends   = `Calls were denied 3 times in a row`
	)
	list := step{tool: "List", input: `{"n":1}`, outcome: breaker.Succeeded, result: "a b"}
	notRun := func(s *step) { s.outcome = breaker.NotRun }
	pending := func(s *step) { s.outcome = breaker.Pending }
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
			called(`{"a":1,"b":[2]}`, ""), called(` {"b" : [2], "a":1}`, ""), called(`{"\u0061":1,"b":[2]}`, "3 times"),
		}},
		{name: "escapes that say other things", steps: []step{called(`"\u0061"`, ""), called(`"\u0062"`, ""), called(`"\u0061"`, "")}},
		{name: "space around a long input", steps: []step{
			called(`[1,2]`, ""), called(`[1,2]`+strings.Repeat(" ", 1<<20), ""), called(`[1, 2]`, "3 times"),
		}},
		{name: "long inputs", steps: []step{
			called(long("1", "2"), ""), called(long("2", "1"), ""), called(long("1", "2"), ""), called(long("1", "2"), ""),
			called(" "+long("1", "2"), "3 times"),
		}},
		{name: "order in lists", steps: []step{called(`[1,2]`, ""), called(`[2,1]`, ""), called(`[1,2]`, "")}},
		{name: "no input", steps: []step{called(``, ""), called(` `, ""), called(`{}`, "3 times")}},
		{name: "not JSON", steps: []step{called(`{`, ""), called(`{`, ""), called(`{`, "3 times")}},
		{name: "not JSON, and not the same", steps: []step{called(`{`, ""), called(`{ `, ""), called(`{`, "")}},
		{name: "a call that is not run does not count", steps: []step{
			read("").with(notRun), read("").with(notRun), read("").with(notRun), read(""), read("").with(notRun), read(""), read(third).with(notRun), read(third),
		}},
		{name: "an exempt call that is not run", exempt: "Poll", steps: []step{read(""), poll("", "").with(notRun), read(""), read(third)}},
		{name: "a call whose result comes later counts", steps: []step{read("").with(pending), read("").with(pending), read(third).with(pending)}},
		{name: "allowed", steps: []step{read(""), read(""), read(third).with(allowed), read(""), read(""), read(third)}},
		{name: "another tool allowed", steps: []step{read(""), list.with(allowed), read(""), list, read(""), list, read(""), list.with(func(s *step) { s.ask = "take turns 3 times" })}},
		{name: "new turn", steps: []step{read(""), read(""), read("").with(newTurn), read(""), read(third)}},
		{name: "repeats off", limits: breaker.Limits{Repeats: -1}, steps: []step{read(""), read(""), read(""), read(""), read(""), read(""), read("")}},
		{name: "repeats at two", limits: breaker.Limits{Repeats: 2}, steps: []step{read(""), read("2 times")}},
		{name: "repeated without an answer", steps: []step{
			read(""), read(""), read("3"), read("4"), read("5"), read("6").with(func(s *step) { s.stop = `"Read" is called again and again` }),
		}},
		{name: "invalid again and again", steps: []step{
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
		{name: "errors that change", steps: []step{
			poll("1", "").with(func(s *step) { s.outcome = breaker.Failed }), poll("2", "").with(func(s *step) { s.outcome = breaker.Failed }), poll("3", ""), poll("4", ""),
		}},
		{name: "exempt", exempt: "Poll", steps: []step{poll("", ""), poll("", ""), poll("", ""), poll("", ""), poll("", ""), poll("", ""), poll("", "")}},
		{name: "exempt in a new turn", exempt: "Poll", steps: []step{poll("", ""), poll("", "").with(newTurn), poll("", ""), poll("", ""), poll("", "")}},
		{name: "exempt between", exempt: "Poll", steps: []step{read(""), poll("", ""), read(""), poll("", ""), read(""), poll("", ""), read("")}},

		{name: "errors do not count by default", steps: []step{failing("", 1), failing("", 2), failing("", 3), failing("", 4), failing("", 5)}},

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
	m := b.Message()
	place, ask := m.Add(breaker.CallOf(s.tool, []byte(s.input)))
	requirePart(t, s.ask, ask, "step %d", number)
	if s.allowed {
		m.Allowed(place)
	}
	stops := m.End(place, s.outcome, s.result)
	m.Close()
	stop := ""
	if len(stops) > 0 {
		stop = stops[0].Text
	}
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

// messageStep is one message: its calls in order, how each ends, and in which order.
type messageStep struct {
	calls     []step
	ends      []int // places; empty for in order
	abandoned bool
}

// TestMessages has messages of several calls.
func TestMessages(t *testing.T) {
	t.Parallel()
	list := step{tool: "List", input: `{"n":1}`, outcome: breaker.Succeeded, result: "a b"}
	asked := func(s step, ask string) step { s.ask = ask; return s }
	changed := func(s step) step { s.result = "new"; return s }
	stopped := func(s step, stop string) step { s.stop = stop; return s }
	notRun := func(s step) step { s.outcome = breaker.NotRun; return s }
	many := func(n int, of step) (all []step) {
		for range n {
			all = append(all, of)
		}
		return all
	}
	numbered := func(n int) (all []step) {
		for i := range n {
			all = append(all, step{tool: "List", input: fmt.Sprint(i), outcome: breaker.Succeeded})
		}
		return all
	}
	const third = `"Read" is called 3 times in a row`
	ok := step{tool: "Glob", input: "{}", outcome: breaker.Succeeded}
	tests := []struct {
		name     string
		limits   breaker.Limits
		messages []messageStep
	}{
		{name: "equal calls of one message", messages: []messageStep{{calls: many(2000, read(""))}, {calls: many(5, read(""))}, {calls: many(2, read(third))}}},
		{name: "the same two calls", messages: []messageStep{
			{calls: []step{read(""), list}}, {calls: []step{list, read("")}}, {calls: []step{read(third), asked(list, `"List" is called 3 times`)}},
		}},
		{name: "one of the two has news", messages: []messageStep{
			{calls: []step{read(""), list}}, {calls: []step{read(""), changed(list)}}, {calls: []step{read(""), list}},
		}},
		{name: "a new call before", messages: []messageStep{{calls: []step{read("")}}, {calls: []step{read("")}}, {calls: []step{list, read("")}}, {calls: []step{read("")}}}},
		{name: "a new call after", messages: []messageStep{{calls: []step{read("")}}, {calls: []step{read("")}}, {calls: []step{read(third), list}}, {calls: []step{read("")}}}},
		{name: "too many calls to compare", messages: []messageStep{{calls: numbered(17)}, {calls: numbered(17)}, {calls: numbered(17)}, {calls: numbered(17)}}},
		{name: "as many calls as are compared", messages: []messageStep{{calls: numbered(16)}, {calls: numbered(16)}, {calls: []step{asked(numbered(16)[3], "3 times")}}}},
		{name: "a part of the calls before", messages: []messageStep{
			{calls: []step{read(""), list}}, {calls: []step{read(""), list}}, {calls: []step{read(third)}}, {calls: []step{read("")}},
		}},

		{name: "a part that was not run", messages: []messageStep{
			{calls: []step{read(""), notRun(list)}}, {calls: []step{read(""), notRun(list)}}, {calls: []step{read(third), list}}, {calls: []step{read("")}},
		}},
		{name: "calls of abandoned messages", messages: []messageStep{
			{calls: []step{read("")}, abandoned: true}, {calls: []step{read("")}, abandoned: true}, {calls: []step{read("")}},
			{calls: []step{read("")}, abandoned: true}, {calls: []step{read("")}}, {calls: []step{read(third)}},
		}},
		{name: "denials of abandoned messages", messages: []messageStep{
			{calls: []step{denied("", 1)}, abandoned: true}, {calls: []step{denied("", 2)}}, {calls: []step{denied("", 3)}, abandoned: true},
			{calls: []step{denied("", 4)}}, {calls: []step{denied("denied 3 times", 5)}},
		}},

		{name: "denials of one message", messages: []messageStep{{calls: many(5, denied("", 1))}, {calls: many(5, denied("", 2))}}},
		{name: "denials of three messages", messages: []messageStep{
			{calls: many(2, denied("", 1))}, {calls: many(2, denied("", 2))}, {calls: []step{denied("denied 3 times", 3), denied("", 4)}},
		}},
		{name: "a success between denials", messages: []messageStep{
			{calls: many(2, denied("", 1))}, {calls: []step{denied("", 2), ok, denied("", 3)}}, {calls: []step{denied("", 4)}}, {calls: []step{denied("denied 3 times", 5)}},
		}},
		{name: "a success that ends after the denials behind it", messages: []messageStep{
			{calls: []step{denied("", 1)}}, {calls: []step{denied("", 1)}}, {calls: []step{ok, denied("", 2), denied("", 3)}, ends: []int{1, 2, 0}},
		}},
		{name: "a denial that ends last", messages: []messageStep{
			{calls: []step{denied("", 1)}}, {calls: []step{denied("", 1)}}, {calls: []step{stopped(denied("", 2), "denied 3 times"), ok}, ends: []int{1, 0}},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := breaker.New(tt.limits)
			for number, message := range tt.messages {
				runMessage(t, b, message, number)
			}
		})
	}
}

func runMessage(t *testing.T, b *breaker.Breaker, message messageStep, number int) {
	t.Helper()
	m := b.Message()
	stops := map[int]string{}
	for i, s := range message.calls {
		place, ask := m.Add(breaker.CallOf(s.tool, []byte(s.input)))
		require.Equal(t, i, place)
		requirePart(t, s.ask, ask, "message %d, call %d", number, i)
		if len(message.ends) == 0 { // as a stream that goes on while calls end
			for _, stop := range m.End(i, s.outcome, s.result) {
				stops[stop.Place] = stop.Text
			}
		}
	}
	for _, i := range message.ends {
		for _, stop := range m.End(i, message.calls[i].outcome, message.calls[i].result) {
			stops[stop.Place] = stop.Text
		}
	}
	if message.abandoned {
		m.Abandon()
	} else {
		m.Close()
	}
	for i, s := range message.calls {
		requirePart(t, s.stop, stops[i], "message %d, call %d", number, i)
	}
}

// TestMessageOfAnEarlierTurn counts nothing once the user has spoken.
func TestMessageOfAnEarlierTurn(t *testing.T) {
	t.Parallel()
	b := breaker.New(breaker.Limits{Denials: 2, Repeats: 2})
	c := breaker.CallOf("Read", nil)
	run(t, b, denied("", 1), 0)
	m := b.Message()
	place, _ := m.Add(c)
	b.NewTurn()
	require.Empty(t, m.End(place, breaker.Denied, ""))
	late, ask := m.Add(c)
	require.Empty(t, ask)
	require.Empty(t, m.End(late, breaker.Failed, ""))
	m.Close()
	next := b.Message()
	_, ask = next.Add(c)
	require.Empty(t, ask)
}

// one makes a message of one call.
func one(b *breaker.Breaker, c breaker.Call, o breaker.Outcome, result string) (ask string, stops []breaker.Stop) {
	m := b.Message()
	place, ask := m.Add(c)
	stops = m.End(place, o, result)
	m.Close()
	return ask, stops
}

func TestTextsShowLittleOfLongNames(t *testing.T) {
	t.Parallel()
	b := breaker.New(breaker.Limits{Repeats: 1, Denials: 1})
	c := breaker.CallOf(strings.Repeat("x", 1<<20)+"\n", nil)
	for _, o := range []breaker.Outcome{breaker.Failed, breaker.Denied} {
		ask, stops := one(b, c, o, "")
		require.Less(t, len(ask), 300)
		for _, stop := range stops {
			require.Less(t, len(stop.Text), 300)
		}
	}
	require.Equal(t, c, breaker.CallOf(strings.Repeat("x", 1<<20), nil), "names are cut")
}

// TestRandomCalls holds the breaker to its promises, checked against a plain
// list of all calls.
func TestRandomCalls(t *testing.T) {
	t.Parallel()
	type past struct {
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
			c := breaker.CallOf(string(rune('A'+random.IntN(2))), []byte{'0' + byte(random.IntN(2))})
			denials := 0
			for _, p := range history {
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
			m := b.Message()
			place, ask := m.Add(c)
			require.Equal(t, same >= 3 || same == 1 && turns >= 6, ask != "", "same %d, turns %d: %s", same, turns, ask)
			o := breaker.Outcome(random.IntN(6))
			stops := m.End(place, o, "same")
			m.Close()
			if o == breaker.Denied {
				denials++
			}
			want := o == breaker.Denied && denials >= 3 || o != breaker.NotRun && o != breaker.Pending && (same >= 6 || same == 1 && turns/2 >= 6)
			require.Equal(t, want, len(stops) > 0, stops)
			if o != breaker.NotRun {
				history = append(history, past{call: c, outcome: o})
			}
			if ask != "" {
				asked++
			}
			if len(stops) > 0 {
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
				one(&b, breaker.CallOf("Bash", fmt.Append(nil, i)), breaker.Denied, "")
				m := b.Message()
				place, _ := m.Add(breaker.CallOf(fmt.Sprint("tool", g), nil))
				m.Allowed(place)
				m.End(place, breaker.Succeeded, "")
				m.Close()
				b.Exempt("Poll")
			}
		})
	}
	group.Wait()
	b.NewTurn()
	for range 2 {
		_, stops := one(&b, breaker.CallOf("Bash", nil), breaker.Denied, "")
		require.Empty(t, stops)
	}
	_, stops := one(&b, breaker.CallOf("Bash", nil), breaker.Denied, "")
	require.Len(t, stops, 1)
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
			one(&w, c, breaker.Succeeded, result)
		}
	})
}

// TestNoFalseAlarmInTranscripts replays real sessions as if the user had said nothing
// after the first message: the breaker never steps in.
func TestNoFalseAlarmInTranscripts(t *testing.T) {
	for _, folder := range corpus.Folders(t) {
		path := filepath.Join(folder, "transcripts", "tool_calls.jsonl")
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			continue
		}
		breakers, messages := map[string]*breaker.Breaker{}, 0
		var m breaker.Message
		var calls []transcribed
		end := func() {
			for i, row := range calls {
				o := breaker.Succeeded
				if row.IsError {
					o = breaker.Failed
				}
				require.Empty(t, m.End(i, o, row.Result), row.ID)
			}
			if len(calls) > 0 {
				m.Close()
				messages++
			}
			calls = nil
		}
		for _, line := range corpus.Lines(t, path) {
			var row transcribed
			require.NoError(t, json.Unmarshal(line, &row))
			if breakers[row.Session] == nil {
				breakers[row.Session] = new(breaker.Breaker)
			}
			if row.Index == 0 {
				end()
				m = breakers[row.Session].Message()
			}
			_, ask := m.Add(breaker.CallOf(row.Tool, row.Input))
			require.Empty(t, ask, row.ID)
			calls = append(calls, row)
		}
		end()
		corpus.Report(t, folder, "%d messages of %d sessions, no alarm", messages, len(breakers))
		require.Positive(t, messages)
	}
}

// transcribed is one call of a real session.
type transcribed struct {
	Session string
	Index   int `json:"index_in_turn"`
	ID      string
	Tool    string
	Input   json.RawMessage
	IsError bool `json:"is_error"`
	Result  string
}
