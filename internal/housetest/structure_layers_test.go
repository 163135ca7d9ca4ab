package housetest_test

import (
	"cmp"
	"go/ast"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"
)

// rootLayer is a group of files of the root package that are read together.
type rootLayer struct {
	about string
	files []string // without .go
}

// rootLayers puts the files of the root package in the order in which a newcomer
// reads them, also within a layer. A file uses the declarations of its own layer and
// of the layers before it. Each file stands in exactly one layer.
var rootLayers = []rootLayer{
	{about: "tools, calls, results", files: []string{"doc", "errors", "seal", "line", "info", "tool", "definition", "schema", "bind", "claim", "call", "view", "result", "resultstore"}},
	{about: "sessions, registry, pools", files: []string{"restrict", "hooks", "question", "journal", "budget", "session", "session_calls", "session_results", "session_permissions", "key", "registry", "pool", "pool_decide", "toolsearch", "pool_deferral", "session_notifications", "session_elicit", "result_limits", "result_view"}},
	{about: "batches and the pipeline", files: []string{"event", "executor", "suspension", "turn_record", "context", "batch", "stream", "gather", "pipeline", "pipeline_schedule", "pipeline_hooks", "pipeline_outcome", "pipeline_inquiry", "pipeline_run"}},
}

// upward lists the uses that point up: which file uses which file of a later
// layer, and why. A line goes when its use goes; TestStructureListsAreCurrent
// says which.
var upward = map[string]string{
	"bind.go > pool.go":                "a tool declares itself for a pool",
	"bind.go > question.go":            "a bound tool may have a preview",
	"bind.go > session.go":             "a bound value is that of a session",
	"call.go > batch.go":               "Check emits and logs as the batch does",
	"call.go > context.go":             "Message is in the context of the calls",
	"call.go > event.go":               "Check emits its decision",
	"call.go > executor.go":            "Run runs a batch",
	"call.go > session_permissions.go": "the permissions in force, for Check and Filter",
	"call.go > pipeline.go":            "a call knows the job that runs it",
	"call.go > pipeline_inquiry.go":    "Check may ask the user",
	"call.go > pipeline_outcome.go":    "Emit reports progress",
	"call.go > pipeline_run.go":        "the Call of a tool that the host executes waits",
	"call.go > question.go":            "Check words a denial",
	"call.go > pool.go":                "Pool, and the tools that Run may call",
	"call.go > session.go":             "Session, and the directories that Check and Filter resolve paths with",
	"definition.go > pool.go":          "a tool declares itself for a pool",
	"definition.go > session.go":       "a tool may be switched off in a session",
	"session_calls.go > gather.go":     "a session knows its open gatherings",
	"result.go > session.go":           "a result may change the session",
	"result.go > suspension.go":        "an outcome knows the call that was suspended",
	"schema.go > session.go":           "a bound value is that of a session",
	"tool.go > pool.go":                "a tool declares itself for a pool",
}

// layerOfRootFile returns the height of a file's layer.
func layerOfRootFile(p string) (height int, listed bool) {
	name := strings.TrimSuffix(p, ".go")
	height = slices.IndexFunc(rootLayers, func(l rootLayer) bool { return slices.Contains(l.files, name) })
	return height, height >= 0
}

func wrongLayers(files []goFile) []finding {
	var all []finding
	for _, file := range rootFiles(files) {
		if _, listed := layerOfRootFile(file.path); !listed {
			all = append(all, file.finding(file.syntax.Name, "%s stands in no layer of rootLayers", file.path))
		}
	}
	for _, use := range upwardUses(files) {
		if _, allowed := upward[use.key()]; !allowed {
			all = append(all, use.file.finding(use.node, "uses %s of %s, which stands in a later layer; to allow it, put %q into upward with a reason",
				strings.Join(use.names, ", "), use.to, use.key()))
		}
	}
	return all
}

// upwardUse is what one file uses of a file of a later layer.
type upwardUse struct {
	file  goFile
	to    string // path of the other file
	names []string
	node  ast.Node // the first use
}

func (u upwardUse) key() string { return u.file.path + " > " + u.to }

// upwardUses finds the uses that point up, those of one file in another together.
func upwardUses(files []goFile) []upwardUse {
	found := map[string]upwardUse{}
	for _, use := range rootUses(files) {
		from, listed := layerOfRootFile(use.file.path)
		to, known := layerOfRootFile(use.to)
		if !listed || !known || from >= to {
			continue
		}
		pair, ok := found[use.file.path+use.to]
		if !ok {
			pair = upwardUse{file: use.file, to: use.to, node: use.ident}
		}
		if !slices.Contains(pair.names, use.ident.Name) {
			pair.names = append(pair.names, use.ident.Name)
		}
		found[use.file.path+use.to] = pair
	}
	return slices.SortedFunc(maps.Values(found), func(a, b upwardUse) int { return cmp.Compare(a.key(), b.key()) })
}

func rootFiles(files []goFile) []goFile {
	return slices.DeleteFunc(slices.Clone(files), func(f goFile) bool { return f.folder != "." })
}

// rootUse is one use of a declaration of the root package in another of its files.
type rootUse struct {
	file  goFile
	ident *ast.Ident
	to    string // path of the file that declares it
}

// rootUses finds the uses of package-level names, fields and methods of the root
// package. It checks the types without the imported packages, since to load these
// would take seconds: what only they know has no type here. A selector on such a
// value counts if its name is unexported and the package has one field or method
// of that name; the few others are missed.
func rootUses(files []goFile) []rootUse {
	root := rootFiles(files)
	if len(root) == 0 {
		return nil
	}
	var syntax []*ast.File
	for _, file := range root {
		syntax = append(syntax, file.syntax)
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	lenient := types.Config{Error: func(error) {}, Importer: emptyImporter{}}
	pkg, _ := lenient.Check(modulePath, root[0].fset, syntax, info)
	private := privateMembers(info)
	var all []rootUse
	for _, file := range root {
		selected := map[*ast.Ident]bool{}
		for n := range ast.Preorder(file.syntax) {
			if selector, ok := n.(*ast.SelectorExpr); ok {
				selected[selector.Sel] = true
			}
			ident, ok := n.(*ast.Ident)
			if !ok {
				continue
			}
			object := info.Uses[ident]
			if object == nil && selected[ident] {
				object = private[ident.Name]
			}
			if object == nil || object.Pkg() != pkg || !isDeclaration(object) {
				continue
			}
			if to := file.fset.Position(object.Pos()).Filename; to != file.path {
				all = append(all, rootUse{file: file, ident: ident, to: to})
			}
		}
	}
	return all
}

// privateMembers returns the unexported fields and methods whose names are unique.
func privateMembers(info *types.Info) map[string]types.Object {
	members := map[string]types.Object{}
	for ident, object := range info.Defs {
		if object == nil || ident.IsExported() || !isMember(object) {
			continue
		}
		if _, twice := members[ident.Name]; twice {
			object = nil
		}
		members[ident.Name] = object
	}
	return members
}

func isMember(object types.Object) bool {
	switch o := object.(type) {
	case *types.Var:
		return o.IsField()
	case *types.Func:
		return o.Signature().Recv() != nil
	}
	return false
}

// isDeclaration reports whether an object is no local of a function.
func isDeclaration(object types.Object) bool {
	return isMember(object) || object.Parent() == object.Pkg().Scope()
}

// emptyImporter imports every package as one that declares nothing.
type emptyImporter map[string]*types.Package

func (known emptyImporter) Import(p string) (*types.Package, error) {
	if known[p] == nil {
		known[p] = types.NewPackage(p, path.Base(p))
		known[p].MarkComplete()
	}
	return known[p], nil
}
