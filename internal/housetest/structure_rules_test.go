package housetest_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// structureRule is one thing that holds for the whole tree.
type structureRule struct {
	name  string
	fix   string // what to do about a finding
	check func(files []goFile) []finding
}

const maxFuncLines = 100 // reviews look at those above 60

// structureRules are the rules of the design that the compiler cannot check.
var structureRules = []structureRule{
	{
		name: "arrows", check: wrongArrows,
		fix: "move the shared part down a layer, or into internal/",
	},
	{
		name: "root closure", check: foreignRootImports,
		fix: "keep the dependency in the family that needs it; the root stays at its listed modules",
	},
	{
		name: "test support", check: shippedTestSupport,
		fix: "call it from a _test.go file",
	},
	{
		name: "testify", check: inEachFile(shippedTestify),
		fix: "use it in _test.go files and the packages of testSupport only",
	},
	{
		name: "goroutines", check: inEachFile(goroutineStarts),
		fix: "start it through internal/goroutine",
	},
	{
		name: "recover", check: inEachFile(recoverCalls),
		fix: "let internal/goroutine run the code and recover",
	},
	{
		name: "processes", check: inEachFile(processStarts),
		fix: "start it through internal/proc",
	},
	{
		name: "function size", check: inEachFile(longFunctions),
		fix: "split it by what its parts decide",
	},
	{
		name: "variables", check: inEachFile(stateVariables),
		fix: "pass the state in, or make it a constant; package variables are errors and filled tables",
	},
	{
		name: "init", check: inEachFile(initFunctions),
		fix: "do the work where it is needed, or in a constructor",
	},
	{
		name: "methods", check: strayMethods,
		fix: "move it to the file of its type, or to one whose name begins with that file's name",
	},
	{
		name: "layers", check: wrongLayers,
		fix: "let the caller pass what is needed, or move the declaration down",
	},
}

func inEachFile(check func(goFile) []finding) func([]goFile) []finding {
	return func(files []goFile) []finding {
		var all []finding
		for _, file := range files {
			all = append(all, check(file)...)
		}
		return all
	}
}

// layerFolders lists the folders of each layer, lowest first. A package may import
// what lies below it, and packages under its own folder.
var layerFolders = [][]string{
	{"internal"},
	{"policy"},
	{"."},
	{"wire"},
	{"tools"},
	{"audit", "inspect", "serve", "settings"},
	{"builtin"},
	{"cmd", "examples", "contrib", "bench"},
}

// layerOf returns the folder that places a package and the height of its layer.
func layerOf(folder string) (top string, height int) {
	top, _, _ = strings.Cut(folder, "/")
	for height, tops := range layerFolders {
		if slices.Contains(tops, top) {
			return top, height
		}
	}
	return top, -1
}

func wrongArrows(files []goFile) []finding {
	var all []finding
	for _, file := range files {
		top, height := layerOf(file.folder)
		if height < 0 {
			all = append(all, file.finding(file.syntax.Name, "folder %s is in no layer", top))
			continue
		}
		for _, imp := range file.imports() {
			folder, own := imp.own()
			if !own {
				continue
			}
			below, depth := layerOf(folder)
			if depth < 0 || depth > height || depth == height && below != top {
				all = append(all, file.finding(imp.node, "%s imports %s, which is not below it", file.folder, folder))
			}
		}
	}
	return all
}

// rootModules are the modules that the root package and the internal packages
// it reaches may import.
var rootModules = []string{
	"github.com/blevesearch/snowballstem",
	"github.com/dlclark/regexp2/v2",
	"github.com/invopop/jsonschema",
	"github.com/santhosh-tekuri/jsonschema/v5",
	"golang.org/x/sync",
}

// processStarters are the calls that start a process without os/exec.
var processStarters = []string{"os.StartProcess", "syscall.StartProcess", "syscall.ForkExec", "syscall.Exec"}

// foreignRootImports follows the module's own imports from the root package.
func foreignRootImports(files []goFile) []finding {
	packages := map[string][]goFile{}
	for _, file := range files {
		packages[file.folder] = append(packages[file.folder], file)
	}
	var all []finding
	reached := []string{"."}
	for next := 0; next < len(reached); next++ {
		for _, file := range packages[reached[next]] {
			for _, imp := range file.imports() {
				if folder, own := imp.own(); own && !slices.Contains(reached, folder) {
					reached = append(reached, folder)
				}
				if imp.thirdParty() && !isRootModule(imp) {
					all = append(all, file.finding(imp.node, "the root reaches %s through this import", imp.path))
				}
			}
		}
	}
	return all
}

func isRootModule(imp goImport) bool {
	return slices.ContainsFunc(rootModules, func(module string) bool { return isWithin(imp.path, module) })
}

// testSupport are the packages that exist for tests, but for the fakes.
var testSupport = []string{
	"internal/browser", "internal/corpus", "internal/effort", "internal/mounts", "internal/reference", "internal/script", "internal/template", "tools/mcp/internal/authserver",
	"wire/internal/wiretest",
}

// isTestSupport reports whether a folder is that of such a package.
func isTestSupport(folder string) bool {
	return slices.ContainsFunc(testSupport, func(tree string) bool { return isWithin(folder, tree) })
}

// shippedTestSupport keeps the packages that exist for tests out of shipped code.
// Examples may show the fakes, never the corpus, the effort, scripts, the programs of others or
// the browser. Each of them may use the others.
func shippedTestSupport(files []goFile) []finding {
	var all []finding
	for _, file := range files {
		if isTestSupport(file.folder) {
			continue
		}
		for _, imp := range file.imports() {
			folder, _ := imp.own()
			fakes := isWithin(folder, "tools/tooltest") && !file.exempt()
			if fakes || isTestSupport(folder) {
				all = append(all, file.finding(imp.node, "%s is test support", folder))
			}
		}
	}
	return all
}

func shippedTestify(file goFile) []finding {
	if isTestSupport(file.folder) {
		return nil
	}
	return findImports(file, "github.com/stretchr/testify")
}

// findImports finds the imports of packages at or under the given paths.
func findImports(file goFile, trees ...string) []finding {
	var all []finding
	for _, imp := range file.imports() {
		if slices.ContainsFunc(trees, func(tree string) bool { return isWithin(imp.path, tree) }) {
			all = append(all, file.finding(imp.node, "imports %s", imp.path))
		}
	}
	return all
}

func goroutineStarts(file goFile) []finding {
	if file.exempt() || file.below("internal/goroutine") {
		return nil
	}
	all := findImports(file, "golang.org/x/sync/errgroup")
	for n := range ast.Preorder(file.syntax) {
		if statement, ok := n.(*ast.GoStmt); ok {
			all = append(all, file.finding(statement, "go statement"))
		}
	}
	return all
}

func recoverCalls(file goFile) []finding {
	if file.exempt() || file.below("internal/goroutine") {
		return nil
	}
	var all []finding
	for n := range ast.Preorder(file.syntax) {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			continue
		}
		if name, ok := call.Fun.(*ast.Ident); ok && name.Name == "recover" {
			all = append(all, file.finding(call, "call of recover"))
		}
	}
	return all
}

func processStarts(file goFile) []finding {
	if file.exempt() || file.below("internal/proc") || file.below("internal/mounts") { // which starts the test again
		return nil
	}
	all := findImports(file, "os/exec")
	for n := range ast.Preorder(file.syntax) {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		name := qualifierOf(selector) + "." + selector.Sel.Name
		if slices.Contains(processStarters, name) {
			all = append(all, file.finding(selector, "use of %s", name))
		}
	}
	return all
}

func longFunctions(file goFile) []finding {
	var all []finding
	for _, declaration := range file.syntax.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok {
			continue
		}
		lines := file.fset.Position(function.End()).Line - file.line(function) + 1
		if lines > maxFuncLines {
			all = append(all, file.finding(function, "%s has %d lines, at most %d", function.Name.Name, lines, maxFuncLines))
		}
	}
	return all
}

func initFunctions(file goFile) []finding {
	var all []finding
	for _, declaration := range file.syntax.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok && function.Recv == nil && function.Name.Name == "init" {
			all = append(all, file.finding(function.Name, "func init"))
		}
	}
	return all
}

func stateVariables(file goFile) []finding {
	var all []finding
	for _, declaration := range file.syntax.Decls {
		group, ok := declaration.(*ast.GenDecl)
		if !ok || group.Tok != token.VAR {
			continue
		}
		for _, spec := range group.Specs {
			if value, ok := spec.(*ast.ValueSpec); ok && !isEmbedded(group, value) {
				all = append(all, stateIn(file, value)...)
			}
		}
	}
	return all
}

// isEmbedded reports whether the go command fills the variable with a file.
func isEmbedded(group *ast.GenDecl, spec *ast.ValueSpec) bool {
	for _, doc := range []*ast.CommentGroup{group.Doc, spec.Doc} {
		if doc == nil {
			continue
		}
		for _, comment := range doc.List {
			if strings.HasPrefix(comment.Text, "//go:embed ") {
				return true
			}
		}
	}
	return false
}

// stateIn finds the variables of one declaration that are neither errors nor
// tables. Types are not known here: a call is taken for one that makes a table.
func stateIn(file goFile, spec *ast.ValueSpec) []finding {
	var all []finding
	for i, name := range spec.Names {
		var value ast.Expr
		if i < len(spec.Values) {
			value = spec.Values[i]
		}
		isError := value != nil && strings.HasPrefix(strings.ToLower(name.Name), "err")
		if name.Name != "_" && !isError && !isTable(value) {
			all = append(all, file.finding(name, "variable %s", name.Name))
		}
	}
	return all
}

// isTable accepts filled literals and calls. An empty literal, a pointer, and
// what make, new, sync and atomic give are there to be changed later.
func isTable(value ast.Expr) bool {
	switch v := value.(type) {
	case *ast.CompositeLit:
		from := qualifierOf(v.Type)
		return len(v.Elts) > 0 && from != "sync" && from != "atomic"
	case *ast.CallExpr:
		made, ok := v.Fun.(*ast.Ident)
		return !ok || made.Name != "make" && made.Name != "new"
	}
	return false
}

func qualifierOf(e ast.Expr) string {
	if selector, ok := e.(*ast.SelectorExpr); ok {
		if name, ok := selector.X.(*ast.Ident); ok {
			return name.Name
		}
	}
	return ""
}

// methodsAway lists the exported methods of the root package that stand in another file
// than their type: the type, the file, and why. A line goes when its methods go home;
// TestStructureListsAreCurrent says which.
var methodsAway = map[string]string{
	"Call result_limits.go":  "what a call stores itself is read with what is stored for it",
	"Call result_view.go":    "a call and its result are shown together",
	"Executor suspension.go": "resuming is read with what it resumes",
	"Pool toolsearch.go":     "search is read with the tool that the model searches with",
	"Session suspension.go":  "what a host stores is read with what it holds",
}

// methodAway is an exported method in a file that is not named after its type's file.
type methodAway struct {
	file     goFile
	method   *ast.FuncDecl
	typeName string
	home     string // path of the file that declares the type
}

func (m methodAway) key() string { return m.typeName + " " + m.file.path }

func strayMethods(files []goFile) []finding {
	var all []finding
	for _, m := range methodsAwayFromHome(files) {
		if _, allowed := methodsAway[m.key()]; !allowed {
			all = append(all, m.file.finding(m.method, "method %s of %s, which %s declares; to allow it, put %q into methodsAway with a reason",
				m.method.Name.Name, m.typeName, m.home, m.key()))
		}
	}
	return all
}

// methodsAwayFromHome finds the exported methods of a type of x.go that stand neither in
// x.go nor in a file whose name begins with x_. Private ones stand with their subject.
func methodsAwayFromHome(files []goFile) []methodAway {
	root := rootFiles(files)
	homes := map[string]string{}
	for _, file := range root {
		for _, declaration := range file.syntax.Decls {
			group, ok := declaration.(*ast.GenDecl)
			if !ok || group.Tok != token.TYPE {
				continue
			}
			for _, spec := range group.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok {
					homes[spec.Name.Name] = file.path
				}
			}
		}
	}
	var all []methodAway
	for _, file := range root {
		for _, declaration := range file.syntax.Decls {
			method, ok := declaration.(*ast.FuncDecl)
			if !ok || method.Recv == nil || !method.Name.IsExported() {
				continue
			}
			typeName := receiverType(method.Recv.List[0].Type)
			home, known := homes[typeName]
			if known && file.path != home && !strings.HasPrefix(file.path, strings.TrimSuffix(home, ".go")+"_") {
				all = append(all, methodAway{file: file, method: method, typeName: typeName, home: home})
			}
		}
	}
	return all
}

// receiverType returns the name of a receiver's type without pointer and parameters.
func receiverType(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.StarExpr:
		return receiverType(x.X)
	case *ast.IndexExpr:
		return receiverType(x.X)
	case *ast.IndexListExpr:
		return receiverType(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

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
