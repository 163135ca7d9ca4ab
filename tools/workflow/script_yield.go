package workflow

import (
	"reflect"

	"github.com/dop251/goja/ast"
)

// yieldsFrom reports whether a syntax tree has a yield*. The engine recurs for each generator
// that yields from another, beyond the limit of calls, and a stack that is exhausted would end
// the process.
func yieldsFrom(program *ast.Program) bool {
	return searchYield(reflect.ValueOf(program), map[any]bool{})
}

// searchYield looks into everything that v refers to. A declaration is referred to by its
// function, too: seen has the pointers that were followed.
func searchYield(v reflect.Value, seen map[any]bool) bool {
	switch v.Kind() { //nolint:exhaustive // no other kind refers to an expression
	case reflect.Interface:
		return !v.IsNil() && searchYield(v.Elem(), seen)
	case reflect.Pointer:
		if v.IsNil() || seen[v.Interface()] {
			return false
		}
		seen[v.Interface()] = true
		if y, ok := v.Interface().(*ast.YieldExpression); ok && y.Delegate {
			return true
		}
		return searchYield(v.Elem(), seen)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && searchYield(v.Field(i), seen) {
				return true
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if searchYield(v.Index(i), seen) {
				return true
			}
		}
	}
	return false
}
