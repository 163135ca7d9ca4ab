package tooltest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestParseTranscript(t *testing.T) {
	t.Parallel()
	got, err := tooltest.ParseTranscript("About files.\n\n-- rules --\nallow Read\n-- file a b.txt --\none\n\n-- result Read --\n| -- call --\n|\n| two\n-- turn --\n")
	require.NoError(t, err)
	require.Equal(t, &tooltest.Transcript{Comment: "About files.\n\n", Steps: []tooltest.Step{
		{Kind: tooltest.StepRules, Body: "allow Read\n"},
		{Kind: tooltest.StepFile, Name: "a b.txt", Body: "one\n\n"},
		{Kind: tooltest.StepResult, Name: "Read", Body: "-- call --\n\ntwo\n"},
		{Kind: tooltest.StepTurn},
	}}, got)
}

func TestParseTranscriptRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{name: "a step that is none", text: "-- calls --\n", want: `line 1: there is no step "calls"`},
		{name: "a result without bars", text: "-- result Read --\none\n", want: `line 2: the text of "result" stands behind "| "`},
		{name: "rules at the end", text: "-- turn --\n-- rules --\n", want: "rules and tools are the first steps"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := tooltest.ParseTranscript(tt.text)
			require.ErrorContains(t, err, tt.want)
		})
	}
}

// FuzzParseTranscript checks that a transcript that was read is written as a text that reads
// the same.
func FuzzParseTranscript(f *testing.F) {
	f.Add("comment\n-- file a --\nx\n-- result Read --\n| y\n|\n")
	f.Add("-- tools --\nRead\n-- asked  --\n|  z")
	f.Fuzz(func(t *testing.T, text string) {
		first, err := tooltest.ParseTranscript(text)
		if err != nil {
			return
		}
		again, err := tooltest.ParseTranscript(first.String())
		require.NoError(t, err)
		require.Equal(t, first.String(), again.String())
	})
}
