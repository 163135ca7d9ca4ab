package main

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const head = "package p\n\nfunc mutantOn(int) bool { return false }\n\n"

func TestMutate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, function string
		want           []string // the changes
	}{
		{name: "condition", function: "func f(a bool) { if a { println() } }", want: []string{"not: a", "without: println()"}},
		{name: "equality", function: "func f(a int) bool { return a == 1 }", want: []string{"zero for: return a == 1", "not: a == 1"}},
		{name: "equality as a condition", function: "func f(a int) { for a != 1 { a++ } }", want: []string{"not: a != 1", "without: a++"}},
		{name: "bounds", function: "func f(a int) bool { return a < 1 || a >= 9 }", want: []string{
			"zero for: return a < 1 || a >= 9", "false for: a < 1", "false for: a >= 9", "equal, too: a < 1", "not when equal: a >= 9",
		}},
		{name: "operands", function: "func f(a, b, c bool) { if a && (b || !c) { return } }", want: []string{
			"not: a && (b || !c)", "true for: a", "true for: (b || !c)", "false for: b", "false for: !c",
		}},
		{name: "statements", function: "func f(a []int) { a[0] = 1; b := a; _ = b; defer clear(a); for range a { continue } }", want: []string{
			"without: a[0] = 1", "without: defer clear(a)", "without: continue",
		}},
		{name: "a panic stays", function: `func f() { panic("x") }`},
		{name: "results", function: `func f(a int) (n int, err error) { switch { case a > 1: return 1, nil }; return 0, nil }`, want: []string{
			"not: a > 1", "zero for: return 1, nil", "equal, too: a > 1",
		}},
		{name: "plain results", function: "func f(a bool) bool { if a { return true }; return false }", want: []string{"true for: return false", "not: a", "zero for: return true"}},
		{name: "a function in a function", function: "func f() func() string { return func() string { return `a` } }", want: []string{"zero for: return func() string { return `a` }", "zero for: return `a`"}},
		{name: "a type that is hidden", function: "func f() q { q := q(1); return q }\ntype q int"},
		{name: "constants", function: "func f() int { const a = 1 + 1; return 0 }"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text, mutants, err := mutate("s", "p.go", head+tt.function, 7)
			require.NoError(t, err)
			var changes []string
			for i, m := range mutants[1:] { // the switch itself has one
				require.Equal(t, 8+i, m.number)
				require.True(t, strings.HasPrefix(m.at, "p.go:5:"), m.at)
				changes = append(changes, m.change)
			}
			require.ElementsMatch(t, tt.want, changes)
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, "p.go", text, 0)
			require.NoError(t, err, text)
			_, err = (&types.Config{Importer: importer.Default()}).Check("p", set, []*ast.File{file}, nil)
			require.NoError(t, err, text)
			require.Equal(t, strings.Count(head+tt.function, "\n"), strings.Count(text, "\n"), "lines stay where they are")
		})
	}
}

// TestSubjects finds files and tests for all that is mutated.
func TestSubjects(t *testing.T) {
	t.Chdir("../..")
	for _, s := range subjects {
		paths, err := s.sources()
		require.NoError(t, err)
		require.NotEmpty(t, paths, s.name)
		require.NotEmpty(t, s.stages, s.name)
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	var all []mutant
	for i := range 100 {
		all = append(all, mutant{number: i + 1, subject: []string{"a", "b"}[i%2]})
	}
	require.Equal(t, all, options{}.choose(all))
	ten := options{number: 10, seed: 1}.choose(all)
	require.Len(t, ten, 10)
	require.Equal(t, ten, options{number: 10, seed: 1}.choose(all))
	require.NotEqual(t, ten, options{number: 10, seed: 2}.choose(all))
	require.Len(t, options{of: "b"}.choose(all), 50)
	require.Equal(t, all[41:42], options{one: 42, number: 10}.choose(all))
}

func TestReport(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	r := report{all: []mutant{{subject: "lane"}, {subject: "lane"}, {subject: "decide"}, {number: 4, subject: "decide", at: "a.go:1:2", change: "not: x"}}}
	r.alive = r.all[3:]
	require.NoError(t, r.print(&out, 75))
	require.Equal(t, "alive: a.go:1:2: not: x (-one 4)\ndecide: 1 of 2 mutants killed\nlane: 2 of 2 mutants killed\ntogether: 3 of 4 mutants killed, 75.0 %\n", out.String())
	require.Error(t, r.print(&out, 76))
}
