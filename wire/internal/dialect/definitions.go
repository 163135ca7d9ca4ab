package dialect

import (
	"fmt"
	"strings"
)

// definitions are the schemas under $defs, to which references lead.
type definitions struct {
	order      []string            // references in the order of their first use
	names      map[string]string   // of the definitions, by reference
	used       map[string]bool     // names in use
	references map[string][]string // the references in each definition
	current    string              // the reference to the definition being written; "#" for the root
}

func newDefinitions() definitions {
	return definitions{names: map[string]string{}, used: map[string]bool{}, references: map[string][]string{}, current: "#"}
}

// name returns the reference to the definition of the schema that ref leads to. References in
// two spellings have two definitions.
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

// free returns an unused name of letters, digits, _ and -.
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

// loop returns a reference to a definition that leads back to itself.
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
