package pegboard_test

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// structureRule is one thing that holds for the whole tree.
type structureRule struct {
	name  string
	fix   string // what to do about a finding
	check func(files []goFile) []finding
}

const maxFuncLines = 60 // about 50 is the aim

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
		fix: "use it in _test.go files only",
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
	{"."},
	{"wire"},
	{"tools"},
	{"acp", "audit", "inspect", "serve", "settings"},
	{"examples", "contrib", "bench"},
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
	"github.com/dlclark/regexp2",
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
	"internal/browser", "internal/corpus", "internal/effort", "internal/reference", "internal/script", "tools/mcp/internal/authserver",
}

// shippedTestSupport keeps the packages that exist for tests out of shipped code.
// Examples may show the fakes, never the corpus, the effort, scripts, the programs of others or
// the browser. Each of them may use the others.
func shippedTestSupport(files []goFile) []finding {
	isSupport := func(folder string) bool {
		return slices.ContainsFunc(testSupport, func(tree string) bool { return isWithin(folder, tree) })
	}
	var all []finding
	for _, file := range files {
		if isSupport(file.folder) {
			continue
		}
		for _, imp := range file.imports() {
			folder, _ := imp.own()
			fakes := isWithin(folder, "tools/tooltest") && !file.exempt()
			if fakes || isSupport(folder) {
				all = append(all, file.finding(imp.node, "%s is test support", folder))
			}
		}
	}
	return all
}

func shippedTestify(file goFile) []finding {
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
	if file.exempt() || file.below("internal/proc") {
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
