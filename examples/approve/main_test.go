package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWithoutATerminal: whoever answers, the program ends by itself and leaves
// nothing behind.
func TestWithoutATerminal(t *testing.T) {
	temporary := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, temporary)
	}
	tests := []struct {
		name     string
		answered func(ctx context.Context, in io.Reader, out, story io.Writer) error
		shows    []string
		not      []string
	}{
		{name: "script", answered: byScript, shows: []string{
			"writer asks: Write one.md", "missing required property", "> NOTES.md: edit, to", "(needs no answer any more)",
			"allow Bash(git add *) in localSettings", "nothing goes out before Monday", "leave the history alone",
			"The user wants you to stop here.", `"by":"person"`,
		}, not: []string{"the user never sees this", "(nobody is there)"}},
		{name: "terminal", answered: byTerminal, shows: []string{"(nobody is there)", "nobody can be asked"}, not: []string{`"by":"person"`}},
		{name: "lines", answered: byLines, shows: []string{"nobody can be asked"}, not: []string{`"by":"person"`}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			out, story := newScreen(), newScreen()
			require.NoError(t, tc.answered(t.Context(), strings.NewReader(""), out, story))
			all := out.String() + story.String()
			for _, s := range tc.shows {
				require.Contains(t, all, s)
			}
			for _, s := range tc.not {
				require.NotContains(t, all, s)
			}
			left, err := os.ReadDir(temporary)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

// TestLinesAreNothingButLines: the story does not get between them.
func TestLinesAreNothingButLines(t *testing.T) {
	t.Parallel()
	out := newScreen()
	require.NoError(t, byLines(t.Context(), strings.NewReader("{}\n"), out, io.Discard))
	for line := range strings.Lines(out.String()) {
		var m message
		require.NoError(t, json.Unmarshal([]byte(line), &m), line)
	}
	require.Contains(t, out.String(), `{"ask":{`)
}

// TestScriptThatDoesNotFit ends all the same, when the context does.
func TestScriptThatDoesNotFit(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	asked, questions := io.Pipe()
	answers, said := io.Pipe()
	gone := make(chan error, 1)
	out := newScreen()
	go func() { gone <- playPerson(personScript[2:3], asked, said, out) }()
	go func() {
		out.expect("greeting.txt: once")
		cancel()
	}()
	require.ErrorIs(t, byLines(ctx, answers, questions, io.Discard), context.Canceled)
	require.NoError(t, questions.Close())
	require.NoError(t, <-gone)
}
