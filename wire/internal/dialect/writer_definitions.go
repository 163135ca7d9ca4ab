package dialect

import "github.com/seed49eaa51d/pegboard/internal/jsonobject"

// reference writes a reference. It returns nil if no value fits its definition.
func (w *writer) reference(n *node, orNull bool) (*jsonobject.Tree, error) {
	if err := w.spend(1); err != nil {
		return nil, err
	}
	target, err := w.target(n.ref)
	if err != nil {
		return nil, err
	}
	f, err := w.flatten(target, nil, 0)
	if err != nil {
		return nil, err
	}
	if f.nothing {
		return nil, nil
	}
	o := &jsonobject.Tree{}
	o.Set("$ref", w.defs.name(n.ref))
	noted := w.annotated(n, &jsonobject.Tree{})
	if !orNull && (w.describedRefs || noted.Len() == 0) {
		return w.annotated(n, o), nil
	}
	return w.union(n, []any{o}, orNull), nil
}

// define adds the definitions to which references lead.
func (w *writer) define(root *jsonobject.Tree) error {
	all := &jsonobject.Tree{}
	for i := 0; i < len(w.defs.order); i++ { // writing a definition may add others
		ref := w.defs.order[i]
		target, err := w.target(ref)
		if err != nil {
			return err
		}
		w.defs.current = ref
		name := w.defs.names[ref]
		w.path = []string{"$defs", name}
		out, err := w.write(target, false)
		if err != nil {
			return err
		}
		if out == nil {
			return w.refuse("no value fits it")
		}
		all.Set(name, out)
	}
	w.path = nil
	if !w.recursion {
		if ref, found := w.defs.loop(); found {
			return &RefusalError{Reason: "it is recursive: it leads back to " + ref}
		}
	}
	if all.Len() > 0 {
		root.Set("$defs", all)
	}
	return nil
}
