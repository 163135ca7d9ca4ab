package shellparse

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEndOfIsJoin: where the text comes from makes no difference to it.
func TestEndOfIsJoin(t *testing.T) {
	t.Parallel()
	plain := []arg{word("npm"), word("run"), {value: "a b", known: true, source: `"a b"`}}
	braces := []arg{word("cp"), {value: "a", known: true, source: "{a,b}", cont: true}, {value: "b", known: true, source: "{a,b}", cont: true}}
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
		{name: "words that a program adds", text: "rm ", args: []arg{word("rm"), fed}, want: "rm"},
		{name: "nothing", text: "ls", args: nil, want: ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, endOf(tt.text, tt.args))
			require.Equal(t, tt.want, join(tt.args, source))
		})
	}
}

func TestHas(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		list, name string
		want       bool
	}{
		{list: "-x --exec run", name: "-x", want: true},
		{list: "-x --exec run", name: "--exec", want: true},
		{list: "-x --exec run", name: "run", want: true},
		{list: "-x --exec run", name: "--exe"},
		{list: "-x --exec run", name: "exec"},
		{list: "-x --exec run", name: "-x --exec"},
		{list: "-x --exec run", name: ""},
		{list: "", name: ""},
		{list: "", name: "run"},
	} {
		require.Equal(t, tt.want, has(tt.list, tt.name), "%q in %q", tt.name, tt.list)
	}
}

func FuzzHas(f *testing.F) {
	for _, list := range []string{"", " ", "a", "aaa b", "ab a", "a  b", " a ", "--fix-all --fix", "a\tb"} {
		for _, name := range []string{"", " ", "a", "aa", "a b", "b ", "--fix", "\t"} {
			f.Add(list, name)
		}
	}
	f.Fuzz(func(t *testing.T, list, name string) {
		require.Equal(t, name != "" && slices.Contains(strings.Split(list, " "), name), has(list, name))
	})
}

func TestInteractiveShellsAreShells(t *testing.T) {
	t.Parallel()
	for name := range interactive {
		require.Contains(t, shells, name)
	}
}
