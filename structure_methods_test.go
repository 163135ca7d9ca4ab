package pegboard_test

import (
	"go/ast"
	"go/token"
	"strings"
)

// methodsAway lists the methods of the root package that stand in another file than
// their type: the type, the file, and why. A line goes when its methods go home;
// TestStructureListsAreCurrent says which.
var methodsAway = map[string]string{}

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
