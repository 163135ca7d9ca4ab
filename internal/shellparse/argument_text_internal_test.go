package shellparse

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestJoinSourcesIsJoinArgs: where the text comes from makes no difference to it.
func TestJoinSourcesIsJoinArgs(t *testing.T) {
	t.Parallel()
	plain := []arg{literalArg("npm"), literalArg("run"), {value: "a b", known: true, source: `"a b"`}}
	braces := []arg{literalArg("cp"), {value: "a", known: true, source: "{a,b}", fromBraces: true}, {value: "b", known: true, source: "{a,b}", fromBraces: true}}
	for _, tt := range []struct {
		name string
		text string
		args []arg
		want string
	}{
		{name: "all of it", text: `npm run "a b"`, args: plain, want: `npm run "a b"`},
		{name: "behind an assignment", text: `X=1 npm run "a b"`, args: plain, want: `npm run "a b"`},
		{name: "the last words", text: `npm run "a b"`, args: plain[1:], want: `run "a b"`},
		{name: "two blanks", text: `npm  run "a b"`, args: plain, want: `npm run "a b"`},
		{name: "a redirection among them", text: `npm >f run "a b"`, args: plain, want: `npm run "a b"`},
		{name: "another text", text: "", args: plain, want: `npm run "a b"`},
		{name: "a longer first word", text: `xnpm run "a b"`, args: plain, want: `npm run "a b"`},
		{name: "braces", text: "cp {a,b}", args: braces, want: "cp {a,b}"},
		{name: "braces in two words", text: "cp {a,b} {a,b}", args: braces, want: "cp {a,b}"},
		{name: "words that a program adds", text: "rm ", args: []arg{literalArg("rm"), addedArgs}, want: "rm"},
		{name: "nothing", text: "ls", args: nil, want: ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, joinSources(tt.text, tt.args))
			require.Equal(t, tt.want, joinArgs(tt.args, sourceText))
		})
	}
}
