package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// listed is a package as the go command lists it. A package with the files of its tests has
// a path of its own.
type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	ImportMap  map[string]string
	Module     *struct {
		Main      bool
		GoVersion string
	}
	Error *struct{ Err string }
}

// isOurs reports whether the package belongs to the module, and was not generated.
func (l listed) isOurs() bool {
	return l.Module != nil && l.Module.Main && !strings.HasSuffix(l.ImportPath, ".test")
}

// A checker type-checks packages for one system, each after its imports.
type checker struct {
	set      *token.FileSet
	sizes    types.Sizes
	packages map[string]*types.Package
	problems []error
}

// check returns the type errors of the packages of the module in dir, and the number of packages.
func check(dir, system, architecture string) (problems []error, checked int, err error) {
	all, err := list(dir, system, architecture)
	if err != nil {
		return nil, 0, err
	}
	c := &checker{set: token.NewFileSet(), sizes: types.SizesFor("gc", architecture), packages: map[string]*types.Package{"unsafe": types.Unsafe}}
	if c.sizes == nil {
		return nil, 0, fmt.Errorf("the architecture %q is not known", architecture)
	}
	for _, l := range all {
		if l.Error != nil {
			return nil, 0, errors.New(l.Error.Err)
		}
		if err := c.check(l); err != nil {
			return nil, 0, err
		}
		if l.isOurs() {
			checked++
		}
	}
	return c.problems, checked, nil
}

// list returns the packages of the module and all that they import, in the order in which
// they can be checked.
func list(dir, system, architecture string) (all []listed, err error) {
	cmd := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,ImportMap,Module,Error", "./...")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+architecture, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
}

// check type-checks a package. Of one that is not ours, only what others can refer to counts.
func (c *checker) check(l listed) error {
	if l.ImportPath == "unsafe" || strings.HasSuffix(l.ImportPath, ".test") {
		return nil
	}
	var files []*ast.File
	for _, name := range l.GoFiles {
		if !filepath.IsAbs(name) {
			name = filepath.Join(l.Dir, name)
		}
		file, err := parser.ParseFile(c.set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, file)
	}
	config := types.Config{
		Importer: importer{c, l.ImportMap}, Sizes: c.sizes, IgnoreFuncBodies: !l.isOurs(), FakeImportC: true,
		Error: func(err error) {
			if l.isOurs() {
				c.problems = append(c.problems, err)
			}
		},
	}
	if l.Module != nil && l.Module.GoVersion != "" {
		config.GoVersion = "go" + l.Module.GoVersion
	}
	path, _, _ := strings.Cut(l.ImportPath, " ")
	c.packages[l.ImportPath], _ = config.Check(path, c.set, files, nil) // Error was told
	return nil
}

// An importer finds the packages that one package imports.
type importer struct {
	checker *checker
	mapped  map[string]string
}

// Import implements [types.Importer].
func (i importer) Import(path string) (*types.Package, error) {
	if to, ok := i.mapped[path]; ok {
		path = to
	}
	if p := i.checker.packages[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s was not listed", path)
}
