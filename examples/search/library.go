package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
)

// A library is one package with its functions.
type library struct {
	path, about string
	functions   []function
}

// standardLibrary reads the sources of the standard library of the Go installation.
func standardLibrary() (all []library, err error) {
	src := filepath.Join(build.Default.GOROOT, "src")
	err = filepath.WalkDir(src, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		switch d.Name() {
		case "cmd", "internal", "vendor", "testdata", "builtin", "unsafe":
			return filepath.SkipDir
		}
		path, _ := filepath.Rel(src, dir)
		if lib := read(dir, filepath.ToSlash(path)); len(lib.functions) > 0 {
			all = append(all, lib)
		}
		return nil
	})
	return all, err
}

// read returns the exported functions of a package. A package that does not build on
// this system has none.
func read(dir, path string) (lib library) {
	listed, err := build.ImportDir(dir, 0)
	if err != nil {
		return lib
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range listed.GoFiles {
		if f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.ParseComments); err == nil {
			files = append(files, f)
		}
	}
	p, err := doc.NewFromFiles(fset, files, path)
	if err != nil {
		return lib
	}
	lib = library{path: path, about: p.Synopsis(p.Doc)}
	for _, list := range append([][]*doc.Func{p.Funcs}, constructors(p)...) {
		for _, f := range list {
			lib.functions = append(lib.functions, describe(path, p.Synopsis(f.Doc), f.Decl))
		}
	}
	return lib
}

// constructors returns the functions that the documentation lists below their type.
func constructors(p *doc.Package) (lists [][]*doc.Func) {
	for _, t := range p.Types {
		lists = append(lists, t.Funcs)
	}
	return lists
}

func describe(path, about string, decl *ast.FuncDecl) function {
	f := function{pkg: path, name: decl.Name.Name, about: about, result: decl.Type.Results != nil}
	for _, field := range decl.Type.Params.List {
		names := field.Names
		if names == nil {
			names = []*ast.Ident{{Name: "_"}}
		}
		for _, n := range names {
			name := n.Name
			if name == "_" {
				name = fmt.Sprint("arg", len(f.params))
			}
			f.params = append(f.params, param{name, types.ExprString(field.Type)})
		}
	}
	return f
}
