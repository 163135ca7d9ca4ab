package dialect

import (
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// definitions are the schemas under $defs: those that references lead to.
type definitions struct {
	order      []string // references, as they were met first
	names      map[string]string
	used       map[string]bool
	references map[string][]string // from one to the others
	current    string              // that is being written, "#" for the root
}

func newDefinitions() definitions {
	return definitions{names: map[string]string{}, used: map[string]bool{}, references: map[string][]string{}, current: "#"}
}

// onlyRefers reports whether n is a reference that nothing is said beside, other
// than what describes it.
func (n *node) onlyRefers() bool {
	if n.ref == "" {
		return false
	}
	rest := n.withoutNotes()
	rest.ref = ""
	return rest.acceptsAll()
}

// reference writes a reference.
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

// name returns the reference to the definition that ref leads to. A path that is
// written in two ways has two definitions.
func (d *definitions) name(ref string) string {
	d.references[d.current] = append(d.references[d.current], ref)
	if ref == "#" {
		return ref
	}
	name, ok := d.names[ref]
	if !ok {
		name = d.free(ref)
		d.names[ref], d.used[name] = name, true
		d.order = append(d.order, ref)
	}
	return "#/$defs/" + name
}

// free returns a name of letters, digits, _ and - that no definition has.
func (d *definitions) free(ref string) string {
	base := strings.Map(func(c rune) rune {
		if c < 0x80 && nameByte(byte(c)) {
			return c
		}
		return '_'
	}, ref[strings.LastIndexByte(ref, '/')+1:])
	name := base
	for i := 2; name == "" || d.used[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	return name
}

// define adds the definitions that are referred to.
func (w *writer) define(root *jsonobject.Tree) error {
	all := &jsonobject.Tree{}
	for i := 0; i < len(w.defs.order); i++ { // more are met on the way
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

// loop returns a definition that leads back to itself.
func (d *definitions) loop() (ref string, found bool) {
	const open, done = 1, 2
	state := map[string]int{}
	var visit func(string) bool
	visit = func(at string) bool {
		state[at] = open
		for _, next := range d.references[at] {
			if state[next] == open {
				ref = next
				return true
			}
			if state[next] == 0 && visit(next) {
				return true
			}
		}
		state[at] = done
		return false
	}
	found = visit("#")
	return ref, found
}
