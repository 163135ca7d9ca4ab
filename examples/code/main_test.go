package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/reference"
	"github.com/seed49eaa51d/pegboard/tools/code"
)

// TestMain lets the program of the tests be the server, as the example itself is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		if err := serve(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// inOrder requires that texts follow each other in a story.
func inOrder(t *testing.T, story string, texts ...string) {
	t.Helper()
	rest := story
	for _, want := range texts {
		_, after, ok := strings.Cut(rest, want)
		require.True(t, ok, "%q is not in what follows: %s", want, story)
		rest = after
	}
}

// TestRun: the story is told as the comment of the program says, and a second run does not
// differ.
func TestRun(t *testing.T) {
	t.Parallel()
	var stories []string
	for range 2 {
		own, err := ownServer()
		require.NoError(t, err)
		var out strings.Builder
		require.NoError(t, run(t.Context(), &out, []code.Server{own}))
		inOrder(t, out.String(),
			"function counted", "outline.go\n", "counted(left,", `"operation":"goToDefinition"`, "excerpt.go\n", "func counted[",
			"indented:\n      func counted[N int | int64](n N, noun string) string",
			"function parseNumber", "New errors in SCRATCH/ipv4.go, found by example:\n", "operator ! not defined on ok", "cannot use err == nil",
			"Edited SCRATCH/ipv4.go", "Edited SCRATCH/ipv4.go", "n, err := parseNumber(part, bits)\n", "indented:\n      func parseNumber(text string, bits int) (n uint64, err error)",
		)
		require.Equal(t, 1, strings.Count(out.String(), "New errors"))
		stories = append(stories, out.String())
	}
	require.Equal(t, stories[0], stories[1])
}

// TestRunWithGopls: the same story with the real server. It may be late with what an edit broke,
// which then is not told.
func TestRunWithGopls(t *testing.T) {
	t.Parallel()
	servers := code.Known()[:1]
	servers[0].Command = reference.Args(t, reference.Gopls)
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out, servers))
	inOrder(t, out.String(),
		"function counted", "outline.go\n", "counted(left,", `"operation":"goToDefinition"`, "excerpt.go\n", "func counted[",
		"The words of gopls", "func counted(", "function parseNumber", "Edited SCRATCH/ipv4.go", "n, err := parseNumber(part, bits)\n",
		"parseNumber reads a number",
	)
}
