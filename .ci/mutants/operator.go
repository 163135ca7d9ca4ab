package main

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// function finds the mutants of a function. declared are the names that the function
// declares, which hide those of types.
func (s *source) function(t *ast.FuncType, body *ast.BlockStmt, declared map[string]bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			s.function(n.Type, n.Body, declared)
			return false
		case *ast.GenDecl:
			return n.Tok == token.VAR
		case *ast.BlockStmt:
			s.statements(t, n.List, declared)
		case *ast.CaseClause:
			s.statements(t, n.Body, declared)
		case *ast.CommClause:
			s.statements(t, n.Body, declared)
		case *ast.IfStmt:
			s.condition(n.Cond)
		case *ast.ForStmt:
			if n.Cond != nil {
				s.condition(n.Cond)
			}
		case *ast.SwitchStmt:
			s.cases(n)
		case *ast.BinaryExpr:
			s.binary(n)
		}
		return true
	})
}

// condition turns a condition around. The operands of && and || and comparisons have
// mutants of their own.
func (s *source) condition(n ast.Expr) {
	if b, ok := ast.Unparen(n).(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
		return // binary turns it around
	}
	s.add(n, "(", ") != mutantOn(%d)", "not: "+s.short(n))
}

// cases turns the cases of a switch without a value around.
func (s *source) cases(n *ast.SwitchStmt) {
	if n.Tag != nil {
		return
	}
	for _, c := range n.Body.List {
		for _, x := range c.(*ast.CaseClause).List { //nolint:errcheck,forcetypeassert // a switch has nothing else
			s.condition(x)
		}
	}
}

// binary drops an operand of && and ||, moves the bound of a comparison, and turns an
// equality around.
func (s *source) binary(n *ast.BinaryExpr) {
	switch n.Op {
	case token.LAND:
		for _, x := range []ast.Expr{n.X, n.Y} {
			s.add(x, "(", " || mutantOn(%d))", "true for: "+s.short(x))
		}
	case token.LOR:
		for _, x := range []ast.Expr{n.X, n.Y} {
			s.add(x, "((", ") && !mutantOn(%d))", "false for: "+s.short(x))
		}
	case token.LSS, token.GTR:
		s.add(n, "(", " || mutantOn(%d) && ("+s.of(n.X)+") == ("+s.of(n.Y)+"))", "equal, too: "+s.short(n))
	case token.LEQ, token.GEQ:
		s.add(n, "(", " && !(mutantOn(%d) && ("+s.of(n.X)+") == ("+s.of(n.Y)+")))", "not when equal: "+s.short(n))
	case token.EQL, token.NEQ:
		s.add(n, "((", ") != mutantOn(%d))", "not: "+s.short(n))
	}
}

// statements leaves out single statements, and returns zero values early.
func (s *source) statements(t *ast.FuncType, list []ast.Stmt, declared map[string]bool) {
	for _, n := range list {
		switch n := n.(type) {
		case *ast.ReturnStmt:
			s.result(t, n, declared)
		case *ast.ExprStmt:
			if call, ok := n.X.(*ast.CallExpr); ok && s.of(call.Fun) == "panic" {
				continue
			}
			s.leaveOut(n)
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE && (len(n.Lhs) != 1 || s.of(n.Lhs[0]) != "_") {
				s.leaveOut(n)
			}
		case *ast.IncDecStmt, *ast.DeferStmt, *ast.SendStmt:
			s.leaveOut(n)
		case *ast.BranchStmt:
			if n.Tok == token.BREAK || n.Tok == token.CONTINUE {
				s.leaveOut(n)
			}
		}
	}
}

func (s *source) leaveOut(n ast.Stmt) {
	s.add(n, "if !mutantOn(%d) { ", " }", "without: "+s.short(n))
}

// result returns zero values instead, or true for a plain false.
func (s *source) result(t *ast.FuncType, n *ast.ReturnStmt, declared map[string]bool) {
	if len(n.Results) == 0 || t.Results == nil {
		return
	}
	if len(n.Results) == 1 && s.of(n.Results[0]) == "false" {
		s.add(n.Results[0], "", " != mutantOn(%d)", "true for: return false")
		return
	}
	if !slices.ContainsFunc(n.Results, func(x ast.Expr) bool { return !s.isZero(x) }) {
		return
	}
	var zeros []string
	for _, field := range t.Results.List {
		if name, _, _ := strings.Cut(strings.TrimLeft(s.of(field.Type), "*[]"), "."); declared[name] {
			return
		}
		for range max(len(field.Names), 1) {
			zeros = append(zeros, "*new("+s.of(field.Type)+")")
		}
	}
	s.add(n, "if mutantOn(%d) { return "+strings.Join(zeros, ", ")+" }; ", "", "zero for: "+s.short(n))
}

// isZero reports whether an expression is plainly the zero value.
func (s *source) isZero(x ast.Expr) bool {
	switch text := s.of(x); text {
	case "nil", "false", "0", `""`, "``":
		return true
	default:
		_, composite := x.(*ast.CompositeLit)
		return composite && strings.HasSuffix(text, "{}")
	}
}

// declaredIn returns the names that a function declares.
func declaredIn(f *ast.FuncDecl) map[string]bool {
	declared := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, x := range n.Lhs {
					if id, ok := x.(*ast.Ident); ok {
						declared[id.Name] = true
					}
				}
			}
		case *ast.Field:
			for _, id := range n.Names {
				declared[id.Name] = true
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				declared[id.Name] = true
			}
		case *ast.RangeStmt:
			for _, x := range []ast.Expr{n.Key, n.Value} {
				if id, ok := x.(*ast.Ident); ok {
					declared[id.Name] = true
				}
			}
		}
		return true
	})
	return declared
}
