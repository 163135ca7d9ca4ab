package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

const prompt = "details > "

// person sits at a terminal.
type person struct {
	*screen
	t    *testing.T
	dir  string
	host *host
	keys io.WriteCloser
	put  chan struct{} // gets one for each question that is put in line
}

func newPerson(t *testing.T) *person {
	t.Helper()
	in, keys := io.Pipe()
	p := &person{screen: newScreen(), t: t, dir: newProject(t), keys: keys, put: make(chan struct{}, 10)}
	t.Cleanup(func() { require.NoError(t, keys.Close()) })
	p.host = startHost(t, p.dir, newTerminal(in, p.screen).ask, func(e pegboard.Event) {
		if e.Kind == pegboard.EventAsked {
			p.put <- struct{}{}
		}
	})
	return p
}

// types waits for a prompt and answers it. It returns what was shown before.
func (p *person) types(prompt, line string) string {
	p.t.Helper()
	shown := p.expect(prompt)
	_, err := fmt.Fprintln(p.keys, line)
	require.NoError(p.t, err)
	return shown
}

func TestTerminalAnswers(t *testing.T) {
	t.Parallel()
	type typed struct{ prompt, line string }
	tests := []struct {
		name  string
		typed []typed
		err   error
		says  string // to the model
		made  string
		shown []string
	}{
		{name: "once", typed: []typed{{prompt, " y "}}, made: "1\n", shown: []string{"│ +1\n", "the agent asks: Write a.txt"}},
		{name: "the rule, in one go", typed: []typed{{prompt, "a 1"}}, made: "1\n", shown: []string{"  1 allow Edit(/a.txt) in session\n"}},
		{name: "always, step by step", typed: []typed{{prompt, "a"}, {"which number? ", "1"}}, made: "1\n"},
		{name: "a number that there is not", typed: []typed{{prompt, "a"}, {"which number? ", ""}, {prompt, "y"}}, made: "1\n", shown: []string{"! suggestion 0 is not there"}},
		{name: "another input", typed: []typed{{prompt, "e"}, {"on one line: ", `{"file_path": "a.txt", "content": "2\n"}`}}, made: "2\n"},
		{name: "an input that does not fit", typed: []typed{{prompt, `e {"file_path": "a.txt"}`}, {prompt, "e {"}, {prompt, `e {"file_path": "a.txt", "content": ""}`}}, shown: []string{`! the changed input: invalid input: missing required property "content"`, "! the changed input: invalid input: "}},
		{name: "no input", typed: []typed{{prompt, "e"}, {"on one line: ", ""}, {prompt, "y"}}, made: "1\n", shown: []string{"! the new input is missing"}},
		{name: "deny", typed: []typed{{prompt, "n not on a Friday"}}, err: pegboard.ErrDenied, says: "not on a Friday"},
		{name: "deny, step by step", typed: []typed{{prompt, "n"}, {"why? the model will read it: ", "not on a Friday"}}, err: pegboard.ErrDenied, says: "not on a Friday"},
		{name: "stop", typed: []typed{{prompt, "s enough"}}, err: pegboard.ErrDenied, says: "wants you to stop"},
		{name: "nothing that there is", typed: []typed{{prompt, ""}, {prompt, "yes"}, {prompt, "y if you must"}, {prompt, "n no"}}, err: pegboard.ErrDenied, says: "no", shown: []string{"! answer with one of the letters", "! y takes nothing behind it"}},
		{name: "details", typed: []typed{{prompt, "d"}, {prompt, "y"}}, made: "1\n", shown: []string{"\n  +1\n"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t)
			done := begin(t.Context(), t, p.host, "", write("a.txt", "1\n"))
			for _, k := range tc.typed {
				p.types(k.prompt, k.line)
			}
			out := (<-done)[0]
			for _, s := range tc.shown {
				require.Contains(t, p.String(), s)
			}
			if tc.err != nil {
				require.ErrorIs(t, out.Err, tc.err)
				require.Contains(t, out.Result.Text(), tc.says)
				require.NoFileExists(t, filepath.Join(p.dir, "project", "a.txt"))
				return
			}
			require.NoError(t, out.Err)
			require.Equal(t, tc.made, readProject(t, p.dir, "a.txt"))
		})
	}
}

// TestTerminalShowsOneAfterTheOther, and what an answer settles not at all.
func TestTerminalShowsOneAfterTheOther(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	first := begin(t.Context(), t, p.host, "", stage("greeting.txt"))
	<-p.put
	second := begin(t.Context(), t, p.host, "helper", stage("."))
	<-p.put
	third := begin(t.Context(), t, p.host, "other", write("a", ""), write("b", ""))
	<-p.put
	<-p.put
	require.Contains(t, p.types(prompt, "a 2"), "the agent asks: Run git add")
	shown := p.types(prompt, "y")
	require.Contains(t, shown, "  2 allow Bash(git add *) in session\n")
	require.Contains(t, shown, "┌ other asks: Write a\n")
	require.Contains(t, shown, "└ 1 more waiting\n")
	require.Contains(t, p.types(prompt, "y"), "┌ other asks: Write b\n")
	for _, done := range []<-chan []pegboard.Outcome{first, second, third} {
		for _, out := range <-done {
			require.NoError(t, out.Err)
		}
	}
	require.NotContains(t, p.String(), "helper asks")
}

func TestTerminalTakesDownWhatNeedsNoAnswer(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	done := begin(ctx, t, p.host, "", write("a", ""))
	p.types(prompt, "n")
	p.expect("why? the model will read it: ")
	cancel(pegboard.ErrNewMessage)
	p.expect("(no answer is needed any more: the user sent a new message)")
	require.ErrorIs(t, (<-done)[0].Err, pegboard.ErrCancelled)

	_, err := fmt.Fprintln(p.keys, "y") // too late, and not meant for the next
	require.NoError(t, err)
	_, err = fmt.Fprint(p.keys, "") // goes to the read that follows, so that the line is in by now
	require.NoError(t, err)
	done = begin(t.Context(), t, p.host, "", write("b", ""))
	p.types(prompt, "n no")
	require.ErrorIs(t, (<-done)[0].Err, pegboard.ErrDenied)
}

func TestTerminalWithNobodyThere(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	done := begin(t.Context(), t, p.host, "", write("a", ""), write("b", ""))
	p.types(prompt, "n")
	require.NoError(t, p.keys.Close())
	for _, out := range <-done {
		require.ErrorIs(t, out.Err, pegboard.ErrNoApprover)
	}
	require.Equal(t, 2, strings.Count(p.String(), "(nobody is there)"))
}
