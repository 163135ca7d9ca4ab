package housetest_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// TestMain runs the tests at the top of the module.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func TestStructure(t *testing.T) {
	t.Parallel()
	files, err := parseModule(os.DirFS("."))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, rule := range structureRules {
		t.Run(rule.name, func(t *testing.T) {
			t.Parallel()
			for _, found := range rule.check(files) {
				t.Errorf("%v (%s): %s", found, rule.name, rule.fix)
			}
		})
	}
}

// structureViolation is a small tree that breaks one rule in one place.
type structureViolation struct {
	name  string
	files map[string]string
	rule  string
	at    string // path:line of the only finding
}

// TestStructureFindsViolations keeps the rules honest: a rule that no longer
// finds anything would pass on every tree.
func TestStructureFindsViolations(t *testing.T) {
	t.Parallel()
	tried := map[string]bool{}
	for _, tt := range structureViolations {
		tried[tt.rule] = true
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, map[string][]string{tt.rule: {tt.at}}, findings(t, tt.files))
		})
	}
	for _, rule := range structureRules {
		require.True(t, tried[rule.name], "no violation shows that rule %q can fail", rule.name)
	}
}

func TestStructureAcceptsAllowedCode(t *testing.T) {
	t.Parallel()
	require.Empty(t, findings(t, map[string]string{
		"pool.go": fileImporting(ownImport("/internal/schema"), `"golang.org/x/sync/semaphore"`) +
			"var ErrX = x()\nvar _ I = (*T)(nil)\nvar names = map[string]int{`a`: 1}\nvar shape = regexp.MustCompile(`a`)\n" +
			"//go:embed a.txt\nvar text string\nfunc (p Pool) init() {}",
		"internal/schema/s.go":    fileImporting(`"github.com/invopop/jsonschema"`, ownImport("/internal/lane")),
		"internal/goroutine/g.go": fileImporting(`"golang.org/x/sync/errgroup"`) + "func Go() { go func() { _ = recover() }() }",
		"internal/proc/proc.go":   fileImporting(`"os/exec"`) + "var f = os.StartProcess()",
		"internal/corpus/c.go":    fileImporting(`"testing"`, `"github.com/stretchr/testify/require"`),
		"wire/anthropic/wire.go":  fileImporting(ownImport(""), ownImport("/wire/sse")),
		"tools/files/files.go":    fileImporting(ownImport(""), ownImport("/wire/anthropic"), `"github.com/bmatcuk/doublestar/v4"`),
		"tools/tooltest/fake.go":  fileImporting(ownImport("")),
		"settings/settings.go":    fileImporting(ownImport("/tools/files")),
		"examples/agent/main.go":  fileImporting(ownImport("/settings"), ownImport("/tools/tooltest"), `"os/exec"`) + "func main() { go recover() }",
		// What follows is not of the module, or not shipped.
		"pool_test.go":           fileImporting(`"os/exec"`, `"github.com/stretchr/testify/require"`),
		"bench/go.mod":           "module bench",
		"bench/main.go":          fileImporting(ownImport("/internal/corpus")) + "func init() {}",
		"wire/testdata/bad.go":   "not Go",
		".hidden/h.go":           "not Go",
		"_drafts/d.go":           "not Go",
		"internal/lane/notes.md": "not Go",
	}))
}

// TestStructureListsAreCurrent takes lines off the lists of the structure rules that
// stand for nothing in the tree any more.
func TestStructureListsAreCurrent(t *testing.T) {
	t.Parallel()
	files, err := parseModule(os.DirFS("."))
	require.NoError(t, err)
	exists, layered := map[string]bool{}, map[string]string{}
	for _, file := range rootFiles(files) {
		exists[strings.TrimSuffix(file.path, ".go")] = true
	}
	for _, layer := range rootLayers {
		for _, name := range layer.files {
			if !exists[name] {
				t.Errorf("rootLayers: there is no %s.go any more; take it off the layer %q", name, layer.about)
			}
			if other, twice := layered[name]; twice {
				t.Errorf("rootLayers: %s.go stands in the layers %q and %q; keep one", name, other, layer.about)
			}
			layered[name] = layer.about
		}
	}
	uses, methods := map[string]bool{}, map[string]bool{}
	for _, use := range upwardUses(files) {
		uses[use.key()] = true
	}
	for _, method := range methodsAwayFromHome(files) {
		methods[method.key()] = true
	}
	for key := range upward {
		if !uses[key] {
			t.Errorf("upward: nothing is %q any more; take it off", key)
		}
	}
	for key := range methodsAway {
		if !methods[key] {
			t.Errorf("methodsAway: nothing is %q any more; take it off", key)
		}
	}
}

// ownSubjects are the subjects of root tests that no single file of the root declares.
// What follows the name says the aspect.
var ownSubjects = map[string]string{
	"example":    "examples of the documentation; the rest of the name is a file of the root, or nothing",
	"invariants": "the numbered promises of the design",
	"model":      "random messages played by the executor, compared with what a serial reference foresees",
	"policy":     "what package policy decides of the calls of an executor",
	"support":    "helpers that several test files share",
}

// TestTestsAreNamedAfterTheirSubject expects the tests of x.go in x_test.go or
// x_aspect_test.go, so that each is found from the other.
func TestTestsAreNamedAfterTheirSubject(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	subjects := slices.Collect(maps.Keys(ownSubjects))
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") {
			subjects = append(subjects, strings.TrimSuffix(file, ".go"))
		}
	}
	for _, file := range files {
		name, isTest := strings.CutSuffix(file, "_test.go")
		name = strings.TrimPrefix(name, "example_")
		if isTest && !slices.ContainsFunc(subjects, func(s string) bool { return name == s || strings.HasPrefix(name, s+"_") }) {
			t.Errorf("%s: the root has no file %s.go; name the test after the file it is about", file, name)
		}
	}
}

// findings returns the places each rule finds, by the rule's name.
func findings(t *testing.T, texts map[string]string) map[string][]string {
	t.Helper()
	tree := fstest.MapFS{}
	for path, text := range texts {
		tree[path] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	files, err := parseModule(tree)
	require.NoError(t, err)
	found := map[string][]string{}
	for _, rule := range structureRules {
		for _, f := range rule.check(files) {
			found[rule.name] = append(found[rule.name], fmt.Sprintf("%s:%d", f.path, f.line))
		}
	}
	return found
}

func TestParseModuleReturnsErrors(t *testing.T) {
	t.Parallel()
	_, err := parseModule(fstest.MapFS{"pool.go": {Data: []byte("not Go")}})
	require.ErrorContains(t, err, "pool.go:1")
	_, err = parseModule(os.DirFS("no such folder"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// packageClause is the first line of each file.
const packageClause = "package p\n"

// fileImporting starts a file whose imports stand on lines 2, 3 and so on.
func fileImporting(specs ...string) string {
	text := packageClause
	for _, spec := range specs {
		text += "import " + spec + "\n"
	}
	return text
}

// oneFile is a tree of one file.
func oneFile(path, text string) map[string]string { return map[string]string{path: text} }

// ownImport is the import of a package of this module.
func ownImport(below string) string { return strconv.Quote(modulePath + below) }

// rootReaching is a tree whose root imports spec by way of two internal packages.
func rootReaching(spec string) map[string]string {
	return map[string]string{
		"pool.go":              fileImporting(ownImport("/internal/schema")),
		"internal/schema/s.go": fileImporting(ownImport("/internal/deep")),
		"internal/deep/d.go":   fileImporting(`"fmt"`, spec),
	}
}

var structureViolations = []structureViolation{
	{
		name: "internal imports the root", rule: "arrows", at: "internal/lane/l.go:2",
		files: oneFile("internal/lane/l.go", fileImporting(ownImport(``))),
	},
	{
		name: "the root imports wire", rule: "arrows", at: "pool.go:3",
		files: oneFile("pool.go", fileImporting(`"fmt"`, ownImport(`/wire/anthropic`))),
	},
	{
		name: "wire imports tools", rule: "arrows", at: "wire/anthropic/w.go:2",
		files: oneFile("wire/anthropic/w.go", fileImporting(ownImport(`/tools/files`))),
	},
	{
		name: "tools import settings", rule: "arrows", at: "tools/files/f.go:2",
		files: oneFile("tools/files/f.go", fileImporting(ownImport(`/settings`))),
	},
	{
		name: "settings imports inspect", rule: "arrows", at: "settings/s.go:2",
		files: oneFile("settings/s.go", fileImporting(ownImport(`/inspect`))),
	},
	{
		name: "inspect imports an example", rule: "arrows", at: "inspect/i.go:2",
		files: oneFile("inspect/i.go", fileImporting(ownImport(`/examples/agent`))),
	},
	{
		name: "a folder of no layer", rule: "arrows", at: "util/u.go:1",
		files: oneFile("util/u.go", packageClause),
	},
	{
		name: "an import of no layer", rule: "arrows", at: "pool.go:2",
		files: oneFile("pool.go", fileImporting(ownImport(`/util`))),
	},
	{
		name: "the root imports a module", rule: "root closure", at: "pool.go:2",
		files: oneFile("pool.go", fileImporting(`"github.com/google/uuid"`)),
	},
	{
		name: "the root reaches a module", rule: "root closure", at: "internal/deep/d.go:3",
		files: rootReaching(`"golang.org/x/text/width"`),
	},
	{
		name: "a path that only begins alike", rule: "root closure", at: "pool.go:2",
		files: oneFile("pool.go", fileImporting(`"golang.org/x/synctools"`)),
	},
	{
		name: "an older major version", rule: "root closure", at: "pool.go:2",
		files: oneFile("pool.go", fileImporting(`"github.com/santhosh-tekuri/jsonschema"`)),
	},
	{
		name: "fakes in shipped code", rule: "test support", at: "inspect/i.go:2",
		files: oneFile("inspect/i.go", fileImporting(ownImport(`/tools/tooltest`))),
	},
	{
		name: "corpus in shipped code", rule: "test support", at: "pool.go:2",
		files: oneFile("pool.go", fileImporting(ownImport(`/internal/corpus`))),
	},
	{
		name: "effort in shipped code", rule: "test support", at: "tools/files/f.go:2",
		files: oneFile("tools/files/f.go", fileImporting(ownImport(`/internal/effort`))),
	},
	{
		name: "programs of others in shipped code", rule: "test support", at: "tools/mcp/m.go:2",
		files: oneFile("tools/mcp/m.go", fileImporting(ownImport(`/internal/reference`))),
	},
	{
		name: "browser in an example", rule: "test support", at: "examples/a/a.go:2",
		files: oneFile("examples/a/a.go", fileImporting(ownImport(`/internal/browser`))),
	},
	{
		name: "corpus in an example", rule: "test support", at: "examples/a/a.go:2",
		files: oneFile("examples/a/a.go", fileImporting(ownImport(`/internal/corpus`))),
	},
	{
		name: "testify in the fakes", rule: "testify", at: "tools/tooltest/f.go:2",
		files: oneFile("tools/tooltest/f.go", fileImporting(`"github.com/stretchr/testify/require"`)),
	},
	{
		name: "go statement", rule: "goroutines", at: "wire/w.go:3",
		files: oneFile("wire/w.go", packageClause+"func f() {\n\tgo f()\n}"),
	},
	{
		name: "go statement in a literal", rule: "goroutines", at: "wire/w.go:2",
		files: oneFile("wire/w.go", packageClause+"var t = f(func() { go f() })"),
	},
	{
		name: "go statement beside goroutine", rule: "goroutines", at: "internal/goroutines/w.go:2",
		files: oneFile("internal/goroutines/w.go", packageClause+"func f() { go f() }"),
	},
	{
		name: "errgroup", rule: "goroutines", at: "tools/web/w.go:2",
		files: oneFile("tools/web/w.go", fileImporting(`"golang.org/x/sync/errgroup"`)),
	},
	{
		name: "recover", rule: "recover", at: "wire/w.go:4",
		files: oneFile("wire/w.go", packageClause+"func f() {\n\tdefer func() {\n\t\t_ = recover()\n\t}()\n}"),
	},
	{
		name: "deferred recover", rule: "recover", at: "wire/w.go:2",
		files: oneFile("wire/w.go", packageClause+"func f() { defer recover() }"),
	},
	{
		name: "os/exec", rule: "processes", at: "tools/shell/s.go:3",
		files: oneFile("tools/shell/s.go", fileImporting(`"fmt"`, `run "os/exec"`)),
	},
	{
		name: "os.StartProcess", rule: "processes", at: "tools/shell/s.go:2",
		files: oneFile("tools/shell/s.go", packageClause+"func f() { os.StartProcess(``, nil, nil) }"),
	},
	{
		name: "a long function", rule: "function size", at: "pool.go:4",
		files: oneFile("pool.go", packageClause+"\n// f does it.\nfunc f() {"+strings.Repeat("\n", 100)+"}"),
	},
	{
		name: "a long method", rule: "function size", at: "pool.go:2",
		files: oneFile("pool.go", packageClause+"func (p P) f() {"+strings.Repeat("\n", 100)+"}"),
	},
	{
		name: "variable without a value", rule: "variables", at: "pool.go:2",
		files: oneFile("pool.go", packageClause+"var x int"),
	},
	{
		name: "second of two variables", rule: "variables", at: "pool.go:4",
		files: oneFile("pool.go", packageClause+"var (\n\ta = f()\n\tb = 1\n)"),
	},
	{
		name: "empty map", rule: "variables", at: "pool.go:2",
		files: oneFile("pool.go", packageClause+"var cache = map[string]int{}"),
	},
	{
		name: "made map", rule: "variables", at: "pool.go:2",
		files: oneFile("pool.go", packageClause+"var cache = make(map[string]int)"),
	},
	{
		name: "replaceable function", rule: "variables", at: "pool.go:2",
		files: oneFile("pool.go", packageClause+"var now = time.Now"),
	},
	{
		name: "pointer", rule: "variables", at: "pool.go:2",
		files: oneFile("pool.go", packageClause+"var Default = &Pool{n: 1}"),
	},
	{
		name: "sync.Pool", rule: "variables", at: "pool.go:2",
		files: oneFile("pool.go", packageClause+"var buffers = sync.Pool{New: f}"),
	},
	{
		name: "list of errors", rule: "variables", at: "pool.go:2",
		files: oneFile("pool.go", packageClause+"var errs []error"),
	},
	{
		name: "init", rule: "init", at: "pool.go:3",
		files: oneFile("pool.go", packageClause+"\nfunc init() {}"),
	},
	{
		name: "a method in another noun's file", rule: "methods", at: "stream.go:2",
		files: map[string]string{"key.go": packageClause + "type Key[T any] struct{}", "stream.go": packageClause + "func (k *Key[T]) F() {}"},
	},
	{
		name: "a method in a file that only begins alike", rule: "methods", at: "resultstore.go:2",
		files: map[string]string{"result.go": packageClause + "type Result int", "resultstore.go": packageClause + "func (r Result) F() {}"},
	},
	{
		name: "a file in no layer", rule: "layers", at: "novelty.go:1",
		files: oneFile("novelty.go", packageClause),
	},
	{
		name: "a function of a later layer", rule: "layers", at: "errors.go:3",
		files: map[string]string{"errors.go": packageClause + "\nfunc f() { g(); g() }", "executor.go": packageClause + "func g() {}"},
	},
	{
		name: "a method of a later layer", rule: "layers", at: "errors.go:3",
		files: map[string]string{
			"errors.go":   fileImporting(`"strings"`) + "func f() { strings.NewReader(``).start() }",
			"executor.go": packageClause + "type e int\nfunc (e) start() {}",
		},
	},
}

// rootDependencies are the packages of other modules that a program with the root package links.
// One more is a decision: the reason stands in the message of the commit that adds it.
var rootDependencies = []string{
	"github.com/bahlo/generic-list-go",
	"github.com/blevesearch/snowballstem",
	"github.com/blevesearch/snowballstem/english",
	"github.com/buger/jsonparser",
	"github.com/dlclark/regexp2/v2",
	"github.com/dlclark/regexp2/v2/helpers",
	"github.com/dlclark/regexp2/v2/syntax",
	"github.com/invopop/jsonschema",
	"github.com/mailru/easyjson/buffer",
	"github.com/mailru/easyjson/jwriter",
	"github.com/santhosh-tekuri/jsonschema/v5",
	"github.com/wk8/go-ordered-map/v2",
	"gopkg.in/yaml.v3",
}

// TestPolicyDependencies: the permission engine can be imported alone.
func TestPolicyDependencies(t *testing.T) {
	t.Parallel()
	for folder, others := range map[string][]string{"policy": nil, "policy/shell": {"mvdan.cc/sh/v3/fileutil", "mvdan.cc/sh/v3/syntax"}} {
		list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./"+folder)
		list.Env, list.Stderr = append(os.Environ(), "GOFLAGS="), os.Stderr
		out, err := list.Output()
		require.NoError(t, err)
		var found []string
		for _, path := range strings.Fields(string(out)) {
			within, own := strings.CutPrefix(path, modulePath+"/")
			if !own || !isWithin(within, "internal") && !isWithin(within, "policy") {
				found = append(found, path)
			}
		}
		require.ElementsMatch(t, others, found)
	}
}

// TestRootDependencies: what the root package imports, and what that imports, is on the list. Of
// its own module these are packages below internal alone.
func TestRootDependencies(t *testing.T) {
	t.Parallel()
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".")
	list.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=") // the same on each machine
	list.Stderr = os.Stderr
	out, err := list.Output()
	require.NoError(t, err)
	var others []string
	for _, path := range strings.Fields(string(out)) {
		if within, ok := strings.CutPrefix(path, modulePath); ok {
			require.True(t, within == "" || within == "/policy" || strings.HasPrefix(within, "/internal/"), "%s is a dependency of the root", path)
			continue
		}
		others = append(others, path)
	}
	require.ElementsMatch(t, rootDependencies, others)
}
