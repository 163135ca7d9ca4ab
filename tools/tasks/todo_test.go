package tasks_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tasks"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// todos makes a list of lines such as "x Find it": x is completed, > in progress, anything else
// pending.
func todos(lines ...string) []tasks.Todo {
	list := []tasks.Todo{}
	for _, line := range lines {
		mark, content, _ := strings.Cut(line, " ")
		status := tasks.Pending
		switch mark {
		case "x":
			status = tasks.Completed
		case ">":
			status = tasks.InProgress
		}
		list = append(list, tasks.Todo{Content: content, Status: status, ActiveForm: "Doing: " + content})
	}
	return list
}

func write(t *testing.T, s *pegboard.Session, o tasks.TodoOptions, lines ...string) tasks.TodoResult {
	t.Helper()
	input, err := json.Marshal(map[string]any{"todos": todos(lines...)})
	require.NoError(t, err)
	out := tooltest.Run(t.Context(), tasks.TodoWrite(o), s, string(input))
	require.NoError(t, out.Err)
	result, ok := out.Result.Data.(tasks.TodoResult)
	require.True(t, ok)
	require.Equal(t, todos(lines...), tasks.Todos(s))
	require.Equal(t, result.NewTodos, tasks.Todos(s))
	return result
}

func TestTodosAreReplaced(t *testing.T) {
	t.Parallel()
	s := session(t)
	require.Empty(t, tasks.Todos(s))
	require.Empty(t, tasks.Todos(nil))
	require.Empty(t, write(t, s, tasks.TodoOptions{}, "- a", "> b").OldTodos)
	require.Equal(t, todos("- a", "> b"), write(t, s, tasks.TodoOptions{}, "x a", "x b").OldTodos)
	fork, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "x"})
	require.NoError(t, err)
	require.Empty(t, tasks.Todos(fork))
	write(t, fork, tasks.TodoOptions{}, "- c")
	require.Equal(t, todos("x a", "x b"), tasks.Todos(s), "a list that is done stays, and that of a fork is its own")
	tasks.Todos(s)[0].Content = "changed"
	require.Equal(t, todos("x a", "x b"), tasks.Todos(s))
	result := write(t, s, tasks.TodoOptions{})
	require.Equal(t, todos("x a", "x b"), result.OldTodos)
	data, err := json.Marshal(write(t, s, tasks.TodoOptions{}))
	require.NoError(t, err)
	require.JSONEq(t, `{"oldTodos":[],"newTodos":[]}`, string(data))
}

// TestVerification: a step is asked for once for a list.
func TestVerification(t *testing.T) {
	t.Parallel()
	none, german := []string{}, []string{"prüfen"}
	tests := []struct {
		name  string
		words []string
		lists [][]string
		asks  []bool
	}{
		{name: "three", lists: [][]string{{"x a", "x b", "> c"}, {"x a", "x b", "x c"}}, asks: []bool{false, true}},
		{name: "once", lists: [][]string{{"x a", "x b", "x c", "- d"}, {"x a", "x b", "x c", "x d"}}, asks: []bool{true, false}},
		{name: "a new list", lists: [][]string{{"x a", "x b", "x c"}, {"x d", "x e", "x f"}, {"x d", "x e", "x f", "x g"}}, asks: []bool{true, true, false}},
		{name: "after an empty list", lists: [][]string{{"x a", "x b", "x c"}, {}, {"x a", "x b", "x c"}}, asks: []bool{true, false, true}},
		{name: "one verifies", lists: [][]string{{"x a", "x b", "x Run the TESTS."}}, asks: []bool{false}},
		{name: "by its active form only", lists: [][]string{{"x a", "x b", "x go (Reviewing)"}}, asks: []bool{false}},
		{name: "part of a word", lists: [][]string{{"x Build the checkout", "x Update to the latest", "x Write testimonials"}}, asks: []bool{true}},
		{name: "it is planned", lists: [][]string{{"x a", "x b", "x c", "- check it"}, {"x a", "x b", "x c", "x check it"}}, asks: []bool{true, false}},
		{name: "no words", words: none, lists: [][]string{{"x a", "x b", "x c"}}, asks: []bool{false}},
		{name: "other words", words: german, lists: [][]string{{"x a", "x b", "x alles prüfen"}, {"x d", "x e", "x test"}}, asks: []bool{false, true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, tool := session(t), tasks.TodoWrite(tasks.TodoOptions{Verification: tt.words})
			for i, lines := range tt.lists {
				input, err := json.Marshal(map[string]any{"todos": todos(lines...)})
				require.NoError(t, err)
				out := tooltest.Run(t.Context(), tool, s, string(input))
				require.NoError(t, out.Err)
				require.Equal(t, tt.asks[i], strings.Contains(out.Result.Text(), "none of them"), "%d: %s", i, out.Result.Text())
			}
		})
	}
}

func TestBadTodos(t *testing.T) {
	t.Parallel()
	s := session(t)
	write(t, s, tasks.TodoOptions{}, "- a")
	for _, tt := range []struct{ input, want string }{
		{`{"todos":[{"content":"a","status":"done","activeForm":"b"}]}`, `"done" is not allowed`},
		{`{"todos":[{"content":"a","status":"deleted","activeForm":"b"}]}`, `"deleted" is not allowed`},
		{`{"todos":[{"content":"a","status":"pending"}]}`, "activeForm"},
		{`{"todos":[{"content":" ","status":"pending","activeForm":"b"}]}`, "todos[0].content is empty"},
		{`{"todos":"none"}`, "want array"},
		{`{}`, "todos"},
		{fmt.Sprintf(`{"todos":[{"content":%q,"status":"pending","activeForm":"b"}]}`, strings.Repeat("a", tasks.MaxText+1)), "todos[0] has more than 10000 characters"},
		{`{"todos":[` + strings.Repeat(`{"content":"a","status":"pending","activeForm":"b"},`, tasks.MaxTodos) + `{"content":"a","status":"pending","activeForm":"b"}]}`, "the list has 1001 todos"},
	} {
		out := tooltest.Run(t.Context(), tasks.TodoWrite(tasks.TodoOptions{}), s, tt.input)
		require.Error(t, out.Err)
		require.Contains(t, out.Result.Text(), tt.want)
		require.Equal(t, todos("- a"), tasks.Todos(s))
	}
	out := tooltest.Run(t.Context(), tasks.TodoWrite(tasks.TodoOptions{}), s, `{"todos":[{"content":"a","status":"in_progress","activeForm":""},{"content":"a","status":"in_progress","activeForm":"b"}]}`)
	require.NoError(t, out.Err, "more than one in progress, and two equal lines, are no errors")
	require.Contains(t, out.Result.Text(), "2 are in progress; work on one at a time")
}
