package pegboard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

type ctx = context.Context

// session returns a session that is closed with the test. Unless cfg sets limits
// for loops it has none: many tests make the same call again and again.
func session(t testing.TB, cfg pegboard.SessionConfig) *pegboard.Session {
	t.Helper()
	if cfg.Breaker == (pegboard.BreakerLimits{}) {
		cfg.Breaker = pegboard.BreakerLimits{Repeats: -1, Denials: -1}
	}
	s, err := pegboard.NewSession(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	return s
}

// run takes one call through a zero Executor.
func run(t testing.TB, reg *pegboard.Registry, s *pegboard.Session, c pegboard.Call) pegboard.Outcome {
	t.Helper()
	ex := executor(pegboard.Executor{})
	outs := ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}), c)
	require.Len(t, outs, 1)
	require.NotNil(t, outs[0].Result)
	return outs[0]
}

func call(id, name, input string) pegboard.Call {
	return pegboard.Call{ID: id, Name: name, Input: json.RawMessage(input)}
}

// inert returns a tool that says nothing about itself and does nothing.
func inert(name string, aliases ...string) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:            pegboard.Info{Name: name, Aliases: aliases},
		Description:     "Does nothing, as " + name + ".",
		ClassifierInput: func(struct{}, *pegboard.Call) string { return "nothing" },
		Call:            func(ctx, struct{}, *pegboard.Call) (string, error) { return name, nil },
	})
}

// rules returns permissions of one rule set.
func rules(t testing.TB, mode policy.Mode, set policy.RuleSet) policy.Permissions {
	t.Helper()
	p, err := policy.New(mode, set)
	require.NoError(t, err)
	return p
}

// names lists a pool in prompt order.
func names(p *pegboard.Pool) []string {
	list := []string{}
	for t := range p.All() {
		list = append(list, t.Info().Name)
	}
	return list
}

// linkDir puts a symbolic link at name.
func linkDir(to, name string) error { return os.Symlink(to, name) }

func bypass(t testing.TB) pegboard.SessionConfig {
	return pegboard.SessionConfig{Permissions: rules(t, policy.ModeBypass, policy.RuleSet{})}
}

func forked(t testing.TB, s *pegboard.Session, cfg pegboard.SessionConfig) *pegboard.Session {
	t.Helper()
	f, err := s.Fork(cfg)
	require.NoError(t, err)
	return f
}

// openSession is not closed by the test: that would hang as well.
func openSession(t *testing.T) *pegboard.Session {
	t.Helper()
	cfg := bypass(t)
	cfg.Breaker = pegboard.BreakerLimits{Repeats: -1, Denials: -1}
	s, err := pegboard.NewSession(cfg)
	require.NoError(t, err)
	return s
}

func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		buf := make([]byte, 1<<20)
		t.Errorf("%s: deadlock\n%s", what, buf[:min(6000, runtime.Stack(buf, true))])
	}
}

// denying returns a session with deny rules from the user's settings.
func denying(t testing.TB, list ...string) *pegboard.Session {
	t.Helper()
	set := policy.RuleSet{Source: policy.SourceUser, Deny: list}
	return session(t, pegboard.SessionConfig{Permissions: rules(t, "", set)})
}

// declared lists the declarations of a partition.
func declared(p *pegboard.Pool, part pegboard.Partition) []string {
	list := []string{}
	for d := range p.Declarations(part) {
		list = append(list, d.Name)
	}
	return list
}

// without returns list less the names in gone.
func without(list []string, gone ...string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(n string) bool { return slices.Contains(gone, n) })
}

// holds lists what p holds, for comparisons: the mode, the rules in the order
// in which they win, the directories.
func holds(p policy.Permissions) (list []string) {
	list = append(list, string(p.Mode()))
	for _, r := range p.Rules() {
		list = append(list, fmt.Sprintf("%v %v %s", r.Behavior, r, r.Source))
	}
	for _, d := range p.Directories() {
		list = append(list, fmt.Sprintf("dir %s %s", d.Path, d.Source))
	}
	return list
}

// actor is a tool whose traits and opinion a test chooses.
type actor struct {
	name    string
	aliases []string
	source  string // it is attached from; empty: built in
	user    bool   // RequiresUser
	traits  pegboard.Traits
	own     policy.Decision
	retry   pegboard.RetryPolicy
	call    func(ctx ctx, c *pegboard.Call) error // may be nil
	silent  bool                                  // it tells the classifier nothing
}

// pool registers a and assembles a pool of it for s. Rules that are set later
// are decided, where those of now could hide the tool.
func (a *actor) pool(t testing.TB, s *pegboard.Session) *pegboard.Pool {
	t.Helper()
	tool := a.tool()
	var reg pegboard.Registry
	if a.source == "" {
		require.NoError(t, reg.Add(tool))
	} else {
		_, err := reg.Attach(a.source, tool)
		require.NoError(t, err)
	}
	return reg.AssemblePool(s, pegboard.PoolConfig{Gates: pegboard.Gates{PowerShell: true, Features: []pegboard.Feature{pegboard.FeatureMonitors}}})
}

// tool returns the tool that a describes.
func (a *actor) tool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[map[string]any, string]{
		Info: pegboard.Info{Name: a.name, Aliases: a.aliases, RequiresUser: a.user, Retry: a.retry}, Description: "For a test.",
		Inspect: func(map[string]any, *pegboard.Call) pegboard.Traits { return a.traits },
		Permit:  func(ctx, map[string]any, *pegboard.Call) policy.Decision { return a.own },
		ClassifierInput: func(map[string]any, *pegboard.Call) string {
			if a.silent {
				return ""
			}
			return "a call of " + a.name
		},
		Call: func(ctx ctx, _ map[string]any, c *pegboard.Call) (string, error) {
			if a.call == nil {
				return "done", nil
			}
			return "done", a.call(ctx, c)
		},
	})
}

// reading returns a tool named T that reads the given paths.
func reading(targets ...policy.Target) actor {
	for i := range targets {
		targets[i].Kind, targets[i].Access = policy.Path, policy.Read
	}
	return actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: targets}}
}

func pathTo(access policy.Access, v string) policy.Target {
	return policy.Target{Kind: policy.Path, Access: access, Value: v}
}

// verdict is the decision about a call before the user is asked.
type verdict struct {
	behavior policy.Behavior
	reason   string
	rule     string // that decided, if one did
}

// judge returns the decision about a call of the pool's only tool. The session must have
// no asker. A tool that a rule took out of the pool is denied.
func judge(t testing.TB, p *pegboard.Pool) verdict {
	t.Helper()
	if p.Len() == 0 {
		return judgeCall(t, p, pegboard.Call{})
	}
	return judgeCall(t, p, call("1", names(p)[0], ``))
}

// judgeCall is judge for this call.
func judgeCall(t testing.TB, p *pegboard.Pool, c pegboard.Call) verdict {
	t.Helper()
	if out := p.Excluded(); len(out) == 1 {
		require.Contains(t, out[0].Reason, "deny rule")
		return verdict{behavior: policy.Deny, reason: out[0].Reason}
	}
	require.Equal(t, 1, p.Len())
	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), p, c)[0]
	d := out.Decision
	require.NotEqual(t, policy.Undecided, d.Behavior, out.Result.Text())
	require.Equal(t, d.Behavior != policy.Allow, errors.Is(out.Err, pegboard.ErrDenied))
	v := verdict{behavior: d.Behavior}
	if d.Rule != nil {
		v.rule = d.Rule.String()
	}
	var asked bool
	if v.reason, _, asked = strings.Cut(d.Reason, ", and nobody can be asked"); asked {
		v.behavior = policy.Ask
	}
	return v
}

// judgeOnce returns the decision about a's call in a new session of that mode and rules.
func judgeOnce(t *testing.T, a actor, cfg pegboard.SessionConfig, mode policy.Mode, set policy.RuleSet) string {
	t.Helper()
	if a.name == "" {
		a.name = "T"
	}
	pool := a.pool(t, session(t, cfg))
	require.NoError(t, pool.Session().SetPermissions(rules(t, mode, set)))
	v := judge(t, pool)
	return v.behavior.String()
}

// settledBehavior returns what Decide says of the pool's only tool, which is
// denied if a rule took it out of the pool.
func settledBehavior(t testing.TB, p *pegboard.Pool) policy.Behavior {
	t.Helper()
	if p.Len() == 0 {
		return policy.Deny
	}
	return p.Decide(t.Context(), call("1", names(p)[0], ``)).Behavior
}

// durableKey is the key of the sessions that suspend in tests.
var durableKey = bytes.Repeat([]byte("k"), 32)

// memoryJournal is a journal in memory. It can be given a limit, after which the process that
// writes it is as good as dead.
type memoryJournal struct {
	mu      sync.Mutex
	entries []pegboard.JournalEntry
	fail    func(e pegboard.JournalEntry) error // nil: never
	added   func(e pegboard.JournalEntry)       // nil: nothing
}

func (m *memoryJournal) Append(_ context.Context, e pegboard.JournalEntry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		if err := m.fail(e); err != nil {
			return err
		}
	}
	for _, o := range m.entries {
		if o.Session == e.Session && o.Turn == e.Turn && o.Place == e.Place && o.State == e.State && o.Attempt == e.Attempt {
			return fmt.Errorf("%w: %s of call %d", pegboard.ErrDuplicate, e.State, e.Place)
		}
	}
	m.entries = append(m.entries, e)
	if m.added != nil {
		m.added(e)
	}
	return nil
}

func (m *memoryJournal) Entries(_ context.Context, session, turn string) (list []pegboard.JournalEntry, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.entries {
		if e.Session == session && e.Turn == turn {
			list = append(list, e)
		}
	}
	return list, nil
}

// states lists the journal's entries of a call.
func (m *memoryJournal) states(callID string) (list []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.entries {
		if e.CallID == callID {
			list = append(list, string(e.State))
		}
	}
	return list
}

// suspending returns the configuration of a session that suspends.
func suspending(j pegboard.Journal, cfg pegboard.SessionConfig) pegboard.SessionConfig {
	cfg.ID = "session-1"
	cfg.Suspend = &pegboard.Suspending{Key: durableKey, Journal: j}
	return cfg
}

// saved returns what another process loads of a value.
func saved(t testing.TB, v *pegboard.Suspension) *pegboard.Suspension {
	t.Helper()
	require.NotNil(t, v)
	text, err := json.Marshal(v)
	require.NoError(t, err)
	loaded := new(pegboard.Suspension)
	require.NoError(t, json.Unmarshal(text, loaded))
	return loaded
}

var sendFar = flag.Bool("invoke.far", false, "send the calls of all tests away as id, name and bytes")

// anywhere is an Executor whose calls run here, or on a far side when the suite
// runs with -invoke.far.
type anywhere struct{ pegboard.Executor }

func (a anywhere) Run(ctx context.Context, p *pegboard.Pool, calls ...pegboard.Call) []pegboard.Outcome {
	return a.serving(p).Run(ctx, p, calls...)
}

func (a anywhere) Stream(ctx context.Context, p *pegboard.Pool) *pegboard.Stream {
	return a.serving(p).Stream(ctx, p)
}

func (a anywhere) Gather(ctx context.Context, p *pegboard.Pool, calls ...pegboard.Call) *pegboard.Gathering {
	return a.serving(p).Gather(ctx, p, calls...)
}

// serving returns the Executor for the calls of one pool, which is the far side's
// pool as well.
func (a anywhere) serving(p *pegboard.Pool) *pegboard.Executor {
	if *sendFar && a.Invoke == nil {
		a.Invoke = farInvoke(p)
	}
	return &a.Executor
}

// executor returns e for a test. Tests make their executors with it, so that the
// suite can run through farInvoke. Examples do not.
func executor(e pegboard.Executor) anywhere { return anywhere{e} }

// sent is all of a call that reaches the far side.
type sent struct {
	ID, Name string
	Input    []byte // byte for byte: a json.RawMessage would be compacted
}

// farInvoke returns an Invoke as an engine has it that runs calls elsewhere. Of a
// call it sends id, name and bytes, of the context its end with the cause. Only
// the result comes back in memory.
func farInvoke(far *pegboard.Pool) pegboard.Invoke {
	return func(ctx context.Context, _ pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
		message, err := json.Marshal(sent{c.ID, c.Name, c.Input})
		if err != nil {
			return nil, err
		}
		there, stop := context.WithCancelCause(pegboard.WithSession(context.Background(), far.Session()))
		defer stop(nil)
		defer context.AfterFunc(ctx, func() { stop(context.Cause(ctx)) })()
		return perform(there, far, message)
	}
}

// perform is the far side of farInvoke.
func perform(ctx context.Context, far *pegboard.Pool, message []byte) (*pegboard.Result, error) {
	var got sent
	if err := json.Unmarshal(message, &got); err != nil {
		return nil, err
	}
	tool, c, err := far.Rebuild(pegboard.Call{ID: got.ID, Name: got.Name, Input: got.Input})
	if err != nil {
		return nil, err
	}
	return tool.Call(ctx, c)
}

// answering returns an asker that notes every question and gives one answer.
func answering(questions *[]*pegboard.Question, d policy.Decision, err error) pegboard.Asker {
	return func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
		*questions = append(*questions, q)
		return d, err
	}
}

// alwaysSays returns an asker that always answers d.
func alwaysSays(d policy.Decision) pegboard.Asker {
	return func(ctx, *pegboard.Question) (policy.Decision, error) { return d, nil }
}

// undecided is a classifier that leaves everything to the person.
func undecided(ctx, *pegboard.Question) (policy.Decision, error) { return policy.Decision{}, nil }

func allowRule(to policy.Source, tool, pattern string) policy.Update {
	return policy.Update{Type: policy.AddRules, Behavior: policy.Allow, Destination: to, Rules: []policy.UpdateRule{{Tool: tool, Pattern: pattern}}}
}

// dice makes random policies and calls that have something to do with each
// other.
type dice struct {
	*rand.Rand
	dirs []string
}

// mode returns a mode that is not laxer than the one at place atMost of strictness.
func (d dice) mode(atMost int) (policy.Mode, int) {
	i := d.IntN(atMost + 1)
	return strictness()[i], i
}

func (d dice) rules(most int) (list []string) {
	for range d.IntN(most + 1) {
		path := one(d, "a", "sub", "./a", "/sub/a", "sub/a", "/sub", "**/a", "sub/**", "./*", "//**/b", ".git/**")
		list = append(list, one(d, "T", "Old", "mcp__srv", "T(r)", "Other", "WebFetch(domain:h)", "Edit("+path+")", "Read("+path+")",
			"Edit("+path+")", "Read("+path+")", "Bash(r:*)", "Bash(*)", "mcp__srv__T*", "mcp__srv__*", "WebFetch(domain:*)"))
	}
	return list
}

func (d dice) actor() actor {
	a := actor{name: "T", aliases: []string{"Old"}, source: one(d, "", "", "srv"), user: d.IntN(8) == 0}
	a.own = policy.Decision{Behavior: one(d, policy.Undecided, policy.Undecided, policy.Allow, policy.Ask, policy.Deny), Reason: "its word"}
	a.traits = pegboard.Traits{ReadOnly: d.IntN(2) == 0, OpenWorld: d.IntN(4) == 0}
	for range d.IntN(4) {
		dir := one(d, d.dirs...)
		a.traits.Targets = append(a.traits.Targets, one(d, policy.Target{},
			policy.Target{Kind: policy.Resource, Value: "r"}, policy.Target{Kind: policy.Host, Value: "h"},
			policy.Target{
				Kind: policy.Command, Access: policy.Run, Value: "r", Shell: policy.ShellFacts{ReadOnly: d.IntN(2) == 0, EditsOnly: d.IntN(3) == 0, Simple: d.IntN(2) == 0, NoWildcards: d.IntN(4) == 0}, AskReason: one(d, "", "", "", "it is the end of all files"),
			},
			policy.Target{
				Kind: policy.Path, Access: one(d, policy.Read, policy.Write), Tree: d.IntN(4) == 0,
				Value: filepath.Join(dir, one(d, "a", "b", ".", "sub/a", ".git/config", "*")),
				Shell: policy.ShellFacts{FromCommand: one(d, "", "", "r"), Guess: d.IntN(6) == 0, Glob: d.IntN(4) == 0},
			}))
	}
	return a
}

func one[T any](d dice, from ...T) T { return from[d.IntN(len(from))] }

// strictness lists all modes, the strictest first: the order in which a fork may
// take them.
func strictness() []policy.Mode {
	return []policy.Mode{
		policy.ModeDeny, policy.ModeDontAsk, policy.ModeAsk, policy.ModePlan, policy.ModeDefault,
		policy.ModeAcceptEdits, policy.ModeAuto, policy.ModeBypass,
	}
}

const laxest = 7 // of strictness

// teller returns a tool whose result is r.
func teller(info pegboard.Info, tell func(c *pegboard.Call) (*pegboard.Result, error), targets ...policy.Target) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, *pegboard.Result]{
		Info: info, Description: "Tells something.", Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared, Targets: targets},
		Call: func(_ ctx, _ struct{}, c *pegboard.Call) (*pegboard.Result, error) { return tell(c) },
	})
}

// tell runs a tool with that result in a session with a store of its own.
func tell(t testing.TB, cfg pegboard.SessionConfig, info pegboard.Info, r *pegboard.Result, err error) (pegboard.Outcome, *pegboard.DirStore) {
	t.Helper()
	store := dirStore(t, pegboard.DirOptions{})
	if cfg.Results == nil {
		cfg.Results = store
	}
	info.Name = "Tell"
	out := run(t, registryOf(t, teller(info, func(*pegboard.Call) (*pegboard.Result, error) { return r, err })), session(t, cfg), call("call_1", "Tell", `{}`))
	return out, store
}

func dirStore(t testing.TB, o pegboard.DirOptions) *pegboard.DirStore {
	t.Helper()
	store, err := pegboard.NewDirStore(t.TempDir(), "s1", o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %05d\n", i+1)
	}
	return b.String()
}

// held returns the stored bytes of ref.
func held(t testing.TB, store pegboard.ResultStore, ref string) string {
	t.Helper()
	r, err := store.Open(t.Context(), ref)
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	b, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(b)
}

func files(t testing.TB, store *pegboard.DirStore) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(store.Dir())
	require.NoError(t, err)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names
}

var errFull = errors.New("no space left on device")

// brokenStore is a store whose disk is full.
type brokenStore struct{ panics bool }

func (b brokenStore) Put(_ context.Context, _, _ string, r io.Reader) (pegboard.StoredResult, error) {
	_, _ = io.CopyN(io.Discard, r, 10)
	if b.panics {
		panic("broken")
	}
	return pegboard.StoredResult{}, errFull
}

func (brokenStore) Open(context.Context, string) (io.ReadCloser, error) { return nil, fs.ErrNotExist }

// oddStore gives what no store should.
type oddStore struct{ stored pegboard.StoredResult }

func (o oddStore) Put(_ context.Context, _, _ string, r io.Reader) (pegboard.StoredResult, error) {
	return o.stored, nil
}

func (oddStore) Open(context.Context, string) (io.ReadCloser, error) { return nil, errFull }

// onePixel is a PNG.
var onePixel = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\b\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xfa\xcf\x00\x00\x02\a\x01\x02\x9a\x1c1q\x00\x00\x00\x00IEND\xaeB`\x82")

// told returns a tool that the model is told something of, with one property.
func told(info pegboard.Info, description string) pegboard.Tool {
	type in struct {
		City string `json:"city"`
	}
	return pegboard.Build(pegboard.Definition[in, string]{
		Info: info, Description: description, Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
		Call: func(_ ctx, in in, _ *pegboard.Call) (string, error) { return info.Name + " of " + in.City, nil },
	})
}

func finder() pegboard.Tool { return pegboard.ToolSearch(pegboard.SearchOptions{}) }

// library returns a registry with tools that wait for a search.
func library(t testing.TB, o pegboard.SearchOptions) *pegboard.Registry {
	t.Helper()
	reg := registryOf(t, pegboard.ToolSearch(o), told(pegboard.Info{Name: "Read"}, "Reads a file."),
		told(pegboard.Info{Name: "WebFetch", Aliases: []string{"Fetch"}}, "Fetches a page of the web."))
	for source, tools := range map[string][]pegboard.Tool{
		"github": {
			told(pegboard.Info{Name: "create_issue"}, "Opens an issue in a repository."),
			told(pegboard.Info{Name: "list_issues"}, "Lists the issues of a repository."),
			told(pegboard.Info{Name: "delete_branch", Hint: "remove a line of work"}, "Takes a branch away."),
		},
		"weather": {told(pegboard.Info{Name: "forecast"}, "Tells how the weather will be in a city."), told(pegboard.Info{Name: "list"}, "Lists stations.")},
		"tickets": {told(pegboard.Info{Name: "create_issue"}, "Opens a ticket."), told(pegboard.Info{Name: "list"}, "Lists tickets.")},
	} {
		_, err := reg.Attach(source, tools...)
		require.NoError(t, err)
	}
	reg.SetDescription("weather", "Meteorology of the whole earth.")
	return reg
}

func many(t testing.TB, n int) *pegboard.Registry {
	t.Helper()
	reg := registryOf(t, finder())
	for s := 0; s*200 < n; s++ {
		var tools []pegboard.Tool
		for i := range min(200, n-s*200) {
			tools = append(tools, told(pegboard.Info{Name: fmt.Sprint("t", i)}, fmt.Sprint("Does the thing ", i)))
		}
		_, err := reg.Attach(fmt.Sprint("s", s), tools...)
		require.NoError(t, err)
	}
	return reg
}

func matched(matches []pegboard.SearchMatch) []string {
	var names []string
	for _, m := range matches {
		names = append(names, m.Name)
	}
	return names
}

// found runs the tool and returns its output.
func found(t testing.TB, reg *pegboard.Registry, query string) (pegboard.SearchOutput, *pegboard.Result) {
	t.Helper()
	out := run(t, reg, session(t, pegboard.SessionConfig{}), call("1", "ToolSearch", query))
	require.NoError(t, out.Err)
	output, ok := out.Result.Data.(pegboard.SearchOutput)
	require.True(t, ok)
	return output, out.Result
}

// visit is the input of a tool of a browser.
type visit struct {
	URL string `json:"url,omitempty"`
	Tab string `json:"tab,omitempty"`
}

// page is its output.
type page struct {
	Title string   `json:"title"`
	Links []string `json:"links,omitempty"`
}

// browser returns a tool whose calls the host executes: those of one tab one after the
// other.
func browser(info pegboard.Info) pegboard.Tool {
	info.Name, info.ExternalResult = "Open", true
	return pegboard.Build(pegboard.Definition[visit, page]{
		Info: info, Description: "Opens a page in the user's browser.",
		Inspect: func(in visit, _ *pegboard.Call) pegboard.Traits {
			tr := pegboard.Traits{Concurrency: pegboard.Shared}
			if in.Tab != "" {
				tr.Concurrency = pegboard.PerTarget
				tr.Targets = []policy.Target{{Kind: policy.Resource, Value: in.Tab}}
			}
			return tr
		},
	})
}

// host executes calls in the place of a client application: it does with each what
// execute says, and notes which were released again.
type host struct {
	execute  func(a *pegboard.ExternalCall)
	released map[string]string // the texts, by id
	kinds    []pegboard.EventKind
}

// listen is for Executor.OnEvent.
func (h *host) listen(e pegboard.Event) {
	h.kinds = append(h.kinds, e.Kind)
	switch e.Kind {
	case pegboard.EventExternal:
		if h.execute != nil {
			h.execute(e.External)
		}
	case pegboard.EventReleased:
		if h.released == nil {
			h.released = map[string]string{}
		}
		h.released[e.External.ID] = e.Text
	}
}

// browsing returns a pool with the tool of the browser, and its session.
func browsing(t testing.TB, cfg pegboard.SessionConfig, tools ...pegboard.Tool) (*pegboard.Session, *pegboard.Pool) {
	t.Helper()
	s := session(t, cfg)
	if len(tools) == 0 {
		tools = []pegboard.Tool{browser(pegboard.Info{})}
	}
	return s, registryOf(t, tools...).AssemblePool(s, pegboard.PoolConfig{})
}

// sayTitle supplies a page with the title.
func sayTitle(t testing.TB, a *pegboard.ExternalCall, title string) {
	t.Helper()
	require.NoError(t, a.Submit(pegboard.ExternalResult{Output: []byte(`{"title":"` + title + `"}`)}))
}

// registryOf returns a registry that holds tools.
func registryOf(t testing.TB, tools ...pegboard.Tool) *pegboard.Registry {
	t.Helper()
	var reg pegboard.Registry
	require.NoError(t, reg.Add(tools...))
	return &reg
}

// inerts returns an inert tool of each name.
func inerts(names ...string) []pegboard.Tool {
	tools := make([]pegboard.Tool, len(names))
	for i, name := range names {
		tools[i] = inert(name)
	}
	return tools
}

// attach makes an inert tool of each name those of a source.
func attach(t testing.TB, reg *pegboard.Registry, source string, names ...string) pegboard.AttachReport {
	t.Helper()
	report, err := offer(reg, source, inerts(names...)...)
	require.NoError(t, err)
	return report
}

// offer attaches a source, or replaces its tools if it is there.
func offer(reg *pegboard.Registry, source string, tools ...pegboard.Tool) (pegboard.AttachReport, error) {
	report, err := reg.Replace(source, tools...)
	if errors.Is(err, pegboard.ErrNotAttached) {
		return reg.Attach(source, tools...)
	}
	return report, err
}

// described returns an inert tool with a description of its own.
func described(name, text string) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: name}, Description: text,
		Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
}

// plain is a tool that only has a name.
func plain(name string, call func(context.Context, struct{}, *pegboard.Call) (string, error)) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: name}, Description: "Says something.", Call: call,
	})
}

// says returns the Call of a tool that answers with text.
func says(text string) func(context.Context, struct{}, *pegboard.Call) (string, error) {
	return func(context.Context, struct{}, *pegboard.Call) (string, error) { return text, nil }
}

// script is a tool that makes the given calls and returns their outcomes.
func script(name string, calls ...pegboard.Call) (tool pegboard.Tool, outcomes *[]pegboard.Outcome) {
	outcomes = new([]pegboard.Outcome)
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: name},
		Description: "Runs a script.",
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			*outcomes = c.Run(ctx, calls...)
			return "done", nil
		},
	}), outcomes
}

type job struct {
	Path  string `json:"path,omitempty"`
	Write bool   `json:"write,omitempty"`
	Class string `json:"class,omitempty"` // "shared", "target" or empty
	Ms    int    `json:"ms,omitempty"`
}

// worker returns a tool that takes as long as its input says and notes when it
// ran.
func worker(note func(in job, begin bool)) pegboard.Tool {
	classes := map[string]pegboard.Concurrency{"": pegboard.Exclusive, "shared": pegboard.Shared, "target": pegboard.PerTarget}
	return pegboard.Build(pegboard.Definition[job, string]{
		Info: pegboard.Info{Name: "Work"}, Description: "For a test.",
		Inspect: func(in job, _ *pegboard.Call) pegboard.Traits {
			tr := pegboard.Traits{Concurrency: classes[in.Class], ReadOnly: !in.Write}
			if in.Path != "" {
				tr.Targets = []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: in.Path}}
				if in.Write {
					tr.Targets[0].Access = policy.Write
				}
			}
			return tr
		},
		Call: func(ctx ctx, in job, _ *pegboard.Call) (string, error) {
			note(in, true)
			defer note(in, false)
			select {
			case <-time.After(time.Duration(in.Ms) * time.Millisecond):
				return in.Path, nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		},
	})
}

// workers returns a pool with the tool that takes as long as its input says.
func workers(t testing.TB) *pegboard.Pool {
	t.Helper()
	return registryOf(t, worker(func(job, bool) {})).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
}

// slow returns a tool that takes as long as its input says and heeds its context
// unless it is deaf.
func slow(info pegboard.Info, deaf bool) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[job, string]{
		Info: info, Description: "Takes its time.",
		Inspect: func(in job, _ *pegboard.Call) pegboard.Traits {
			tr := pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared}
			if in.Path != "" {
				tr.Concurrency = pegboard.PerTarget
				tr.Targets = []policy.Target{{Kind: policy.Path, Access: policy.Write, Value: in.Path}}
			}
			return tr
		},
		Call: func(ctx ctx, in job, _ *pegboard.Call) (string, error) {
			heard := ctx.Done()
			if deaf {
				heard = nil
			}
			select {
			case <-time.After(time.Duration(in.Ms) * time.Millisecond):
				return "done", nil
			case <-heard:
				return "half", context.Cause(ctx)
			}
		},
	})
}

type touch struct {
	Path string `json:"path"`
}

// toucher returns a tool that says it writes a file, and only notes which.
func toucher(touched func(path string)) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[touch, string]{
		Info: pegboard.Info{Name: "Touch"}, Description: "Touches a file.",
		Inspect: func(in touch, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []policy.Target{{Kind: policy.Path, Value: in.Path}}}
		},
		Call: func(_ ctx, in touch, _ *pegboard.Call) (string, error) {
			if touched != nil {
				touched(in.Path)
			}
			return "touched " + in.Path, nil
		},
	})
}

func touching(id, path string) pegboard.Call {
	return call(id, "Touch", fmt.Sprintf(`{"path":%q}`, path))
}

func toucherPool(t testing.TB, s *pegboard.Session, touched func(path string)) *pegboard.Pool {
	t.Helper()
	var reg pegboard.Registry
	require.NoError(t, reg.Add(toucher(touched)))
	return reg.AssemblePool(s, pegboard.PoolConfig{})
}

type step struct {
	N    int    `json:"n"`
	Path string `json:"path,omitempty"`
}

// stepper returns a tool that writes Path, and notes the inputs it ran with.
func stepper(ran *[]step) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[step, string]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.",
		Inspect: func(in step, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Targets: []policy.Target{{Kind: policy.Path, Value: "f" + in.Path}}}
		},
		Validate: func(_ ctx, in step, _ *pegboard.Call) error {
			if in.N == 13 {
				return errors.New("13 is unlucky; take 12")
			}
			return nil
		},
		Call: func(_ ctx, in step, _ *pegboard.Call) (string, error) { *ran = append(*ran, in); return "ok", nil },
	})
}

// numbered returns n inert tools, every one with an alias.
func numbered(n int) []pegboard.Tool {
	tools := make([]pegboard.Tool, n)
	for i := range tools {
		tools[i] = inert(fmt.Sprintf("Tool%04d", i), fmt.Sprintf("old%04d", i))
	}
	return tools
}

// called wraps an inert tool so that it goes by name, which no Definition may
// have.
func called(name string) pegboard.Tool {
	return posing{inert("T"), func() pegboard.Info { return pegboard.Info{Name: name} }}
}

// posing is a wrapper that gives a tool other facts, which may change.
type posing struct {
	pegboard.Tool
	info func() pegboard.Info
}

func (p posing) Info() pegboard.Info { return p.info() }

// switched returns an inert tool that exists where on says so.
func switched(name string, on func(*pegboard.Session) bool) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: name}, Description: "For a test.", Enabled: on,
		Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
}

func never(*pegboard.Session) bool { return false }

// everyFeature are all features a host can turn on.
var everyFeature = []pegboard.Feature{
	pegboard.FeatureLSP, pegboard.FeatureWorktrees, pegboard.FeatureTeams, pegboard.FeatureCron, pegboard.FeatureMonitors, pegboard.FeatureConfig, pegboard.FeatureWorkflows,
}

// ordered returns the lists as one, in the order of a pool.
func ordered(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return all
}

// readsData are the traits of a call that reads one thing, which no rule of the tests is about.
var readsData = pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Resource, Access: policy.Read, Value: "data"}}}

// readsShared are readsData of a call that runs beside others.
var readsShared = pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared, Targets: readsData.Targets}
