package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const small = `
package p

// A Shape is closed.
type Shape interface {
	Area() float64
	hidden()
}

type Point struct {
	inner
	*Base
	X, Y int
	Move func(by int) (ok bool)
	note string
}

type inner struct{ Depth int }

func (inner) Dive(down int) {}

type Base struct{ Name string }

func (b *Base) Rename(to ...string) error { return nil }

type Pair[K comparable, V any] struct { Key K; Value V }

func (p *Pair[A, B]) Swap() map[A][]B { return nil }

type Level uint8

const (
	Low Level = iota
	High
)

const Most = 1 << 10

var ErrFull, errHidden error

func Join(parts []string, sep string) string { return "" }

func Map[T, U any](list []T, to func(T) U) []U { return nil }

type Points = []Point
`

func TestLines(t *testing.T) {
	t.Parallel()
	want := strings.Split(`const High Level = 1
const Low Level = 0
const Most = 1024
func Join([]string, string) string
func Map[$0 any, $1 any]([]$0, func($0) $1) []$1
method (*Base) Rename(...string) error
method (*Pair[$0, $1]) Swap() map[$0][]$1
method (Point) Dive(int)
method (Point) Rename(...string) error
type Base struct
type Base struct, Name string
type Level uint8
type Pair struct, Key $0
type Pair struct, Value $1
type Pair[$0 comparable, $1 any] struct
type Point struct
type Point struct, Depth int
type Point struct, Move func(int) bool
type Point struct, X int
type Point struct, Y int
type Point struct, embedded *Base
type Points = []Point
type Shape interface { Area, unexported methods }
type Shape interface, Area() float64
var ErrFull error`, "\n")
	for i := range want {
		want[i] = "pkg example.com/p, " + want[i]
	}
	require.Equal(t, want, linesOf(t, small))
}

// TestLinesShowChanges makes one change at a time.
func TestLinesShowChanges(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, old, new string
		gone, more     []string
	}{
		{name: "a comment", old: "// A Shape is closed.", new: "// A Shape is open."},
		{name: "a name of a parameter", old: "sep string", new: "by string"},
		{name: "a field that nobody sees", old: "note string", new: "note int"},
		{name: "an added field", old: "X, Y int", new: "X, Y, Z int", more: []string{"type Point struct, Z int"}},
		{
			name: "another type of a field", old: "X, Y int", new: "X, Y int64",
			gone: []string{"type Point struct, X int", "type Point struct, Y int"}, more: []string{"type Point struct, X int64", "type Point struct, Y int64"},
		},
		{
			name: "a changed signature", old: "sep string) string {", new: "sep bool) string {",
			gone: []string{"func Join([]string, string) string"}, more: []string{"func Join([]string, bool) string"},
		},
		{
			name: "another receiver", old: "func (b *Base)", new: "func (b Base)",
			gone: []string{"method (*Base) Rename(...string) error"}, more: []string{"method (Base) Rename(...string) error"},
		},
		{name: "a removed const", old: "\n\tHigh\n", new: "\n", gone: []string{"const High Level = 1"}},
		{name: "another value", old: "1 << 10", new: "1 << 9", gone: []string{"const Most = 1024"}, more: []string{"const Most = 512"}},
		{
			name: "an added method of an interface", old: "Area() float64", new: "Area() float64; Sides() int",
			gone: []string{"type Shape interface { Area, unexported methods }"},
			more: []string{"type Shape interface { Area, Sides, unexported methods }", "type Shape interface, Sides() int"},
		},
		{
			name: "an opened interface", old: "\thidden()\n", new: "",
			gone: []string{"type Shape interface { Area, unexported methods }"}, more: []string{"type Shape interface { Area }"},
		},
		{name: "a removed variable", old: "ErrFull, errHidden", new: "errHidden", gone: []string{"var ErrFull error"}},
		{
			name: "another constraint", old: "K comparable", new: "K ~string",
			gone: []string{"type Pair[$0 comparable, $1 any] struct"}, more: []string{"type Pair[$0 ~string, $1 any] struct"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, small, tt.old)
			before, after := linesOf(t, small), linesOf(t, strings.Replace(small, tt.old, tt.new, 1))
			require.Equal(t, tt.gone, missing(before, after), "lines that are gone")
			require.Equal(t, tt.more, missing(after, before), "lines that are new")
		})
	}
}

func TestPublicPackages(t *testing.T) {
	t.Parallel()
	own, files := &struct{ Main bool }{Main: true}, []string{"a.go"}
	for _, tt := range []struct {
		name   string
		listed listed
		want   bool
	}{
		{name: "the root", listed: listed{ImportPath: "example.com/m", Name: "m", GoFiles: files, Module: own}, want: true},
		{name: "below it", listed: listed{ImportPath: "example.com/m/internally", Name: "internally", GoFiles: files, Module: own}, want: true},
		{name: "tests alone", listed: listed{ImportPath: "example.com/m/docs", Name: "docs", Module: own}},
		{name: "internal", listed: listed{ImportPath: "example.com/m/wire/internal/sse", Name: "sse", GoFiles: files, Module: own}},
		{name: "a program", listed: listed{ImportPath: "example.com/m/examples/loop", Name: "main", GoFiles: files, Module: own}},
		{name: "of another module", listed: listed{ImportPath: "example.com/n", Name: "n", GoFiles: files, Module: &struct{ Main bool }{}}},
		{name: "of the standard library", listed: listed{ImportPath: "fmt", Name: "fmt", GoFiles: files}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, tt.listed.isPublic())
		})
	}
}

func linesOf(t *testing.T, text string) []string {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", text, 0)
	require.NoError(t, err)
	var cfg types.Config
	p, err := cfg.Check("example.com/p", fset, []*ast.File{file}, nil)
	require.NoError(t, err)
	all := lines(p)
	slices.Sort(all)
	return all
}

// missing returns what only the first list has, without the package.
func missing(list, from []string) []string {
	var only []string
	for _, line := range list {
		if !slices.Contains(from, line) {
			only = append(only, strings.TrimPrefix(line, "pkg example.com/p, "))
		}
	}
	return only
}
