package housetest_test

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// TestEveryEntryPointHasAnExample lists the entry points without an Example.
//
// An entry point is an exported function of a package that other modules may import, or an
// exported method of an exported type there. Methods of an interface are entry points, and so
// are those that a type has from an unexported one or from an internal package. A method is
// no entry point if it only implements an interface of the standard library, see standardMethod.
//
// An Example of an entry point stands in the tests of its package. It is named after the entry
// point, or the code that the documentation shows of it refers to the entry point, by type and
// not by name alone. A call in a helper of the test does not count. For a method of an
// interface it suffices that the shown code declares a type with it that implements the
// interface. An Example without an output is not run, and is listed, too.
func TestEveryEntryPointHasAnExample(t *testing.T) {
	t.Parallel()
	found, err := entryPointsOf(os.DirFS("."))
	require.NoError(t, err)
	require.NotEmpty(t, found.examples)
	for _, line := range found.missing() {
		t.Errorf("%s; write one in example_NOUN_test.go that shows why a host calls it", line)
	}
	for _, name := range found.silent {
		t.Errorf("%s has no output, so that it is not run; print what it shows", name)
	}
	t.Logf("%d entry points, %d Examples, %d entry points without one", len(found.entries), found.examples, len(found.missing()))
}

// entryPoints are the entry points of the public packages of a module, and which of them
// have an Example.
type entryPoints struct {
	entries  map[string]entryPoint // by the full name of the function
	shown    map[string]bool       // by the full name of the function
	examples int                   // that are run
	silent   []string              // Examples that are not
}

// entryPoint is one exported function or method.
type entryPoint struct {
	folder string
	name   string // such as Build or Call.Hold
}

func (e *entryPoints) missing() []string {
	var lines []string
	for full, entry := range e.entries {
		if !e.shown[full] {
			lines = append(lines, fmt.Sprintf("%s: %s has no Example", entry.folder, entry.name))
		}
	}
	slices.Sort(lines)
	return lines
}

func entryPointsOf(module fs.FS) (*entryPoints, error) {
	sources := newCheckedSources(module)
	found := &entryPoints{entries: map[string]entryPoint{}, shown: map[string]bool{}}
	folders, err := publicFolders(module)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		importPath := path.Join(modulePath, folder)
		shipped, err := sources.Import(importPath)
		if err != nil {
			return nil, err
		}
		own := map[string]entryPoint{}
		for _, name := range shipped.Scope().Names() {
			addEntryPoints(own, sources, folder, shipped.Scope().Lookup(name))
		}
		maps.Copy(found.entries, own)
		if err := found.addExamples(sources, importPath, folder, own); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// publicFolders returns the folders of the packages that other modules may import.
func publicFolders(module fs.FS) ([]string, error) {
	files, err := parseModule(module)
	var folders []string
	for _, file := range files {
		internal := slices.Contains(strings.Split(file.folder, "/"), "internal")
		if !internal && !file.exempt() && file.syntax.Name.Name != "main" {
			folders = append(folders, file.folder)
		}
	}
	slices.Sort(folders)
	return slices.Compact(folders), err
}

// addEntryPoints adds the function of a name, or the methods of a type of this name.
func addEntryPoints(to map[string]entryPoint, sources *checkedSources, folder string, object types.Object) {
	if !object.Exported() {
		return
	}
	if function, ok := object.(*types.Func); ok {
		to[function.FullName()] = entryPoint{folder, function.Name()}
		return
	}
	if _, ok := object.(*types.TypeName); !ok {
		return
	}
	for method := range methodsOf(object.Type()) {
		home, own := goImport{path: method.Pkg().Path()}.own()
		elsewhere := method.Pkg() != object.Pkg() && (!own || !slices.Contains(strings.Split(home, "/"), "internal"))
		if !method.Exported() || elsewhere || sources.standardMethod(object.Type(), method) {
			continue
		}
		full := method.Origin().FullName()
		if _, known := to[full]; !known || receiverName(method) == object.Name() {
			to[full] = entryPoint{folder, object.Name() + "." + method.Name()}
		}
	}
}

func methodsOf(of types.Type) func(yield func(*types.Func) bool) {
	if !types.IsInterface(of) {
		of = types.NewPointer(of)
	}
	return func(yield func(*types.Func) bool) {
		for selection := range types.NewMethodSet(of).Methods() {
			if method, ok := selection.Obj().(*types.Func); ok && method.Pkg() != nil && !yield(method) {
				return
			}
		}
	}
}

// receiverName returns the name of the type that declares a method.
func receiverName(method *types.Func) string {
	of := method.Signature().Recv().Type()
	if pointer, ok := of.(*types.Pointer); ok {
		of = pointer.Elem()
	}
	if named, ok := of.(*types.Named); ok {
		return named.Obj().Name()
	}
	return ""
}

// standardInterfaces are interfaces whose methods other packages call, hardly ever the code
// that has the value. [io.Closer] is not among them: a type that has a Close but is no reader
// or writer is closed by the host.
var standardInterfaces = []struct{ in, name string }{
	{"encoding", "TextMarshaler"},
	{"encoding", "TextUnmarshaler"},
	{"encoding/json", "Marshaler"},
	{"encoding/json", "Unmarshaler"},
	{"fmt", "Formatter"},
	{"fmt", "GoStringer"},
	{"fmt", "Stringer"},
	{"io", "ReadCloser"},
	{"io", "Reader"},
	{"io", "WriteCloser"},
	{"io", "Writer"},
	{"log/slog", "LogValuer"},
	{"net/http", "Handler"},
}

// standardMethod reports whether a method of a type only implements an interface of the
// standard library, or is one that package errors calls.
func (s *checkedSources) standardMethod(of types.Type, method *types.Func) bool {
	isError, _ := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
	if implements(of, isError) && slices.Contains([]string{"Error", "Unwrap", "Is", "As"}, method.Name()) {
		return true
	}
	for _, standard := range standardInterfaces {
		in := s.packages[standard.in] // a type cannot implement what nothing has imported
		if in == nil || in.Scope().Lookup(standard.name) == nil {
			continue
		}
		wanted, ok := in.Scope().Lookup(standard.name).Type().Underlying().(*types.Interface)
		if ok && hasMethod(wanted, method.Name()) && implements(of, wanted) {
			return true
		}
	}
	return false
}

func implements(of types.Type, wanted *types.Interface) bool {
	return types.Implements(of, wanted) || types.Implements(types.NewPointer(of), wanted)
}

func hasMethod(in *types.Interface, method string) bool {
	for m := range in.Methods() {
		if m.Name() == method {
			return true
		}
	}
	return false
}

// addExamples marks the entry points that the Examples of a folder show: those in tests of
// the package itself, and those in tests of the package around it.
func (e *entryPoints) addExamples(sources *checkedSources, importPath, folder string, own map[string]entryPoint) error {
	shipped, err := sources.parse(sources.module, folder, func(name string) bool { return !strings.HasSuffix(name, "_test.go") })
	if err != nil {
		return err
	}
	tests, err := sources.parse(sources.module, folder, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	if err != nil {
		return err
	}
	inside, outside := shipped, []*ast.File(nil)
	for _, file := range tests {
		if strings.HasSuffix(file.Name.Name, "_test") {
			outside = append(outside, file)
		} else {
			inside = append(inside, file)
		}
	}
	e.addShown(sources, importPath, folder, inside, own)
	e.addShown(sources, importPath+"_test", folder, outside, own)
	return nil
}

// addShown marks the entry points that the Examples in the files of one package show.
func (e *entryPoints) addShown(sources *checkedSources, importPath, folder string, files []*ast.File, own map[string]entryPoint) {
	var code []ast.Node
	for _, file := range files {
		for _, example := range doc.Examples(file) {
			if example.Output == "" && !example.EmptyOutput {
				e.silent = append(e.silent, folder+": Example"+example.Name)
				continue
			}
			e.examples++
			code = append(code, example.Code)
			for full, entry := range own {
				if isNamedAfter(example.Name, entry) {
					e.shown[full] = true
				}
			}
		}
	}
	if len(code) == 0 {
		return
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	checked := sources.check(importPath, files, false, info)
	if around, err := sources.Import(strings.TrimSuffix(importPath, "_test")); err == nil && strings.HasSuffix(importPath, "_test") {
		checked = around
	}
	for _, shown := range code {
		for node := range ast.Preorder(shown) {
			name, ok := node.(*ast.Ident)
			if !ok {
				continue
			}
			if function, ok := info.Uses[name].(*types.Func); ok {
				e.shown[function.Origin().FullName()] = true
			}
			if declared, ok := info.Defs[name].(*types.TypeName); ok {
				e.addImplemented(declared.Type(), checked.Scope())
			}
		}
	}
}

// isNamedAfter reports whether Example and this name are what go doc shows with the entry
// point: Build, Build_suffix, Call_Hold or Call_Hold_suffix.
func isNamedAfter(name string, entry entryPoint) bool {
	rest, ok := strings.CutPrefix(name, strings.ReplaceAll(entry.name, ".", "_"))
	suffix, isSuffix := strings.CutPrefix(rest, "_")
	first, _ := utf8.DecodeRuneInString(suffix)
	return ok && (rest == "" || isSuffix && unicode.IsLower(first))
}

// addImplemented marks the methods of interfaces of a package that a shown type declares.
func (e *entryPoints) addImplemented(shown types.Type, in *types.Scope) {
	for _, name := range in.Names() {
		object, ok := in.Lookup(name).(*types.TypeName)
		if !ok || !object.Exported() || !types.IsInterface(object.Type()) {
			continue
		}
		wanted, _ := object.Type().Underlying().(*types.Interface)
		if wanted.NumMethods() == 0 || !implements(shown, wanted) {
			continue
		}
		for method := range wanted.Methods() {
			_, steps, _ := types.LookupFieldOrMethod(shown, true, object.Pkg(), method.Name())
			if len(steps) == 1 { // otherwise an embedded value has it
				e.shown[method.FullName()] = true
			}
		}
	}
}

// exampleTree is a module with one case of each kind.
var exampleTree = map[string]string{
	"shelf.go": `package pegboard

import ("encoding/json"; "fmt"; "io"; "github.com/seed49eaa51d/pegboard/internal/box")

type Shelf struct{ lid }
type Crate = box.Crate
type Key[T any] struct{}
type Store interface{ Put(); unexported() }
type Fault struct{}
type lid struct{}
type hidden struct{}

func Build() *Shelf { return nil }
func Helped() {}
func Named() {}
func Silent() {}
func Untried() {}
func unexported() {}

func (s *Shelf) Add() *Shelf { return s }
func (s *Shelf) Drop() {}
func (*Shelf) Close() error { return nil } // of a reader
func (Shelf) String() string { return fmt.Sprint() }
func (Shelf) MarshalJSON() ([]byte, error) { return json.Marshal(0) }
func (Shelf) Read([]byte) (int, error) { return 0, io.EOF }
func (Shelf) Write() {} // not that of io.Writer
func (lid) Lift() {}
func (hidden) Add() {}
func (k *Key[T]) Get() (t T) { return }
func (k *Key[T]) Set(T) {}
func (k *Key[T]) Close() error { return nil } // of no reader
func (Fault) Error() string { return "" }
func (Fault) Is(error) bool { return true }
func (Fault) Unwrap() error { return nil }
func (Fault) Place() string { return "" }
`,
	"shelf_windows.go":    "package pegboard\nfunc OnlyThere() {}",
	"internal/box/box.go": "package box\ntype Crate struct{}\nfunc (Crate) Open() {}\nfunc Inside() {}",
	"examples/a/a.go":     "package a\nfunc Exempt() {}",
	"tools/t/t.go":        "package t\nimport `" + modulePath + "`\ntype T struct{ *pegboard.Shelf }\nfunc New() T { return T{} }\nfunc (T) Drop() {}",
	"tools/t/t_test.go":   "package t\nfunc ExampleNew() {\n\tNew().Drop()\n\t// Output:\n}",
	"example_shelf_test.go": `package pegboard_test

import "github.com/seed49eaa51d/pegboard"

func helper() *pegboard.Shelf { pegboard.Helped(); return pegboard.Build() }

func ExampleNamed() {
	helper().Add().Lift()
	// Output:
}

func ExampleNamed_second() {
	k := pegboard.Key[int]{}
	k.Get()
	Drop()
	// Output:
}

func Drop() {}

func ExampleSilent() {
	pegboard.Silent()
}
`,
	"example_store_test.go": `package pegboard_test

import "github.com/seed49eaa51d/pegboard"

type own struct{ pegboard.Store }

func (own) Put() {}

func ExampleStore() {
	_ = own{}
	// Output:
}
`,
}

// TestEntryPointsOfFindsEachKind proves that the list has each entry point without an Example,
// and no other.
func TestEntryPointsOfFindsEachKind(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{}
	for name, text := range exampleTree {
		tree[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	found, err := entryPointsOf(tree)
	require.NoError(t, err)
	require.Equal(t, []string{
		".: Build has no Example", // a helper calls it
		".: Crate.Open has no Example",
		".: Fault.Place has no Example",
		".: Helped has no Example",
		".: Key.Close has no Example",
		".: Key.Set has no Example",
		".: Shelf.Drop has no Example", // that of the test and that of package t are others
		".: Shelf.Write has no Example",
		".: Silent has no Example",
		".: Untried has no Example",
	}, found.missing())
	require.Equal(t, []string{".: ExampleSilent"}, found.silent)
	require.Equal(t, 4, found.examples)
}

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
