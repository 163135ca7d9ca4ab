package pegboard_test

import (
	"go/ast"
	"go/token"
	"strings"
)

// methodsAway lists the methods of the root package that stand in another file than
// their type: the type, the file, and why. A line goes when its methods go home;
// TestStructureListsAreCurrent says which.
var methodsAway = map[string]string{
	"Call decide.go":                   "the input of a decision is made of the call that is decided",
	"Call result_limits.go":            "a part is fitted with the limits and the store of the call's session",
	"Call stored_result.go":            "storing a result is one subject, whether a tool or the pipeline does it",
	"Call suggestions.go":              "a denial names the rule that would permit the call",
	"Executor batch.go":                "a batch is opened with the executor's settings",
	"Executor stream.go":               "Stream stands with its constructor",
	"Info mcp_meta.go":                 "the metadata of one protocol, apart from the facts of a tool",
	"Part resultstore.go":              "which parts are previews and images is asked when results are stored",
	"Permissions decide.go":            "the order of a decision is read as one page",
	"Permissions permission_update.go": "applying an update stands with the update",
	"Permissions rule_match.go":        "the candidates of a decision are found and matched in one place",
	"Pool breaker.go":                  "a call is counted with what the breaker knows of its tool",
	"Pool call.go":                     "Rebuild makes a Call",
	"Pool deferral.go":                 "the policy of deferral is applied to a pool",
	"Pool loaded.go":                   "what is loaded is a view of a pool",
	"Pool resolve.go":                  "Resolve stands with the Resolution it returns",
	"Pool restrict.go":                 "Restrict stands with the Restriction it applies",
	"Pool search.go":                   "Search stands with the rankers it asks",
	"Pool trace.go":                    "Decide and ExplainDecision are one function with two results",
	"Question suggestions.go":          "spelling rules is a subject of its own",
	"Registry assemble.go":             "AssemblePool stands with the steps of the assembly",
	"Session breaker.go":               "the counters of loops are the session's",
	"Session classifier.go":            "the counters of refusals are the session's",
	"Session loaded.go":                "the loaded tools are the session's",
	"Session permission_update.go":     "permissions are replaced and saved in one place",
	"Session question.go":              "the open questions are the session's",
	"Session resultstore.go":           "the store is the session's",
	"Session stored_result.go":         "a result is stored with the session's store and limits",
	"Session suggestions.go":           "a rule is spelled from the session's directories",
	"Session target_resolve.go":        "a path is resolved from the session's directories",
	"Session trim.go":                  "which results are replaced is remembered by the session",
	"Session workdir.go":               "the working directories are the session's",
	"batch loaded.go":                  "what a batch found is loaded when the batch ends",
	"batch pipeline_hooks.go":          "hooks are called in one place",
	"batch pipeline_outcome.go":        "outcomes of failures are made in one place",
	"defined tool.go":                  "it belongs to definition.go",
	"inputSpec definition.go":          "the input is decoded as the definition says",
	"inquiry classifier.go":            "the classifier is one of those an inquiry asks",
	"job breaker.go":                   "an outcome is counted by the breaker when a call ends",
	"job inquiry.go":                   "a call that needs an answer starts an inquiry",
	"job repair.go":                    "repairing the input is a stage of its own",
	"job result_limits.go":             "fitting the result is a stage of its own",
	"subject rule_match.go":            "a rule is matched against the input of a decision",
	"subject suggestions.go":           "a suggestion is tried by deciding again",
	"subject workdir.go":               "whether a target lies in a working directory is asked by decisions",
}

// methodAway is a method in a file that is not named after its type's file.
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

// methodsAwayFromHome finds the methods of a type of x.go that stand neither in x.go
// nor in a file whose name begins with x_.
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
			if !ok || method.Recv == nil {
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
