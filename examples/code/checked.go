package main

import (
	"cmp"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// A checked is the package of a file, as it was when a request came.
type checked struct {
	file   string
	fset   *token.FileSet
	uses   []use // by file and place
	errors []types.Error
}

// A use is a name in a file and its meaning.
type use struct {
	ident  *ast.Ident
	object types.Object
}

// check reads and checks the package of a file for s, without its tests.
func check(s *server, file string) checked {
	p := checked{file: file, fset: s.fset}
	names, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*.go")) // the pattern is well-formed
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		var text any // nil means that of the disk
		if open, ok := s.open[name]; ok {
			text = open
		}
		if syntax, _ := parser.ParseFile(s.fset, name, text, parser.SkipObjectResolution); syntax != nil { // the rest of a broken file counts
			files = append(files, syntax)
		}
	}
	info := types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: s.imports, Error: func(err error) {
		if e, ok := errors.AsType[types.Error](err); ok {
			p.errors = append(p.errors, e)
		}
	}}
	_, _ = config.Check(file, s.fset, files, &info) // Error has them all
	for _, names := range []map[*ast.Ident]types.Object{info.Defs, info.Uses} {
		for ident, object := range names {
			if object != nil {
				p.uses = append(p.uses, use{ident, object})
			}
		}
	}
	slices.SortFunc(p.uses, func(a, b use) int { return cmp.Compare(a.ident.Pos(), b.ident.Pos()) })
	return p
}

// at returns the meaning of the name at a position, or nil.
func (p checked) at(place position) types.Object {
	for _, u := range p.uses {
		begin := p.fset.Position(u.ident.Pos())
		column := place.Character + 1 - begin.Column
		if begin.Filename == p.file && begin.Line == place.Line+1 && column >= 0 && column < len(u.ident.Name) {
			return u.object
		}
	}
	return nil
}
