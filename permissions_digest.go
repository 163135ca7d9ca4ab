package pegboard

import "encoding/json"

// digest identifies permissions: two of the same mode, rules and directories have the same.
func (p *Permissions) digest() string {
	parts := []string{string(p.Mode())}
	for _, m := range p.outer {
		parts = append(parts, "outer "+string(m))
	}
	for r := range p.AllRules() {
		parts = append(parts, "rule", r.Behavior.String(), r.String(), string(r.Source))
	}
	for _, f := range p.facts {
		parts = append(parts, "facts", f.Behavior.String(), f.String(), string(f.Source))
	}
	for _, d := range p.work {
		parts = append(parts, "dir", d.spelled)
	}
	text, _ := json.Marshal(parts) // strings have no error
	return digestOf(text)
}
