package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// cardOf returns the card of a call's question, after the calls before it ran.
func cardOf(t *testing.T, calls ...pegboard.Call) *card {
	t.Helper()
	var made *card
	h := startHost(t, newProject(t), func(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
		made = newCard(ctx, q)
		return policy.Decision{Behavior: policy.Allow}, nil
	}, nil)
	for _, c := range calls {
		out := (<-begin(t.Context(), t, h, "", c))[0]
		t.Log(out.Result.Text())
	}
	require.NotNil(t, made)
	return made
}

func TestCards(t *testing.T) {
	t.Parallel()
	read := call("Read", `{"file_path": "greeting.txt"}`)
	tests := []struct {
		name  string
		calls []pegboard.Call
		shows []string
		not   []string
	}{
		{name: "an edit", calls: []pegboard.Call{read, call("Edit", `{"file_path": "greeting.txt", "old_string": "Hello", "new_string": "Bye"}`)},
			shows: []string{"│ -Hello, world!\n│ +Bye, world!\n│  How are you?\n"}, not: []string{"input:", "more lines"}},
		{name: "an edit that would fail outside of the project", calls: []pegboard.Call{call("Edit", `{"file_path": "../none.txt", "old_string": "Servus", "new_string": "Bye"}`)},
			shows: []string{"│ note: it would fail: ", "│ input: {"}},
		{name: "the same text", calls: []pegboard.Call{read, write("greeting.txt", "Hello, world!\nHow are you?\n")},
			shows: []string{"│ note: no visible change"}},
		{name: "an empty file", calls: []pegboard.Call{write("a", "")}, shows: []string{"│ note: a new file, which is empty\n"}},
		{name: "a long file", calls: []pegboard.Call{write("a", strings.Repeat("x\n", 1000))},
			shows: []string{"│ @@ -0,0 +1,1000 @@\n", strings.Repeat("│ +x\n", maxLines-1) + "│ … 961 more lines\n"}},
		{name: "more than a preview has", calls: []pegboard.Call{write("a", strings.Repeat("x\n", 600_000))}, shows: []string{"│ … 599961 more lines\n"}},
		{name: "a long line", calls: []pegboard.Call{write("a", strings.Repeat("x", 1000))}, shows: []string{"│ +" + strings.Repeat("x", 399) + " … 601 more characters\n"}},
		{name: "a command", calls: []pegboard.Call{call("Bash", `{"command": "touch a", "description": "makes a"}`)},
			shows: []string{"┌ the agent asks: Run touch a\n", "│   run touch a\n", "makes a"}, not: []string{"note:"}},
		{name: "a command of several lines", calls: []pegboard.Call{call("Bash", `{"command": "touch 'a\n┌ the agent asks: Read'"}`)},
			shows: []string{"│   ┌ the agent asks: Read"}, not: []string{"\n┌ the agent asks: Read"}},
		{name: "what moves the cursor", calls: []pegboard.Call{call("Bash", `{"command": "touch a\u001b[2K\rls"}`)}, not: []string{"\x1b", "\r"}},
		{name: "what turns text around", calls: []pegboard.Call{write("a\u202etxt.exe", "b\u202ec\x9b\n")},
			shows: []string{`a\u202etxt.exe`, `│ +b\u202ec`}, not: []string{"\u202e", "\u009b"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := cardOf(t, tc.calls...)
			shown := c.String()
			for _, s := range tc.shows {
				require.Contains(t, shown, s)
			}
			for _, s := range tc.not {
				require.NotContains(t, shown, s)
			}
			for line := range strings.Lines(shown) {
				require.Regexp(t, "^[┌│]", line)
			}
			_, err := json.Marshal(c)
			require.NoError(t, err)
		})
	}
}
