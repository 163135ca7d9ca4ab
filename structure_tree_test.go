package pegboard_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

const modulePath = "github.com/seed49eaa51d/pegboard"

// goFile is one non-test Go file of the module.
type goFile struct {
	path   string // slash-separated, from the module's root
	folder string // "." for the root package
	fset   *token.FileSet
	syntax *ast.File
}

// finding is one place where a file breaks a rule.
type finding struct {
	path string
	line int
	what string
}

func (f finding) String() string { return fmt.Sprintf("%s:%d: %s", f.path, f.line, f.what) }

func (f goFile) line(n ast.Node) int { return f.fset.Position(n.Pos()).Line }

func (f goFile) finding(n ast.Node, format string, args ...any) finding {
	return finding{path: f.path, line: f.line(n), what: fmt.Sprintf(format, args...)}
}

// below reports whether the file lies in folder or under it.
func (f goFile) below(folder string) bool { return isWithin(f.folder, folder) }

// exempt reports whether the file is in one of the folders of host code, which
// may start goroutines and processes as any program may.
func (f goFile) exempt() bool {
	return f.below("examples") || f.below("contrib") || f.below("bench")
}

// goImport is one import of a file.
type goImport struct {
	path string
	node ast.Node
}

func (f goFile) imports() []goImport {
	var all []goImport
	for _, spec := range f.syntax.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			all = append(all, goImport{path: p, node: spec})
		}
	}
	return all
}

// own returns the folder of a package of this module.
func (i goImport) own() (folder string, ok bool) {
	if i.path == modulePath {
		return ".", true
	}
	return strings.CutPrefix(i.path, modulePath+"/")
}

// thirdParty reports whether the import comes from another module: the standard
// library has no dot in the first element of its paths.
func (i goImport) thirdParty() bool {
	_, own := i.own()
	first, _, _ := strings.Cut(i.path, "/")
	return !own && strings.Contains(first, ".")
}

// isWithin reports whether p is tree or a path below it.
func isWithin(p, tree string) bool { return p == tree || strings.HasPrefix(p, tree+"/") }

// parseModule parses the non-test Go files of the module that fsys holds. Other
// modules below it, testdata and the folders that the go command leaves out are
// skipped. Build constraints are not: the rules hold on every platform.
func parseModule(fsys fs.FS) ([]goFile, error) {
	var files []goFile
	fset := token.NewFileSet()
	err := fs.WalkDir(fsys, ".", func(p string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if isForeign(fsys, p) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(p) != ".go" || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		file, err := parseGoFile(fset, fsys, p)
		files = append(files, file)
		return err
	})
	return files, err
}

func isForeign(fsys fs.FS, folder string) bool {
	if folder == "." {
		return false
	}
	name := path.Base(folder)
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" {
		return true
	}
	_, err := fs.Stat(fsys, path.Join(folder, "go.mod"))
	return err == nil
}

func parseGoFile(fset *token.FileSet, fsys fs.FS, p string) (goFile, error) {
	text, err := fs.ReadFile(fsys, p)
	if err != nil {
		return goFile{}, err
	}
	syntax, err := parser.ParseFile(fset, p, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return goFile{}, err
	}
	return goFile{path: p, folder: path.Dir(p), fset: fset, syntax: syntax}, nil
}
