package eino_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent"
	"github.com/cloudwego/eino/schema"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/builtin"
	"github.com/seed49eaa51d/pegboard/contrib/eino"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// TestLoop has a model call tools that exist, in a wrong way, that are denied, that panic, and that
// are not there.
func TestLoop(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, run func(*eino.Tools, *script) (*schema.Message, error)) {
		s := &script{messages: [][]schema.ToolCall{{
			call("1", "Add", `{"a": 1, "b": 2}`), call("2", "Add", `{"a": "one"}`), call("3", "Drop", ``), call("4", "Gone", `{}`), call("5", "Fall", `{}`),
		}}}
		fall := pegboard.BuildFunc("Fall", "Falls.", func(context.Context, struct{}) (string, error) { panic("fallen") })
		tools := newTools(t, newSession(t, pegboard.SessionConfig{Permissions: allowing(t, "Add", "Fall")}), add, answering("Drop", pegboard.TextResult("dropped")), fall)
		answer, err := run(tools, s)
		require.NoError(t, err)
		require.Equal(t, "done", answer.Content)
		require.Len(t, s.infos, 3)
		require.Equal(t, "Add", s.infos[0].Name)
		require.Equal(t, "Adds two numbers.", s.infos[0].Desc)
		input, err := s.infos[0].ToJSONSchema()
		require.NoError(t, err)
		sent, err := json.Marshal(input)
		require.NoError(t, err)
		require.JSONEq(t, `{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a", "b"], "additionalProperties": false}`, string(sent))
		results := s.results()
		require.Len(t, results, 5)
		require.Equal(t, "3", results[0])
		require.Contains(t, results[1], `"one"`)
		require.Contains(t, results[2], "Drop was denied")
		require.Contains(t, results[3], "Gone")
		require.Contains(t, results[4], "Fall")
	})
}

// writesAndReads has messages that write a file and read it.
func writesAndReads(messages int, id func(int) string) *script {
	s := &script{}
	for n := range messages {
		s.messages = append(s.messages, []schema.ToolCall{
			call(id(2*n), "Write", fmt.Sprintf(`{"file_path": "f", "content": "message %d."}`, n)),
			call(id(2*n+1), "Read", `{"file_path": "f"}`),
		})
	}
	return s
}

// requireOrder fails if a call of writesAndReads has not read what its message wrote.
func requireOrder(t *testing.T, s *script) {
	t.Helper()
	results := s.results()
	require.Len(t, results, 2*len(s.messages))
	wrong := 0
	for n := range s.messages {
		if !strings.Contains(results[2*n+1], fmt.Sprintf("message %d.", n)) {
			wrong++
		}
	}
	require.Zero(t, wrong)
}

func newFileTools(t *testing.T, s *pegboard.Session) *eino.Tools {
	t.Helper()
	return newTools(t, s, files.Write(files.WriteOptions{}), files.Read(files.ReadOptions{}))
}

func TestOrder(t *testing.T) {
	t.Parallel()
	for name, id := range map[string]func(int) string{"": id, "without ids ": func(int) string { return "" }} {
		for _, way := range ways {
			t.Run(name+way.name, func(t *testing.T) {
				t.Parallel()
				s := writesAndReads(200, id)
				_, err := way.run(t.Context(), newFileTools(t, newSession(t, pegboard.SessionConfig{Permissions: allowing(t, "Edit(/**)")})), s)
				require.NoError(t, err)
				requireOrder(t, s)
			})
		}
	}
}

// TestAgentInATool: a tool runs an agent of eino, which has the handler of the run around it. The
// message of one agent is not taken for that of the other, although both have the same tools.
func TestAgentInATool(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, run func(*eino.Tools, *script) (*schema.Message, error)) {
		var ended []string
		main := newSession(t, pegboard.SessionConfig{Permissions: allowing(t, "Agent", "Edit(/**)"), Hooks: pegboard.Hooks{
			Batch: func(_ context.Context, outcomes []pegboard.Outcome) error {
				for _, o := range outcomes {
					ended = append(ended, fmt.Sprint(o.Call.Name, " ", o.Err))
				}
				return nil
			},
		}})
		inner := writesAndReads(3, id)
		starts := pegboard.BuildFunc("Agent", "Runs an agent.", func(ctx context.Context, _ struct{}) (string, error) {
			fork, err := main.Fork(pegboard.SessionConfig{})
			if err != nil {
				return "", err
			}
			a, err := newReact(ctx, newFileTools(t, fork), inner)
			if err != nil {
				return "", err
			}
			answer, err := a.Generate(ctx, question, agent.WithComposeOptions(compose.WithCallbacks(eino.Handler())))
			if err != nil {
				return "", err
			}
			return answer.Content, nil
		})
		s := &script{messages: [][]schema.ToolCall{{call("1", "Agent", ``), call("2", "Read", `{"file_path": "f"}`)}}}
		_, err := run(newTools(t, main, starts, files.Write(files.WriteOptions{}), files.Read(files.ReadOptions{})), s)
		require.NoError(t, err)
		requireOrder(t, inner)
		require.Equal(t, "done", s.results()[0])
		require.Contains(t, s.results()[1], "message 2.")
		require.Equal(t, []string{"Agent <nil>", "Read <nil>"}, ended[len(ended)-2:])
		require.Len(t, ended, 8)
		require.NotContains(t, strings.Join(ended, "\n"), "handed in")
	})
}

// TestAgentsBesideEachOther: three agents of one conversation increment a number in a file.
func TestAgentsBesideEachOther(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, run func(*eino.Tools, *script) (*schema.Message, error)) {
		file := filepath.Join(t.TempDir(), "number")
		require.NoError(t, os.WriteFile(file, []byte("0"), 0o600))
		increment := pegboard.Build(pegboard.Definition[struct{}, int]{
			Info: pegboard.Info{Name: "Increment"}, Description: "Increments the number.",
			Traits: pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []policy.Target{policy.Writes(file)}},
			Call: func(context.Context, struct{}, *pegboard.Call) (int, error) {
				text, err := os.ReadFile(file)
				if err != nil {
					return 0, err
				}
				n, err := strconv.Atoi(string(text))
				if err != nil {
					return 0, err
				}
				return n + 1, os.WriteFile(file, []byte(strconv.Itoa(n+1)), 0o600)
			},
		})
		main := newSession(t, pegboard.SessionConfig{Dir: filepath.Dir(file), Permissions: allowing(t, "Increment")})
		var agents sync.WaitGroup
		for range 3 {
			fork, err := main.Fork(pegboard.SessionConfig{})
			require.NoError(t, err)
			tools := newTools(t, fork, increment)
			s := &script{}
			for n := range 10 { // the ids of the three are the same
				s.messages = append(s.messages, []schema.ToolCall{call(id(2*n), "Increment", `{}`), call(id(2*n+1), "Increment", `{}`)})
			}
			agents.Go(func() {
				if _, err := run(tools, s); err != nil {
					t.Error(err)
				}
			})
		}
		agents.Wait()
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, "60", string(text))
	})
}

// TestStop: an outcome ends the turn, whoever says so.
func TestStop(t *testing.T) {
	t.Parallel()
	stopping := answering("Stop", &pegboard.Result{StopTurn: true, Parts: []pegboard.Part{{Text: "enough"}}})
	tests := map[string]struct {
		calls []schema.ToolCall
		hooks pegboard.Hooks
		want  []string
	}{
		"the tool": {calls: []schema.ToolCall{call("1", "Stop", `{}`), call("2", "Add", `{"a": 1, "b": 2}`)}, want: []string{"enough", "3"}},
		"the last": {calls: []schema.ToolCall{call("1", "Add", `{"a": 1, "b": 2}`), call("2", "Stop", `{}`)}, want: []string{"3", "enough"}},
		"a hook": {
			calls: []schema.ToolCall{call("1", "Add", `{"a": 1, "b": 2}`), call("2", "Add", `{"a": 2, "b": 2}`)}, want: []string{"3", "4"},
			hooks: pegboard.Hooks{Batch: func(_ context.Context, outcomes []pegboard.Outcome) error {
				outcomes[0].StopTurn = true
				return nil
			}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachWay(t, func(t *testing.T, run func(*eino.Tools, *script) (*schema.Message, error)) {
				s := &script{messages: [][]schema.ToolCall{tt.calls}}
				session := newSession(t, pegboard.SessionConfig{Permissions: allowing(t, "Add", "Stop"), Hooks: tt.hooks})
				_, err := run(newTools(t, session, add, stopping), s)
				var stop *eino.StopError
				require.ErrorAs(t, err, &stop)
				require.Len(t, s.read, 1, "the model was not asked again")
				require.Len(t, stop.Outcomes(), 2)
				messages := stop.Messages()
				require.Len(t, messages, 2)
				for i, m := range messages {
					require.Equal(t, tt.calls[i].ID, m.ToolCallID)
					require.Equal(t, tt.want[i], m.Content)
				}
			})
		})
	}
}

// TestContent: what the model reads of a result that is more than a text.
func TestContent(t *testing.T) {
	t.Parallel()
	picture := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89")
	show := answering("Show", &pegboard.Result{
		Parts: []pegboard.Part{{Text: "a point"}, {MIME: "image/png", Data: picture}}, Messages: []pegboard.Part{{Text: "Look at it."}},
	})
	find := answering("Find", &pegboard.Result{Parts: []pegboard.Part{{Title: "One", Source: "https://example.com", Text: "first"}, {Tool: "Add"}}})
	tools := newTools(t, newSession(t, pegboard.SessionConfig{Permissions: allowing(t, "Show", "Find")}), show, find)

	messages, err := tools.Run(t.Context(), schema.AssistantMessage("", []schema.ToolCall{call("1", "Show", ``), call("2", "Find", ``)}))
	require.NoError(t, err)
	require.Len(t, messages, 3)
	parts := messages[0].UserInputMultiContent
	require.Len(t, parts, 2)
	require.Equal(t, "a point", parts[0].Text)
	require.Equal(t, schema.ChatMessagePartTypeImageURL, parts[1].Type)
	require.Equal(t, "image/png", parts[1].Image.MIMEType)
	require.NotEmpty(t, parts[1].Image.Base64Data)
	require.Equal(t, "Title: One\nSource: https://example.com\nfirst\nThe tool Add was found; it can be called.", messages[1].Content)
	require.Equal(t, schema.User, messages[2].Role)
	require.Equal(t, "Look at it.", messages[2].Content)

	s := &script{messages: [][]schema.ToolCall{{call("1", "Show", ``)}}}
	_, err = runReact(t.Context(), tools, s)
	require.NoError(t, err)
	require.Equal(t, []string{fmt.Sprintf("a point\n(%d bytes of type image/png cannot be shown here)\nLook at it.", len(picture))}, s.results())
}

// TestSchemas: no tool that ships loses a part of its schema.
func TestSchemas(t *testing.T) {
	t.Parallel()
	set, err := builtin.Tools(builtin.Options{})
	require.NoError(t, err)
	s, err := set.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close(t.Context())) }()
	tools := 0
	for d := range set.Pool(t.Context(), s).Declarations(pegboard.Builtin) {
		tools++
		made, err := eino.SchemaOf(d.InputSchema)
		require.NoError(t, err)
		text, err := json.Marshal(made)
		require.NoError(t, err)
		require.JSONEq(t, string(d.InputSchema), string(text), d.Name)
	}
	require.Greater(t, tools, 10)

	older := `{"type": "object", "definitions": {"A": {"type": "string"}}, "properties": {"a": {"$ref": "#/definitions/A"}}}`
	made, err := eino.SchemaOf(json.RawMessage(older))
	require.NoError(t, err)
	text, err := json.Marshal(made)
	require.NoError(t, err)
	require.JSONEq(t, older, string(text))
	_, err = eino.SchemaOf(json.RawMessage(`{"type": 1}`))
	require.Error(t, err)
}

// TestMisuse: nothing runs, and the error says why.
func TestMisuse(t *testing.T) {
	t.Parallel()
	_, err := eino.New(nil, nil)
	require.ErrorIs(t, err, eino.ErrNoPool)
	_, err = eino.New(new(pegboard.Executor), new(pegboard.Pool))
	require.ErrorIs(t, err, eino.ErrNoPool)
	var none eino.Tools
	require.Empty(t, none.Infos())
	_, err = none.Run(t.Context(), schema.AssistantMessage("", []schema.ToolCall{call("1", "Add", ``)}))
	require.ErrorIs(t, err, eino.ErrNoPool)
	_, err = none.NodeConfig().UnknownToolsHandler(t.Context(), "Add", ``)
	require.ErrorIs(t, err, eino.ErrNoPool)

	tools := newTools(t, newSession(t, pegboard.SessionConfig{Permissions: allowing(t, "Add")}), add)
	for _, m := range []*schema.Message{nil, schema.AssistantMessage("done", nil)} {
		results, err := tools.Run(t.Context(), m)
		require.NoError(t, err)
		require.Empty(t, results)
	}
	for _, name := range []string{"Add", "Gone"} {
		a, err := newReact(t.Context(), tools, &script{messages: [][]schema.ToolCall{{call("1", name, `{}`)}}})
		require.NoError(t, err)
		_, err = a.Generate(t.Context(), question)
		require.ErrorIs(t, err, eino.ErrNoHandler)
	}
	text, err := tools.NodeConfig().UnknownToolsHandler(t.Context(), "Add", `{"a": 1, "b": 2}`)
	require.NoError(t, err, "a program may call a tool itself")
	require.Equal(t, "3", text)
}

// interrupting is a tool of eino that wants to be resumed.
type interrupting struct{ calls int }

func (*interrupting) Info(context.Context) (*schema.ToolInfo, error) {
	return &schema.ToolInfo{Name: "approve"}, nil
}

// TestInterrupt: a tool of eino beside ours interrupts the run. After the resume ours, which has
// run, is not called again.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	calls := 0
	count := pegboard.BuildFunc("Count", "Counts.", func(context.Context, struct{}) (int, error) { calls++; return calls, nil })
	config := newTools(t, newSession(t, pegboard.SessionConfig{Permissions: allowing(t, "Count")}), count).NodeConfig()
	config.Tools = append(config.Tools, &interrupting{})
	node, err := compose.NewToolNode(t.Context(), &config)
	require.NoError(t, err)
	g := compose.NewGraph[*schema.Message, []*schema.Message]()
	require.NoError(t, errors.Join(g.AddToolsNode("tools", node), g.AddEdge(compose.START, "tools"), g.AddEdge("tools", compose.END)))
	r, err := g.Compile(t.Context(), compose.WithCheckPointStore(&store{}))
	require.NoError(t, err)
	options := []compose.Option{compose.WithCheckPointID("1"), compose.WithCallbacks(eino.Handler())}
	_, err = r.Invoke(t.Context(), schema.AssistantMessage("", []schema.ToolCall{call("1", "Count", ``), call("2", "approve", ``)}), options...)
	info, ok := compose.ExtractInterruptInfo(err)
	require.True(t, ok, err)
	results, err := r.Invoke(compose.Resume(t.Context(), info.InterruptContexts[0].ID), nil, options...)
	require.NoError(t, err)
	require.Len(t, results, 2)
	require.Equal(t, "1", results[0].Content)
	require.Equal(t, "approved", results[1].Content)
	require.Equal(t, 1, calls)
}
