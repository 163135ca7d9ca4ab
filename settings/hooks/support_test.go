package hooks_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
)

// schemas compiles the schemas of a file in testdata, by event.
func schemas(file string) map[string]*jsonschema.Schema {
	compiler := jsonschema.NewCompiler()
	for _, name := range []string{"payloads.json", "answers.json"} {
		f, err := os.Open(filepath.Join("testdata", "schemas", name))
		if err != nil {
			panic(err)
		}
		err = errors.Join(compiler.AddResource("https://example.com/"+name, f), f.Close())
		if err != nil {
			panic(err)
		}
	}
	all := map[string]*jsonschema.Schema{}
	for _, event := range append(documentedEvents(), "prompt") {
		if event == "prompt" && file == "payloads.json" {
			continue
		}
		all[event] = compiler.MustCompile("https://example.com/" + file + "#/$defs/" + event)
	}
	return all
}

var (
	payloadSchemas = sync.OnceValue(func() map[string]*jsonschema.Schema { return schemas("payloads.json") })
	answerSchemas  = sync.OnceValue(func() map[string]*jsonschema.Schema { return schemas("answers.json") })
)

// checkPayload holds a payload against the schema of its event.
func checkPayload(data []byte) (event string, err error) {
	var whole map[string]any
	if err := json.Unmarshal(data, &whole); err != nil {
		return "", fmt.Errorf("%w: %s", err, data)
	}
	event, _ = whole["hook_event_name"].(string)
	schema := payloadSchemas()[event]
	if schema == nil {
		return event, fmt.Errorf("no schema for %q", event)
	}
	if err := schema.Validate(whole); err != nil {
		return event, fmt.Errorf("%w: %s", err, data)
	}
	return event, nil
}

// A scene is a session with tools whose calls run hooks, and what came of them.
type scene struct {
	testing.TB
	dir     string // the working directory
	record  string // where hooks write what they read
	runner  *hooks.Runner
	session *pegboard.Session
	tools   pegboard.Registry

	mu       sync.Mutex
	asked    []string // reasons of the questions that the person was asked
	ran      []string // calls of tools: the name and the word
	told     []string // what the person was told
	problems []string
	inner    []pegboard.Outcome // of calls that the tool Script made
	cleanup  func()
}

// words is the input of the tools.
type words struct {
	Word string `json:"word"`
	Tool string `json:"tool,omitempty"` // of Script: the tool that it calls
}

// newScene returns a scene with the tools Free, which is allowed, Asked, which is asked about,
// Broken, which is allowed and fails, and Script, which calls another; those of the server
// "far" are called alike.
func newScene(t testing.TB, set hooks.Set, o hooks.Options, cfg pegboard.SessionConfig) *scene {
	t.Helper()
	sc := &scene{TB: t, dir: t.TempDir(), record: t.TempDir()}
	o.Message = func(_ *pegboard.Session, text string) { sc.note(&sc.told, text) }
	o.OnProblem = func(_ hooks.Handler, err error) { sc.note(&sc.problems, err.Error()) }
	sc.runner = hooks.New(set, o)
	cfg.Dir, cfg.Home, cfg.ID = sc.dir, sc.dir, "session-1"
	cfg.Hooks = sc.runner.Hooks()
	cfg.PromptDelay = 20 * time.Second
	cfg.Ask = func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
		sc.note(&sc.asked, q.Reason)
		return policy.Decision{Behavior: policy.Deny, Reason: "the person said no"}, nil
	}
	cfg.Elicit = sc.runner.Elicit(func(context.Context, *pegboard.Elicitation) (pegboard.ElicitResult, error) {
		sc.note(&sc.asked, "form")
		return pegboard.ElicitResult{Action: pegboard.ElicitAccept, Content: json.RawMessage(`{"a":"person"}`)}, nil
	})
	if cfg.Permissions.Mode() == policy.ModeDefault {
		p, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Free", "Broken", "Script", "mcp__far__Free", "mcp__far__Broken"}})
		require.NoError(t, err)
		cfg.Permissions = p
	}
	s, err := pegboard.NewSession(cfg)
	require.NoError(t, err)
	sc.session = s
	sc.cleanup = sync.OnceFunc(func() { require.NoError(t, s.Close(context.Background())) })
	t.Cleanup(sc.cleanup)
	require.NoError(t, sc.tools.Add(sc.tool("Free", nil), sc.tool("Asked", nil), sc.tool("Broken", errors.New("it is broken")), sc.script()))
	_, err = sc.tools.Attach("far", sc.tool("Free", nil), sc.tool("Asked", nil), sc.tool("Broken", errors.New("it is broken")))
	require.NoError(t, err)
	return sc
}

func (sc *scene) note(list *[]string, text string) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	*list = append(*list, text)
}

func (sc *scene) tool(name string, fails error) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[words, string]{
		Info: pegboard.Info{Name: name}, Description: "Repeats a word.",
		ClassifierInput: func(in words, _ *pegboard.Call) string { return in.Word },
		Call: func(_ context.Context, in words, _ *pegboard.Call) (string, error) {
			sc.note(&sc.ran, name+" "+in.Word)
			return "the word is " + in.Word, fails
		},
	})
}

func (sc *scene) script() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[words, string]{
		Info: pegboard.Info{Name: "Script"}, Description: "Calls a tool.",
		Call: func(ctx context.Context, in words, c *pegboard.Call) (string, error) {
			out := c.Run(ctx, pegboard.Call{ID: "inner", Name: in.Tool, Input: input(in.Word)})
			sc.mu.Lock()
			defer sc.mu.Unlock()
			sc.inner = append(sc.inner, out...)
			return "done", nil
		},
	})
}

func input(word string) json.RawMessage {
	data, _ := json.Marshal(words{Word: word})
	return data
}

// callers are the ways in which a call is made.
var callers = []string{"main", "agent", "background", "script", "server", "stream"}

// call makes a call and returns its outcome, with all that the model reads of it.
func (sc *scene) call(caller, tool string) (out pegboard.Outcome, model string) {
	sc.Helper()
	ctx, s := context.Background(), sc.session
	ex := &pegboard.Executor{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}
	call := pegboard.Call{ID: "call-1", Name: tool, Input: input("given")}
	switch caller {
	case "agent", "background":
		fork, err := s.Fork(pegboard.SessionConfig{AgentID: "agent-1", AgentType: "reviewer", NoPrompts: caller == "background"})
		require.NoError(sc, err)
		defer func() { require.NoError(sc, fork.Close(ctx)) }()
		s = fork
	case "script":
		data, err := json.Marshal(words{Word: "given", Tool: tool})
		require.NoError(sc, err)
		call.Name, call.Input = "Script", data
	case "server":
		call.Name = "mcp__far__" + tool
	}
	pool := sc.tools.AssemblePool(s, pegboard.PoolConfig{})
	var all []pegboard.Outcome
	if caller == "stream" {
		stream := ex.Stream(ctx, pool)
		stream.Submit(call)
		stream.Finish(pegboard.FinishStop)
		all = slices.Collect(stream.Outcomes())
	} else {
		all = ex.Run(ctx, pool, call)
	}
	require.Len(sc, all, 1)
	out = all[0]
	if caller == "script" && len(sc.inner) > 0 {
		all = append(all, sc.inner...)
		stop := out.StopTurn
		out = sc.inner[len(sc.inner)-1]
		out.StopTurn = out.StopTurn || stop
	}
	var texts []string
	for _, o := range all {
		texts = append(texts, o.Result.Text())
		for _, part := range o.Result.Messages {
			texts = append(texts, part.Text)
		}
	}
	for _, part := range s.Notifications() {
		texts = append(texts, part.Text)
	}
	return out, strings.Join(texts, "\n")
}

// payloads returns what hooks have read, each held against its schema.
func (sc *scene) payloads() []map[string]any {
	sc.Helper()
	files, err := filepath.Glob(filepath.Join(sc.record, "*.json"))
	require.NoError(sc, err)
	var all []map[string]any
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(sc, err)
		_, err = checkPayload(data)
		require.NoError(sc, err)
		var payload map[string]any
		require.NoError(sc, json.Unmarshal(data, &payload))
		all = append(all, payload)
	}
	return all
}

// readsNote are the traits of a call that only reads, and for whose input no rule of the tests is.
var readsNote = pegboard.Traits{
	ReadOnly: true, Concurrency: pegboard.Shared,
	Targets: []policy.Target{{Kind: policy.Resource, Access: policy.Read, Value: "notes"}},
}
