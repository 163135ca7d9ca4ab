package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// A mutant is one fault.
type mutant struct {
	number  int
	subject string
	at      string // path:line:column
	change  string // for a reader
}

// A source is a file whose mutants are being found.
type source struct {
	path    string
	text    string
	set     *token.FileSet
	file    *ast.File
	subject string
	next    int // the number of the next mutant
	mutants []mutant
	edits   []edit
}

// An edit puts text around a part of a file.
type edit struct {
	from, to      int // offsets
	before, after string
}

// mutate returns the text with a switch at each place that can be mutated, and the
// mutants, which are numbered from first.
func mutate(subject, path, text string, first int) (string, []mutant, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return "", nil, err
	}
	s := &source{path: path, text: text, set: set, file: file, subject: subject, next: first}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			s.function(f.Type, f.Body, declaredIn(f))
		}
	}
	return s.edited(), s.mutants, nil
}

// add makes a mutant of the part of the text from node to its end. The number stands for %d
// in before and after.
func (s *source) add(n ast.Node, before, after, change string) {
	edit := edit{from: s.offset(n.Pos()), to: s.offset(n.End())}
	number := fmt.Sprint(s.next)
	edit.before, edit.after = strings.ReplaceAll(before, "%d", number), strings.ReplaceAll(after, "%d", number)
	s.edits = append(s.edits, edit)
	at := s.set.Position(n.Pos())
	s.mutants = append(s.mutants, mutant{
		number: s.next, subject: s.subject, at: fmt.Sprintf("%s:%d:%d", s.path, at.Line, at.Column), change: change,
	})
	s.next++
}

func (s *source) offset(p token.Pos) int { return s.set.Position(p).Offset }

// of returns the text of a node.
func (s *source) of(n ast.Node) string { return s.text[s.offset(n.Pos()):s.offset(n.End())] }

// short returns the beginning of the text of a node, in one line.
func (s *source) short(n ast.Node) string {
	const limit = 80
	text := []rune(strings.Join(strings.Fields(s.of(n)), " "))
	if len(text) > limit {
		return string(text[:limit]) + "…"
	}
	return string(text)
}

// edited returns the text with all edits. Of two edits of the same part the earlier one is
// the inner one.
func (s *source) edited() string {
	type insertion struct {
		at, order, size, index int
		text                   string
	}
	var all []insertion
	for i, e := range s.edits {
		if e.before != "" {
			all = append(all, insertion{at: e.from, order: 1, size: e.from - e.to, index: -i, text: e.before})
		}
		if e.after != "" {
			all = append(all, insertion{at: e.to, order: 0, size: e.to - e.from, index: i, text: e.after})
		}
	}
	slices.SortFunc(all, func(a, b insertion) int {
		return cmp.Or(a.at-b.at, a.order-b.order, a.size-b.size, a.index-b.index)
	})
	var b strings.Builder
	done := 0
	for _, in := range all {
		b.WriteString(s.text[done:in.at])
		b.WriteString(in.text)
		done = in.at
	}
	b.WriteString(s.text[done:])
	return b.String()
}
