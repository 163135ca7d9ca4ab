package main

import (
	"fmt"
	"go/types"
	"strings"
)

// parameters returns type parameters with their constraints, such as [$0 any].
func (w *writer) parameters(list *types.TypeParamList) string {
	if list.Len() == 0 {
		return ""
	}
	var parts []string
	for p := range list.TypeParams() {
		parts = append(parts, w.text(p)+" "+w.text(p.Constraint()))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// signature returns parameters and results without their names.
func (w *writer) signature(s *types.Signature) string {
	var in, out []string
	for i := range s.Params().Len() {
		t := s.Params().At(i).Type()
		if slice, ok := t.(*types.Slice); ok && s.Variadic() && i == s.Params().Len()-1 {
			in = append(in, "..."+w.text(slice.Elem()))
			continue
		}
		in = append(in, w.text(t))
	}
	for v := range s.Results().Variables() {
		out = append(out, w.text(v.Type()))
	}
	text := "(" + strings.Join(in, ", ") + ")"
	switch len(out) {
	case 0:
		return text
	case 1:
		return text + " " + out[0]
	}
	return text + " (" + strings.Join(out, ", ") + ")"
}

// text returns a type as it stands in this package. Type parameters are numbered, since
// their names say nothing to a caller.
func (w *writer) text(t types.Type) string {
	switch t := t.(type) {
	case *types.TypeParam:
		return fmt.Sprintf("$%d", t.Index())
	case *types.Alias:
		return w.name(t.Obj(), t.TypeArgs())
	case *types.Named:
		if t.TypeArgs().Len() == 0 && t.TypeParams().Len() > 0 {
			return w.generic(t)
		}
		return w.name(t.Obj(), t.TypeArgs())
	case *types.Pointer:
		return "*" + w.text(t.Elem())
	case *types.Slice:
		return "[]" + w.text(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), w.text(t.Elem()))
	case *types.Map:
		return "map[" + w.text(t.Key()) + "]" + w.text(t.Elem())
	case *types.Chan:
		direction := map[types.ChanDir]string{types.SendRecv: "chan ", types.SendOnly: "chan<- ", types.RecvOnly: "<-chan "}
		return direction[t.Dir()] + w.text(t.Elem())
	case *types.Signature:
		return "func" + w.signature(t)
	}
	// Structs without a name and constraints, whose text has no names of parameters.
	return types.TypeString(t, func(p *types.Package) string { return w.qualifier(p) })
}

// generic returns a generic type with its own parameters, as a receiver has it.
func (w *writer) generic(t *types.Named) string {
	var parts []string
	for p := range t.TypeParams().TypeParams() {
		parts = append(parts, w.text(p))
	}
	return w.name(t.Obj(), nil) + "[" + strings.Join(parts, ", ") + "]"
}

func (w *writer) name(o *types.TypeName, args *types.TypeList) string {
	text := o.Name()
	if p := w.qualifier(o.Pkg()); p != "" {
		text = p + "." + text
	}
	if args.Len() == 0 {
		return text
	}
	var parts []string
	for t := range args.Types() {
		parts = append(parts, w.text(t))
	}
	return text + "[" + strings.Join(parts, ", ") + "]"
}

func (w *writer) qualifier(p *types.Package) string {
	if p == nil || p == w.pkg {
		return ""
	}
	return p.Name()
}
