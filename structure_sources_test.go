package pegboard_test

import (
	"go/ast"
	"go/build"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// checkedSources are the packages of the module and of the standard library, type-checked
// from their sources without the bodies of functions. Nothing is compiled, and neither a cache
// nor the network is used. The declarations of other modules, and of internal packages of the
// standard library, are unknown: no exported signature of the module has one of their types.
// The files are those of one platform, on every platform that the test runs on.
type checkedSources struct {
	module   fs.FS
	standard fs.FS
	platform build.Context
	fset     *token.FileSet
	packages map[string]*types.Package
}

func newCheckedSources(module fs.FS) *checkedSources {
	platform := build.Default
	platform.GOOS, platform.GOARCH, platform.CgoEnabled = "linux", "amd64", false
	platform.JoinPath = path.Join
	if platform.GOROOT == "" { // the test was built with -trimpath
		root, _ := exec.Command("go", "env", "GOROOT").Output()
		platform.GOROOT = strings.TrimSpace(string(root))
	}
	return &checkedSources{
		module:   module,
		standard: os.DirFS(filepath.Join(platform.GOROOT, "src")),
		platform: platform,
		fset:     token.NewFileSet(),
		packages: map[string]*types.Package{"unsafe": types.Unsafe},
	}
}

// majorVersion is the last element of the paths of some modules, and no name of a package.
var majorVersion = regexp.MustCompile(`/v[0-9]+$`)

// Import implements [types.Importer].
func (s *checkedSources) Import(importPath string) (*types.Package, error) {
	if known := s.packages[importPath]; known != nil {
		return known, nil
	}
	imp := goImport{path: importPath}
	folder, own := imp.own()
	switch {
	case own:
		return s.load(s.module, importPath, folder)
	case !imp.thirdParty() && !strings.Contains("/"+importPath, "/internal/"):
		return s.load(s.standard, importPath, importPath)
	}
	unknown := types.NewPackage(importPath, path.Base(majorVersion.ReplaceAllString(importPath, "")))
	unknown.MarkComplete()
	s.packages[importPath] = unknown
	return unknown, nil
}

func (s *checkedSources) load(from fs.FS, importPath, folder string) (*types.Package, error) {
	files, err := s.parse(from, folder, func(name string) bool { return !strings.HasSuffix(name, "_test.go") })
	if err != nil {
		return nil, err
	}
	s.packages[importPath] = s.check(importPath, files, true, nil)
	return s.packages[importPath], nil
}

// check type-checks files and ignores errors, which unknown declarations cause.
func (s *checkedSources) check(importPath string, files []*ast.File, signatures bool, info *types.Info) *types.Package {
	config := types.Config{Importer: s, IgnoreFuncBodies: signatures, FakeImportC: true, Error: func(error) {}}
	checked, _ := config.Check(importPath, s.fset, files, info)
	return checked
}

// parse parses the files of a folder whose names are wanted and that the platform has.
func (s *checkedSources) parse(from fs.FS, folder string, wanted func(name string) bool) ([]*ast.File, error) {
	entries, err := fs.ReadDir(from, folder)
	if err != nil {
		return nil, err
	}
	platform := s.platform
	platform.OpenFile = func(name string) (io.ReadCloser, error) { return from.Open(name) }
	var files []*ast.File
	for _, entry := range entries {
		name := entry.Name()
		if path.Ext(name) != ".go" || !wanted(name) {
			continue
		}
		if matches, err := platform.MatchFile(folder, name); err != nil || !matches {
			if err != nil {
				return nil, err
			}
			continue
		}
		file, err := parseGoFile(s.fset, from, path.Join(folder, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file.syntax)
	}
	return files, nil
}
