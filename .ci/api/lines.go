package main

import (
	"fmt"
	"go/types"
	"strings"
)

// lines returns the API of a package, not sorted.
func lines(p *types.Package) []string {
	w := writer{pkg: p}
	for _, name := range p.Scope().Names() {
		if object := p.Scope().Lookup(name); object.Exported() {
			w.object(object)
		}
	}
	return w.lines
}

// writer collects the lines of one package.
type writer struct {
	pkg   *types.Package
	lines []string
}

func (w *writer) add(format string, args ...any) {
	w.lines = append(w.lines, "pkg "+w.pkg.Path()+", "+fmt.Sprintf(format, args...))
}

func (w *writer) object(object types.Object) {
	switch o := object.(type) {
	case *types.Const:
		of := ""
		if b, ok := o.Type().(*types.Basic); !ok || b.Info()&types.IsUntyped == 0 {
			of = " " + w.text(o.Type())
		}
		w.add("const %s%s = %s", o.Name(), of, o.Val().ExactString())
	case *types.Var:
		w.add("var %s %s", o.Name(), w.text(o.Type()))
	case *types.Func:
		signature := o.Signature()
		w.add("func %s%s%s", o.Name(), w.parameters(signature.TypeParams()), w.signature(signature))
	case *types.TypeName:
		w.typeName(o)
	}
}

func (w *writer) typeName(o *types.TypeName) {
	if alias, ok := o.Type().(*types.Alias); ok {
		w.add("type %s%s = %s", o.Name(), w.parameters(alias.TypeParams()), w.text(alias.Rhs()))
		return
	}
	named, ok := o.Type().(*types.Named)
	if !ok {
		return
	}
	head := o.Name() + w.parameters(named.TypeParams())
	switch u := named.Underlying().(type) {
	case *types.Struct:
		w.add("type %s struct", head)
		w.fields(o.Name(), u)
	case *types.Interface:
		w.interfaceType(head, o.Name(), u)
	default:
		w.add("type %s %s", head, w.text(u))
	}
	w.methods(named)
}

// fields lists the exported fields of a struct. What is promoted from an embedded type
// that has no name outside counts as the struct's own.
func (w *writer) fields(of string, s *types.Struct) {
	for f := range s.Fields() {
		switch {
		case f.Exported() && f.Embedded():
			w.add("type %s struct, embedded %s", of, w.text(f.Type()))
		case f.Exported():
			w.add("type %s struct, %s %s", of, f.Name(), w.text(f.Type()))
		case f.Embedded():
			t := f.Type()
			if pointer, ok := t.Underlying().(*types.Pointer); ok {
				t = pointer.Elem()
			}
			if inner, ok := t.Underlying().(*types.Struct); ok {
				w.fields(of, inner)
			}
		}
	}
}

func (w *writer) interfaceType(head, name string, i *types.Interface) {
	var names []string
	sealed := false
	for m := range i.Methods() {
		if !m.Exported() {
			sealed = true
			continue
		}
		names = append(names, m.Name())
		w.add("type %s interface, %s%s", name, m.Name(), w.signature(m.Signature()))
	}
	if sealed {
		names = append(names, "unexported methods")
	}
	for t := range i.EmbeddedTypes() {
		if _, ok := t.Underlying().(*types.Interface); !ok { // a constraint
			names = append(names, w.text(t))
		}
	}
	w.add("type %s interface { %s }", head, strings.Join(names, ", "))
}

// methods lists the method set of a type and of the pointer to it, promoted methods
// among them. An interface has its methods in its own lines.
func (w *writer) methods(named *types.Named) {
	if types.IsInterface(named) {
		return
	}
	direct := types.NewMethodSet(named)
	for selection := range types.NewMethodSet(types.NewPointer(named)).Methods() {
		method, ok := selection.Obj().(*types.Func)
		if !ok || !method.Exported() {
			continue
		}
		receiver := "*"
		if direct.Lookup(method.Pkg(), method.Name()) != nil {
			receiver = ""
		}
		// The selection has the receiver's type arguments in place of the parameters.
		signature, ok := selection.Type().(*types.Signature)
		if !ok {
			continue
		}
		w.add("method (%s%s) %s%s", receiver, w.text(named), method.Name(), w.signature(signature))
	}
}
