package pegboard_test

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
	{about: "targets and rules", files: []string{
		"doc", "errors", "seal", "name", "line", "platform", "target", "shell_facts", "path_resolver", "workdir", "place",
		"retry", "info", "info_mcp_meta", "call_kind", "traits", "behavior", "mode", "rule", "rule_match", "fact_rule", "ruleset",
	}},
	{about: "permissions and decisions", files: []string{
		"permissions", "permissions_modes", "permissions_facts", "permissions_turn", "permissions_digest", "permission_update", "decision", "opinion", "holds", "decide", "decide_rules", "decide_tree", "decide_links", "decide_facts", "concern", "decide_concern", "explanation",
	}},
	{about: "tools, calls, results", files: []string{
		"diff", "view", "tool", "definition", "input_spec", "input_spec_observed", "bind", "output_spec", "declaration", "exclusion", "fingerprint", "entry", "entry_digest", "call", "call_conflict", "forced_decision", "call_hold", "call_message", "call_observed", "call_concern", "snapshot",
		"file_value", "result", "supply", "result_limits", "resultstore",
	}},
	{about: "sessions, registry, pools", files: []string{
		"role", "hooks", "hooks_guard", "hooks_output", "question", "form", "awaited_call", "suggestions", "classifier", "guard", "breaker", "call_budget", "ledger", "group",
		"journal", "file_journal", "suspending", "news", "dir_listeners", "session", "session_news", "session_context", "session_supply", "session_form", "session_dir", "grants", "running_batches", "discovery", "result_counts", "session_results", "call_store", "call_result", "code_error", "result_value", "trim", "key", "values", "budget", "vocabulary",
		"registry", "catalog", "gates", "restrict", "deferral", "scope", "pool", "pool_declare", "assemble", "resolve", "pool_deferral", "pool_decide", "pool_conflict",
		"pool_rule_problems", "call_view", "result_view", "toolsearch", "pool_search", "ranker", "tool_index",
	}},
	{about: "batches and the pipeline", files: []string{
		"event", "event_log", "log_events", "executor", "executor_resume", "outcome_record", "call_reply", "suspension", "durable_call", "turn_record", "session_suspend", "repair", "batch", "batch_context", "batch_hook", "batch_suspend", "stream",
		"pipeline", "pipeline_foreign", "pipeline_repair", "pipeline_schedule", "pipeline_same", "pipeline_hooks", "pipeline_ahead", "pipeline_guard", "pipeline_questions", "pipeline_progress", "pipeline_supply", "pipeline_limits", "pipeline_retry", "pipeline_record", "pipeline_suspend", "inquiry", "inquiry_suspend", "tool_run", "pipeline_outcome",
	}},
}

// upward lists the uses that point up: which file uses which file of a later
// layer, and why. A line goes when its use goes; TestStructureListsAreCurrent
// says which.
var upward = map[string]string{
	"tool.go > scope.go":                  "a tool declares itself for a pool",
	"definition.go > scope.go":            "a tool declares itself for a pool",
	"definition.go > session.go":          "a tool may be switched off in a session",
	"entry.go > scope.go":                 "a tool declares itself for a pool",
	"bind.go > scope.go":                  "a tool declares itself for a pool",
	"bind.go > session.go":                "a bound value is that of a session",
	"input_spec.go > session.go":          "a bound value is that of a session",
	"result.go > session.go":              "a result may change the session",
	"info_mcp_meta.go > result_limits.go": "an external tool's limit has a maximum",

	// A tool reaches everything through the methods of its Call.
	"call.go > session.go":               "Session, and the directories that Check and Filter resolve paths with",
	"call.go > batch_context.go":         "Message is in the context of the batch",
	"call_hold.go > session.go":          "a conversation knows what goes on in it",
	"call_message.go > batch_context.go": "Message is in the context of the batch",
	"call.go > grants.go":                "the permissions in force, for Check and Filter",
	"call.go > pool.go":                  "Pool, and the tools that Run may call",
	"call.go > suggestions.go":           "Check words a denial",
	"call.go > inquiry.go":               "Check may ask the user",
	"call.go > executor.go":              "Run runs a batch",
	"call.go > batch.go":                 "Run runs a batch, and Check emits its decision",
	"call.go > pipeline.go":              "a call knows the job that runs it",
	"call.go > pipeline_supply.go":       "the Call of a tool that the host executes waits",
	"call.go > event.go":                 "Check emits its decision",
	"call.go > pipeline_progress.go":     "Emit reports progress",
	"call_observed.go > pipeline.go":     "the job keeps what was observed",
	"call_observed.go > batch.go":        "a panic of Observe is logged",
	"bind.go > question.go":              "a bound tool may have a preview",
	"result.go > pipeline_suspend.go":    "an outcome knows the call that was suspended",
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
