package tooltest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func (b badInvoke) check(t *testing.T) {
	t.Helper()
	err := tooltest.CheckInvoke(func(*pegboard.Pool) (pegboard.Invoke, error) { return b.invoke, b.refuse })
	require.ElementsMatch(t, b.rules, rulesOf(t, err), "%v", err)
	require.ErrorContains(t, err, b.got)
}

func TestCheckInvokeFindsBadInvokes(t *testing.T) {
	t.Parallel()
	for _, tt := range badInvokes() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.check(t)
		})
	}
}

func TestCheckInvokeFindsSlowInvokes(t *testing.T) {
	t.Parallel()
	for i, tt := range slowInvokes(t.Context()) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(context.Background())
				slowInvokes(ctx)[i].check(t)
				cancel()
				time.Sleep(time.Hour) // so that all calls have ended
			})
		})
	}
}

func TestCheckInvokeRulesAreComplete(t *testing.T) {
	t.Parallel()
	broken := map[string]bool{}
	for _, tt := range slices.Concat(badInvokes(), slowInvokes(t.Context())) {
		broken[tt.rules[0]] = true
	}
	requireRules(t, "CheckInvoke", tooltest.InvokeRules(), broken)
}

// sentCall is all of a call that reaches the far side.
type sentCall struct {
	ID, Name string
	Input    []byte // byte for byte: a json.RawMessage would be compacted
}

// farInvoke sends id, name and bytes of a call, and of the context its end. The far side
// has a pool of its own.
func farInvoke(far *pegboard.Pool) pegboard.Invoke {
	return func(ctx context.Context, _ pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
		message, err := json.Marshal(sentCall{c.ID, c.Name, c.Input})
		if err != nil {
			return nil, err
		}
		there, stop := context.WithCancelCause(pegboard.WithSession(context.Background(), far.Session()))
		defer stop(nil)
		defer context.AfterFunc(ctx, func() { stop(context.Cause(ctx)) })()
		var got sentCall
		if err := json.Unmarshal(message, &got); err != nil {
			return nil, err
		}
		tool, rebuilt, err := far.Rebuild(pegboard.Call{ID: got.ID, Name: got.Name, Input: got.Input})
		if err != nil {
			return nil, err
		}
		return tool.Call(there, rebuilt)
	}
}

func TestCheckInvokePassesGoodInvokes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		build func(p *pegboard.Pool) (pegboard.Invoke, error)
	}{
		{name: "the default", build: func(*pegboard.Pool) (pegboard.Invoke, error) { return nil, nil }},
		{name: "in this process", build: func(*pegboard.Pool) (pegboard.Invoke, error) { return call, nil }},
		{name: "rebuilt from the pool", build: func(p *pegboard.Pool) (pegboard.Invoke, error) { return farInvoke(p), nil }},
		{name: "rebuilt in a session and a pool elsewhere", build: func(*pegboard.Pool) (pegboard.Invoke, error) {
			return farInvoke(poolOf(t, tooltest.InvokeTools()...)), nil
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, tooltest.CheckInvoke(tt.build))
		})
	}
}

// loopFlaws are what is wrong with a loop.
type loopFlaws struct {
	nextOnce      bool // Next is called before the first request only
	losesWords    bool // later words of Next are not sent
	losesFailures bool // calls that fail have no outcome
	resultsTwice  bool // results are sent twice
	freshHistory  bool // the conversation begins anew each time
	reencoded     bool // messages are encoded anew for each request
	forgets       bool // the answer is not appended
	deaf          bool // the model is asked with another context
	swallows      bool // a call that was cancelled is a call that failed
	keepsGoing    bool // StopTurn is not looked at
	noStopTurn    bool // Reply has no StopTurn
	costsOfAll    bool // Next is told of the sum
	freeOfCharge  bool
	secretCosts   bool // of the last request
	wrongText     bool // Reply has the first text
	ignoresLimits bool
	fails, panics bool // in the end
}

// flawed is the loop of a host, with flaws. Without any it is good.
func flawed(m *tooltest.LoopModel, f loopFlaws) agents.Loop {
	return func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		l := &flawedLoop{m: m, a: a, f: f, messages: a.History()}
		if f.freshHistory {
			l.messages = nil
		}
		for {
			reply, on, err := l.step(ctx)
			if !on || err != nil {
				return reply, err
			}
		}
	}
}

type flawedLoop struct {
	m        *tooltest.LoopModel
	a        *agents.Agent
	f        loopFlaws
	messages []json.RawMessage
	outcomes []pegboard.Outcome
	used     agents.Usage
	sum      float64
	requests int
}

func (l *flawedLoop) add(messages ...json.RawMessage) error {
	l.messages = append(l.messages, messages...)
	return l.a.Append(messages...)
}

// next returns the words for the request.
func (l *flawedLoop) next(ctx context.Context) (string, error) {
	if l.f.nextOnce && l.requests > 0 {
		return "", nil
	}
	parts, err := l.a.Next(ctx, l.used)
	if l.f.ignoresLimits && (errors.Is(err, agents.ErrTurns) || errors.Is(err, agents.ErrBudget)) {
		err = nil
	}
	if l.f.swallows && ctx.Err() != nil {
		err = nil
	}
	if l.f.losesWords && l.requests > 0 {
		parts = nil
	}
	var words string
	for _, p := range parts {
		words += p.Text + "\n"
	}
	return words, err
}

func (l *flawedLoop) step(ctx context.Context) (reply agents.Reply, on bool, err error) {
	words, err := l.next(ctx)
	if err != nil {
		return reply, false, err
	}
	l.requests++
	if err := l.add(l.userMessage(words)); err != nil {
		return reply, false, err
	}
	asking := ctx
	if l.f.deaf {
		asking = context.Background()
	}
	turn, err := l.m.Reply(asking, tooltest.LoopRequest{Messages: l.sent(), Outcomes: l.outcomes})
	if err != nil {
		return reply, false, err
	}
	l.used = turn.Used
	if l.f.freeOfCharge {
		l.used = agents.Usage{}
	}
	if l.f.costsOfAll {
		l.sum += turn.Used.USD
		l.used.USD = l.sum
	}
	answer := message("assistant", map[string]any{"text": turn.Text, "calls": turn.Calls})
	if !l.f.forgets || len(turn.Calls) > 0 {
		if err := l.add(answer); err != nil {
			return reply, false, err
		}
	}
	if len(turn.Calls) == 0 {
		return l.end(turn.Text)
	}
	return l.run(ctx, turn.Calls)
}

// end returns the reply of a conversation that has ended by itself.
func (l *flawedLoop) end(text string) (reply agents.Reply, on bool, err error) {
	reply = agents.Reply{Text: text, Used: l.used}
	switch {
	case l.f.panics:
		panic("no more")
	case l.f.fails:
		return reply, false, errors.New("the connection was closed")
	case l.f.wrongText:
		reply.Text = "done"
	case l.f.secretCosts:
		reply.Used = agents.Usage{}
	}
	return reply, false, nil
}

// run runs calls.
func (l *flawedLoop) run(ctx context.Context, calls []pegboard.Call) (reply agents.Reply, on bool, err error) {
	pool, err := l.a.Pool()
	if err != nil {
		return reply, false, err
	}
	running := ctx
	var e pegboard.Executor
	l.outcomes = e.Run(running, pool, calls...)
	if ctx.Err() != nil && !l.f.swallows {
		return reply, false, context.Cause(ctx)
	}
	if l.f.losesFailures {
		l.outcomes = slices.DeleteFunc(l.outcomes, func(o pegboard.Outcome) bool { return o.Err != nil })
	}
	stops := slices.ContainsFunc(l.outcomes, func(o pegboard.Outcome) bool { return o.StopTurn })
	if stops && !l.f.keepsGoing {
		return agents.Reply{StopTurn: !l.f.noStopTurn, Used: l.used}, false, nil
	}
	return reply, true, nil
}

// sent returns the messages of a request.
func (l *flawedLoop) sent() []json.RawMessage {
	sent := slices.Clone(l.messages)
	for i := range sent {
		if l.f.reencoded {
			var b bytes.Buffer
			_ = json.Indent(&b, sent[i], "", fmt.Sprintf("%*s", l.requests, ""))
			sent[i] = b.Bytes()
		}
	}
	return sent
}

// userMessage returns the message with results and words.
func (l *flawedLoop) userMessage(words string) json.RawMessage {
	var results []map[string]string
	for _, o := range l.outcomes {
		for range 1 + min(1, len(o.Call.ID)*boolean(l.f.resultsTwice)) {
			results = append(results, map[string]string{"id": o.Call.ID, "text": o.Result.Text()})
		}
	}
	return message("user", map[string]any{"results": results, "text": words})
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

func message(role string, content any) json.RawMessage {
	raw, _ := json.Marshal(map[string]any{"role": role, "content": content}) // of strings and calls
	return raw
}

type badLoop struct {
	name  string
	flaws loopFlaws
	rules []string
	got   string
}

func badLoops() []badLoop {
	answers, next, history := tooltest.RuleLoopAnswers, tooltest.RuleLoopNext, tooltest.RuleLoopHistory
	stopped, limits, turn := tooltest.RuleLoopStopped, tooltest.RuleLoopLimits, tooltest.RuleLoopTurn
	return []badLoop{
		{name: "failures have no outcome", flaws: loopFlaws{losesFailures: true}, rules: []string{answers}, got: "no outcome was handed over for turn-2-call-1"},
		{name: "results are sent twice", flaws: loopFlaws{resultsTwice: true}, rules: []string{answers}, got: "is in the messages 2 times"},
		{name: "Next is called once", flaws: loopFlaws{nextOnce: true}, rules: []string{next, limits, tooltest.RuleLoopCosts}, got: "that Next returns are not in the messages"},
		{name: "later words are lost", flaws: loopFlaws{losesWords: true}, rules: []string{next}, got: "that Next returns are not in the messages"},
		{name: "each conversation is the first", flaws: loopFlaws{freshHistory: true}, rules: []string{history}, got: "message 1 is missing or differs"},
		{name: "messages are encoded anew", flaws: loopFlaws{reencoded: true}, rules: []string{history}, got: "message 1 is missing or differs"},
		{name: "the answer is not kept", flaws: loopFlaws{forgets: true}, rules: []string{history}, got: "is not in Agent.History afterwards"},
		{name: "asks with another context", flaws: loopFlaws{deaf: true}, rules: []string{stopped}, got: "did not return within 1m0s"},
		{name: "goes on after a cancelled call", flaws: loopFlaws{swallows: true}, rules: []string{stopped}, got: "the last of them after the end"},
		{name: "never stops", flaws: loopFlaws{ignoresLimits: true}, rules: []string{limits}, got: "the model got 11 requests, and the limit allows 3"},
		{name: "tells no costs", flaws: loopFlaws{freeOfCharge: true}, rules: []string{tooltest.RuleLoopCosts, limits}, got: "the loop has told of 0 dollars, and the model has cost 1.25"},
		{name: "tells the sum each time", flaws: loopFlaws{costsOfAll: true}, rules: []string{tooltest.RuleLoopCosts, limits}, got: "and the model has cost 1.25"},
		{name: "keeps the last costs to itself", flaws: loopFlaws{secretCosts: true}, rules: []string{tooltest.RuleLoopCosts}, got: "the loop has told of 0.75 dollars"},
		{name: "asks after StopTurn", flaws: loopFlaws{keepsGoing: true}, rules: []string{turn}, got: "the model got 2 requests"},
		{name: "does not tell of StopTurn", flaws: loopFlaws{noStopTurn: true}, rules: []string{turn}, got: "without StopTurn"},
		{name: "another text", flaws: loopFlaws{wrongText: true}, rules: []string{tooltest.RuleLoopText}, got: `the report is "done"`},
		{name: "fails in the end", flaws: loopFlaws{fails: true}, rules: []string{tooltest.RuleLoopReturns}, got: "the run failed: "},
		{name: "panics in the end", flaws: loopFlaws{panics: true}, rules: []string{tooltest.RuleLoopReturns}, got: "the run failed: "},
	}
}

func TestCheckLoopFindsBadLoops(t *testing.T) {
	t.Parallel()
	for _, tt := range badLoops() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				err := tooltest.CheckLoop(func(m *tooltest.LoopModel) agents.Loop { return flawed(m, tt.flaws) })
				time.Sleep(time.Hour)
				require.ElementsMatch(t, tt.rules, rulesOf(t, err), "%v", err)
				require.ErrorContains(t, err, tt.got)
			})
		})
	}
}

func TestCheckLoopRulesAreComplete(t *testing.T) {
	t.Parallel()
	broken := map[string]bool{}
	for _, tt := range badLoops() {
		broken[tt.rules[0]] = true
	}
	requireRules(t, "CheckLoop", tooltest.LoopRules(), broken)
}

func TestCheckLoopPassesAGoodLoop(t *testing.T) {
	t.Parallel()
	require.NoError(t, tooltest.CheckLoop(func(m *tooltest.LoopModel) agents.Loop { return flawed(m, loopFlaws{}) }))
}

// racyStage tells a copy of this test which stage of a tool should race.
const racyStage = "TOOLTEST_RACY_STAGE"

// racyTools are tools of which one stage counts without a lock.
func racyTools() map[string]pegboard.Tool {
	var count int
	good := good()
	return map[string]pegboard.Tool{
		"none":     good,
		"Info":     bent{Tool: good, info: func() pegboard.Info { count++; return good.Info() }},
		"Declare":  declaring(func(*pegboard.Session, *pegboard.Declaration) { count++ }),
		"Traits":   traitsFrom(func(*pegboard.Call, *pegboard.Traits) { count++ }),
		"Validate": bent{Tool: good, validate: func(*pegboard.Call) error { count++; return nil }},
		"Permit":   bent{Tool: good, permit: func(*pegboard.Call) policy.Decision { count++; return policy.Decision{} }},
		"Call":     bent{Tool: good, call: func(context.Context, *pegboard.Call) { count++ }},
	}
}

// TestCheckShowsDataRaces runs this test again for each racy tool, since the
// race detector fails the test in which it finds something.
func TestCheckShowsDataRaces(t *testing.T) {
	t.Parallel()
	if stage := os.Getenv(racyStage); stage != "" {
		require.NoError(t, tooltest.Check(racyTools()[stage], goodInput))
		return
	}
	if !detectsRaces() {
		t.Skip("built without -race")
	}
	for stage := range racyTools() {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCheckShowsDataRaces$")
			again.Env = append(os.Environ(), racyStage+"="+stage)
			out, err := again.CombinedOutput()
			if stage == "none" {
				require.NoError(t, err, "%s", out)
				return
			}
			require.Error(t, err)
			require.Contains(t, string(out), "DATA RACE")
		})
	}
}

// detectsRaces reports whether the test was built with -race.
func detectsRaces() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// rankerFunc is a ranker of one func.
type rankerFunc func(ctx context.Context, p *pegboard.Pool, words string, limit int, accept func(string) bool) ([]pegboard.SearchMatch, error)

func (f rankerFunc) Rank(ctx context.Context, p *pegboard.Pool, words string, limit int, accept func(string) bool) ([]pegboard.SearchMatch, error) {
	return f(ctx, p, words, limit, accept)
}

type badRanker struct {
	name   string
	ranker rankerFunc
	rules  []string
	got    string
}

// changing is a good ranker whose matches are changed.
func changing(change func(found []pegboard.SearchMatch) []pegboard.SearchMatch) rankerFunc {
	return func(ctx context.Context, p *pegboard.Pool, words string, limit int, accept func(string) bool) ([]pegboard.SearchMatch, error) {
		found, err := pegboard.LexicalRanker{}.Rank(ctx, p, words, limit, accept)
		return change(slices.Clone(found)), err
	}
}

func badRankers(release <-chan struct{}) []badRanker {
	lexical := pegboard.LexicalRanker{}
	moved := after(4)
	return []badRanker{
		{name: "finds nothing", rules: []string{tooltest.RuleRankerFinds, tooltest.RuleRankerLimit}, got: "is not among the first three", ranker: func(context.Context, *pegboard.Pool, string, int, func(string) bool) ([]pegboard.SearchMatch, error) {
			return nil, nil
		}},
		{name: "fails", rules: []string{tooltest.RuleRankerFinds}, got: "Rank failed: no model", ranker: func(context.Context, *pegboard.Pool, string, int, func(string) bool) ([]pegboard.SearchMatch, error) {
			return nil, errors.New("no model")
		}},
		{name: "ten whatever the limit", rules: []string{tooltest.RuleRankerLimit, tooltest.RuleRankerAccept}, got: "matches, and the limit is 1", ranker: func(ctx context.Context, p *pegboard.Pool, words string, limit int, _ func(string) bool) ([]pegboard.SearchMatch, error) {
			return lexical.Rank(ctx, p, words, max(limit, 10), nil)
		}},
		{name: "worst first", rules: []string{tooltest.RuleRankerOrder}, got: "match 2 has the score", ranker: changing(func(found []pegboard.SearchMatch) []pegboard.SearchMatch {
			if len(found) > 5 {
				found[0].Score, found[1].Score = found[1].Score, found[0].Score+1
			}
			return found
		})},
		{name: "no numbers", rules: []string{tooltest.RuleRankerOrder}, got: "has the score NaN", ranker: changing(func(found []pegboard.SearchMatch) []pegboard.SearchMatch {
			for i := range found {
				found[i].Score /= 0 * found[i].Score
				found[i].Score -= found[i].Score
			}
			return found
		})},
		{name: "names of servers", rules: []string{tooltest.RuleRankerNames}, got: "is no deferred tool", ranker: changing(func(found []pegboard.SearchMatch) []pegboard.SearchMatch {
			if len(found) > 4 {
				found[4].Name = "Picture"
			}
			return found
		})},
		{name: "twice", rules: []string{tooltest.RuleRankerNames}, got: "is there twice", ranker: changing(func(found []pegboard.SearchMatch) []pegboard.SearchMatch {
			if len(found) > 4 {
				found[4].Name = found[0].Name
			}
			return found
		})},
		{name: "accepts after it has cut", rules: []string{tooltest.RuleRankerAccept}, got: "accept allows only", ranker: func(ctx context.Context, p *pegboard.Pool, words string, limit int, accept func(string) bool) ([]pegboard.SearchMatch, error) {
			found, err := lexical.Rank(ctx, p, words, limit, nil)
			return slices.DeleteFunc(slices.Clone(found), func(m pegboard.SearchMatch) bool { return accept != nil && !accept(m.Name) }), err
		}},
		{name: "always something", rules: []string{tooltest.RuleRankerIrrelevant}, got: "the matches are", ranker: func(ctx context.Context, p *pegboard.Pool, words string, limit int, accept func(string) bool) ([]pegboard.SearchMatch, error) {
			found, err := lexical.Rank(ctx, p, words, limit, accept)
			if len(p.Deferred()) == 0 || err != nil || len(found) > 0 || limit == 0 {
				return found, err
			}
			if name := p.Deferred()[0]; accept == nil || accept(name) {
				found = []pegboard.SearchMatch{{Name: name, Score: 0.01}}
			}
			return found, err
		}},
		{name: "another order now and then", rules: []string{tooltest.RuleRankerSame}, got: "they were", ranker: func(ctx context.Context, p *pegboard.Pool, words string, limit int, accept func(string) bool) ([]pegboard.SearchMatch, error) {
			found, err := lexical.Rank(ctx, p, words, limit, accept)
			if found = slices.Clone(found); words == "print picture" && moved() {
				found = found[1:]
			}
			return found, err
		}},
		{name: "panics without words", rules: []string{tooltest.RuleRankerOdd}, got: "panic: runtime error: index out of range", ranker: func(ctx context.Context, p *pegboard.Pool, words string, limit int, accept func(string) bool) ([]pegboard.SearchMatch, error) {
			_ = strings.Fields(words)[0]
			return lexical.Rank(ctx, p, words, limit, accept)
		}},
		{name: "goes on", rules: []string{tooltest.RuleRankerEnds}, got: "whose context had ended, did not return within 1m0s", ranker: func(ctx context.Context, p *pegboard.Pool, words string, limit int, accept func(string) bool) ([]pegboard.SearchMatch, error) {
			if ctx.Err() != nil {
				<-release
			}
			return lexical.Rank(ctx, p, words, limit, accept)
		}},
	}
}

func TestCheckRankerFindsBadRankers(t *testing.T) {
	t.Parallel()
	for i, tt := range badRankers(nil) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				err := tooltest.CheckRanker(badRankers(release)[i].ranker)
				close(release)
				time.Sleep(time.Hour)
				require.ElementsMatch(t, tt.rules, rulesOf(t, err), "%v", err)
				require.ErrorContains(t, err, tt.got)
			})
		})
	}
}

func TestCheckRankerRulesAreComplete(t *testing.T) {
	t.Parallel()
	broken := map[string]bool{}
	for _, tt := range badRankers(nil) {
		broken[tt.rules[0]] = true
	}
	requireRules(t, "CheckRanker", tooltest.RankerRules(), broken)
}

func TestShippedRankersKeepTheContract(t *testing.T) {
	t.Parallel()
	require.NoError(t, tooltest.CheckRanker(pegboard.LexicalRanker{}))
}

func ExampleCheckRanker() {
	fmt.Println(tooltest.CheckRanker(pegboard.LexicalRanker{}))

	// A ranker that knows no limit.
	err := tooltest.CheckRanker(rankerFunc(func(ctx context.Context, p *pegboard.Pool, words string, _ int, accept func(string) bool) ([]pegboard.SearchMatch, error) {
		return pegboard.LexicalRanker{}.Rank(ctx, p, words, 100, accept)
	}))
	var v *tooltest.ContractError
	if errors.As(err, &v) {
		fmt.Println(v.Rule)
		fmt.Println(v.Why)
	}
	// Output:
	// <nil>
	// the limit holds
	// every tool that is found is added to the prompt
}

// ruledPool returns a pool of the file tools under rules.
func ruledPool(dir string, mode policy.Mode, rules ...policy.RuleSet) (*pegboard.Pool, *pegboard.Session, error) {
	permissions, err := policy.New(mode, rules...)
	if err != nil {
		return nil, nil, err
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: permissions})
	if err != nil {
		return nil, nil, err
	}
	var registry pegboard.Registry
	if err := registry.Add(files.Tools()...); err != nil {
		return nil, nil, err
	}
	return registry.AssemblePool(s, pegboard.PoolConfig{}), s, nil
}

func TestCheckRules(t *testing.T) { //nolint:tparallel // the cases take no time
	t.Parallel()
	write := func(path string) tooltest.RuleRow {
		return tooltest.RuleRow{Tool: "Write", Input: []byte(`{"file_path": "` + path + `", "content": ""}`)}
	}
	want := func(b policy.Behavior, r tooltest.RuleRow) tooltest.RuleRow { r.Want = b; return r }
	rules := policy.RuleSet{Allow: []string{"Edit(/src/**)"}, Deny: []string{"Edit(/src/vendor/**)"}}
	broken := map[string]bool{}
	for _, tt := range []struct {
		name  string
		rules policy.RuleSet
		rows  []tooltest.RuleRow
		rule  string
		got   []string
	}{
		{name: "as wanted", rules: rules, rows: []tooltest.RuleRow{
			want(policy.Allow, write("src/a.go")), want(policy.Ask, write("a.go")), want(policy.Deny, write("src/vendor/a.go")), want(policy.Ask, write("src/../a.go")),
		}},
		{name: "no row", rules: rules, rule: tooltest.RuleRulesRows, got: []string{"none of 0 rows"}},
		{name: "another mode", rules: rules, rows: []tooltest.RuleRow{{Tool: "Write", Mode: policy.ModePlan}}, rule: tooltest.RuleRulesRows, got: []string{"none of 1 rows is about the mode default"}},
		{name: "no such tool", rules: rules, rows: []tooltest.RuleRow{{Tool: "Wirte", Input: []byte(`{}`), Want: policy.Deny}}, rule: tooltest.RuleRulesCalls, got: []string{"Wirte"}},
		{name: "not its input", rules: rules, rows: []tooltest.RuleRow{{Tool: "Write", Input: []byte(`{"path":"a"}`), Want: policy.Deny}}, rule: tooltest.RuleRulesCalls, got: []string{"path"}},
		{name: "nothing wanted", rules: rules, rows: []tooltest.RuleRow{write("a.go")}, rule: tooltest.RuleRulesCalls, got: []string{"the wanted behavior is undecided"}},
		{name: "too wide", rules: policy.RuleSet{Allow: []string{"Edit(**)"}}, rows: []tooltest.RuleRow{want(policy.Ask, write("a.go"))}, rule: tooltest.RuleRulesDecided, got: []string{"ask is wanted, and the decision is allow:\nit would write", "allow: "}},
		{name: "too narrow", rules: policy.RuleSet{Allow: []string{"Edit(/src/*.go)"}}, rows: []tooltest.RuleRow{want(policy.Allow, write("src/x/a.go"))}, rule: tooltest.RuleRulesDecided, got: []string{"allow is wanted, and the decision is ask:"}},
		{name: "misspelt", rules: policy.RuleSet{Deny: []string{"Wirte(/src/**)"}}, rows: []tooltest.RuleRow{want(policy.Ask, write("a.go"))}, rule: tooltest.RuleRulesTools, got: []string{"Wirte"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pool, s, err := ruledPool(t.TempDir(), policy.ModeDefault, tt.rules)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
			err = tooltest.CheckRules(pool, tt.rows...)
			if tt.rule == "" {
				require.NoError(t, err)
				return
			}
			broken[tt.rule] = true
			require.Equal(t, []string{tt.rule}, rulesOf(t, err), "%v", err)
			for _, got := range tt.got {
				require.ErrorContains(t, err, got)
			}
		})
	}
	requireRules(t, "CheckRules", tooltest.RulesRules(), broken)
}

func TestParseRuleRows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       []tooltest.RuleRow
		err        string
	}{
		{name: "nothing"},
		{name: "by hand", text: `{"tool":"A","behavior":"deny"}` + "\n" + `{"tool":"B","input":{"x":1},"behavior":"ask","mode":"plan"}`, want: []tooltest.RuleRow{
			{Tool: "A", Input: []byte(`{}`), Want: policy.Deny, Row: 1},
			{Tool: "B", Input: []byte(`{"x":1}`), Want: policy.Ask, Mode: policy.ModePlan, Row: 2},
		}},
		{name: "from a log", text: `
			{"time":"t","trace":"1","call":"c1","tool":"A","behavior":"allow","by":"rule","mode":"default","input":{}}
			{"time":"t","trace":"1","call":"c1","tool":"A","behavior":"deny","by":"rule","mode":"default","input":{}}
			{"time":"t","trace":"2","call":"c1","tool":"A","behavior":"allow","by":"person","mode":"default","input":{}}
			{"time":"t","trace":"2","call":"c2","tool":"A","behavior":"deny","by":"nobody","mode":"default","input":{}}
			{"time":"t","trace":"2","call":"c3","tool":"A","behavior":"allow","by":"hook","mode":"default","input":{}}
			{"time":"t","trace":"2","call":"c4","tool":"A","behavior":"notRun","stage":"decode"}
			{"time":"t","trace":"2","call":"c5","tool":"A","behavior":"allow","by":"rule","agent":"a1","input":{}}
			{"time":"t","trace":"2","call":"c6","tool":"A","behavior":"allow","by":"rule","parent":"c1","input":{}}
			{"time":"t","trace":"2","call":"c7","tool":"A","behavior":"allow","by":"rule"}
			{"time":"t","trace":"2","call":"c8","tool":"A","behavior":"deny","by":"rule","input":"{"}`, want: []tooltest.RuleRow{
			{Tool: "A", Input: []byte(`{}`), Want: policy.Allow, Mode: policy.ModeDefault, Row: 1},
			{Tool: "A", Input: []byte(`{}`), Want: policy.Ask, Mode: policy.ModeDefault, Row: 3},
			{Tool: "A", Input: []byte(`{}`), Want: policy.Ask, Mode: policy.ModeDefault, Row: 4},
		}},
		{name: "no tool", text: `{"behavior":"allow"}`, err: `row 1: the field "tool" is missing`},
		{name: "no behavior", text: `{"tool":"A"}`, err: `row 1: unknown behavior ""`},
		{name: "no JSON", text: `{"tool":"A","behavior":"ask"} tool`, want: []tooltest.RuleRow{{Tool: "A", Input: []byte(`{}`), Want: policy.Ask, Row: 1}}, err: "row 2: invalid character"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rows, err := tooltest.ParseRuleRows(strings.NewReader(tt.text))
			require.Equal(t, tt.want, rows)
			if tt.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tt.err)
			}
		})
	}
}

func FuzzParseRuleRows(f *testing.F) {
	f.Add(`{"tool":"A","input":{},"behavior":"allow","by":"rule"}`)
	f.Add(`{"tool":1}`)
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := tooltest.ParseRuleRows(strings.NewReader(text))
		for i, r := range rows {
			require.NotEmpty(t, r.Tool)
			require.NotEmpty(t, r.Input)
			require.NotEqual(t, policy.Undecided, r.Want)
			require.Greater(t, r.Row, i)
		}
		if err == nil && strings.TrimSpace(text) != "" {
			require.Contains(t, text, "{")
		}
	})
}

func ExampleCheckRules() {
	pool, session, err := ruledPool("", policy.ModeDefault, policy.RuleSet{
		Allow: []string{"Edit(/src/*.go)"},
		Deny:  []string{"Read(.env)"},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(context.Background()) }()
	rows, err := tooltest.ParseRuleRows(strings.NewReader(`
{"tool": "Write", "input": {"file_path": "src/a.go", "content": ""}, "behavior": "allow"}
{"tool": "Write", "input": {"file_path": "a.go", "content": ""}, "behavior": "ask"}
{"tool": "Read", "input": {"file_path": ".env"}, "behavior": "deny"}
{"tool": "Write", "input": {"file_path": "src/cmd/main.go", "content": ""}, "behavior": "allow"}
`))
	if err != nil {
		log.Fatal(err)
	}
	var v *tooltest.ContractError
	if errors.As(tooltest.CheckRules(pool, rows...), &v) { // one star does not go below a folder
		first, _, _ := strings.Cut(v.Got, "\n")
		fmt.Println(v.Rule)
		fmt.Println(first)
	}
	// Output:
	// calls are decided as wanted
	// row 4: allow is wanted, and the decision is ask:
}

func (b badStore) check(t *testing.T) {
	t.Helper()
	b.checker.Large = large
	open := b.open
	if open == nil {
		open = storesOver(newPlace(), b.change)
	}
	err := b.checker.Check(open)
	require.ElementsMatch(t, b.rules, rulesOf(t, err), "%v", err)
	require.ErrorContains(t, err, b.got)
}

func TestCheckStoreFindsBadStores(t *testing.T) {
	t.Parallel()
	for _, tt := range slices.Concat(badStores(t), storesThatCrash()) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.check(t)
		})
	}
}

func TestCheckStoreFindsStoresThatHang(t *testing.T) {
	t.Parallel()
	for i, tt := range storesThatHang(nil) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				storesThatHang(release)[i].check(t)
				close(release)
				time.Sleep(time.Hour) // so that what hung has ended
			})
		})
	}
}

func TestCheckStoreRulesAreComplete(t *testing.T) {
	t.Parallel()
	broken := map[string]bool{}
	for _, tt := range slices.Concat(badStores(t), storesThatCrash(), storesThatHang(nil)) {
		broken[tt.rules[0]] = true
	}
	requireRules(t, "CheckStore", tooltest.StoreRules(), broken)
}

// requireRules expects that each rule has a purpose, an item in the comment of the func that
// checks it, and something bad that breaks it.
func requireRules(t *testing.T, check string, purposes map[string]string, broken map[string]bool) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "check.go", nil, parser.ParseComments)
	require.NoError(t, err)
	var listed []string
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == check {
			for _, m := range regexp.MustCompile(`(?m)^ +\d+\. ([^:]+):`).FindAllStringSubmatch(f.Doc.Text(), -1) {
				listed = append(listed, strings.ToLower(m[1]))
			}
		}
	}
	lower := map[string]bool{}
	for rule, why := range purposes {
		require.NotEmpty(t, why, rule)
		require.True(t, broken[rule], "nothing bad breaks the rule %q", rule)
		lower[strings.ToLower(rule)] = true
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(lower)), listed)
}

func TestCheckStorePassesAGoodStore(t *testing.T) {
	t.Parallel()
	require.NoError(t, tooltest.CheckStore(storesOver(newPlace(), nil)))
}

// TestDirStoreKeepsTheContract also runs in the process that it starts, which stores the
// sample.
func TestDirStoreKeepsTheContract(t *testing.T) {
	t.Parallel()
	const variable = "PEGBOARD_TEST_STORE"
	open := func(dir string) (*pegboard.DirStore, error) {
		return pegboard.NewDirStore(dir, "conversation", pegboard.DirOptions{})
	}
	if dir := os.Getenv(variable); dir != "" {
		store, err := open(dir)
		require.NoError(t, err)
		defer func() { require.NoError(t, store.Close()) }()
		sample, err := tooltest.StoreSample(store)
		require.NoError(t, err)
		text, err := json.Marshal(sample)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(os.Getenv(variable+"_TO"), text, 0o600))
		return
	}
	dir, to := t.TempDir(), t.TempDir()+"/sample.json"
	elsewhere := func() (sample []pegboard.StoredResult, err error) {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), variable+"="+dir, variable+"_TO="+to)
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, errors.New(string(out))
		}
		text, err := os.ReadFile(to)
		if err != nil {
			return nil, err
		}
		return sample, json.Unmarshal(text, &sample)
	}
	require.NoError(t, tooltest.StoreChecker{Elsewhere: elsewhere}.Check(func() (pegboard.ResultStore, error) { return open(dir) }))
}

// TestDirStoreWithALimitKeepsTheContract cuts the large result.
func TestDirStoreWithALimitKeepsTheContract(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, tooltest.StoreChecker{Large: 4 << 20}.Check(func() (pegboard.ResultStore, error) {
		return pegboard.NewDirStore(dir, "conversation", pegboard.DirOptions{MaxFile: 1 << 20})
	}))
}

func TestCheckView(t *testing.T) { //nolint:tparallel // the cases take no time
	t.Parallel()
	denied := &pegboard.CallError{Tool: "Edit", Stage: pegboard.StagePermission, Err: pegboard.ErrDenied}
	text := []pegboard.Part{{Text: "one two"}, {Text: "three", Title: "A page", Source: "https://example.com/a"}}
	broken := map[string]bool{}
	for _, tt := range []struct {
		name   string
		result pegboard.Result
		err    error
		rule   string
		got    string
	}{
		{name: "empty"},
		{name: "words of all parts", result: pegboard.Result{Parts: text, SearchText: "two page\nthree", Line: "Found example.com/a"}},
		{name: "another word", result: pegboard.Result{Parts: text, SearchText: "one four"}, rule: tooltest.RuleViewSearch, got: `Result.SearchText has "four"`},
		{name: "a short number may be a count", result: pegboard.Result{Parts: text, Line: "Read 120,000 lines of a-file"}},
		{name: "a path of the input", result: pegboard.Result{Parts: text, Line: "Read src/main.go."}},
		{name: "a path from elsewhere", result: pegboard.Result{Parts: text, Line: "Read (/etc/shadow-)"}, rule: tooltest.RuleViewLine, got: `"/etc/shadow-"`},
		{name: "long words", result: pegboard.Result{Parts: text, Line: "Straightforwardly done"}},
		{name: "a diff", result: pegboard.Result{Diffs: []pegboard.Diff{{Path: "/w/src/main.go"}}}},
		{name: "a diff of a call that was denied", err: denied, result: pegboard.Result{Diffs: []pegboard.Diff{{Path: "/w/src/main.go"}}}, rule: tooltest.RuleViewDiffs, got: "did not run"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := pegboard.Outcome{Call: &pegboard.Call{Name: "Edit", Input: []byte(`{"path":"src/main.go"}`)}, Result: &tt.result, Err: tt.err}
			err := tooltest.CheckView(o)
			if tt.rule == "" {
				require.NoError(t, err)
				return
			}
			broken[tt.rule] = true
			require.Equal(t, []string{tt.rule}, rulesOf(t, err))
			require.ErrorContains(t, err, tt.got)
		})
	}
	requireRules(t, "CheckView", tooltest.ViewRules(), broken)
	require.NoError(t, tooltest.CheckView(pegboard.Outcome{}))
}

// TestCheckViewKnowsWhatACallWrites has a diff of another file than the targets say.
func TestCheckViewKnowsWhatACallWrites(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := tooltest.NewSession(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	for path, ok := range map[string]bool{dir + "/a.txt": true, dir + "/b.txt": false} {
		tool := tooltest.StandIn(traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) {
			tr.ReadOnly, tr.Targets[0].Access = false, policy.Write
		}), tooltest.Reply{Result: &pegboard.Result{Diffs: []pegboard.Diff{{Path: path}}}})
		out := tooltest.Run(t.Context(), tool, s, goodInput)
		require.NoError(t, out.Err)
		if err := tooltest.CheckView(out); ok {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, "there is a diff of "+path)
		}
	}
}

func ExampleCheckView() {
	account := func(line string) pegboard.Tool {
		return tooltest.NewFake("Account", tooltest.Reply{Result: &pegboard.Result{
			Parts: []pegboard.Part{{Text: "The account is open."}}, Line: line,
		}})
	}
	for _, line := range []string{"The account is open", "Account DE02-1203-0000 is open"} {
		fmt.Println(tooltest.CheckView(tooltest.Run(context.Background(), account(line), nil, `{}`)))
	}
	// Output:
	// <nil>
	// a line tells no more: Result.Line has "DE02-1203-0000", and neither the parts nor the input do (input {}); a person and the model must know the same of what came of a call
}
