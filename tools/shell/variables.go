package shell

import (
	"slices"
	"strings"
)

// variables are environment variables.
type variables struct {
	pairs []string // NAME=value; of two with one name the last counts
	fold  bool     // letter case does not count in names, as on Windows
}

// nameOf returns the name of a pair. On Windows a name may begin with =.
func nameOf(pair string) string {
	if at := strings.IndexByte(pair[min(1, len(pair)):], '='); at >= 0 {
		return pair[:at+1]
	}
	return pair
}

// same reports whether two names are of one variable.
func (v *variables) same(a, b string) bool {
	return a == b || v.fold && strings.EqualFold(a, b)
}

// get returns the value of a variable.
func (v *variables) get(name string) (value string, ok bool) {
	for _, pair := range slices.Backward(v.pairs) {
		if n := nameOf(pair); v.same(n, name) {
			return strings.TrimPrefix(pair[len(n):], "="), true
		}
	}
	return "", false
}

// set gives a variable a value, and removes all others of its name.
func (v *variables) set(name, value string) {
	v.remove(func(n string) bool { return v.same(n, name) })
	v.pairs = append(v.pairs, name+"="+value)
}

// setAll sets variables that are given as pairs.
func (v *variables) setAll(pairs []string) {
	for _, pair := range pairs {
		name := nameOf(pair)
		v.set(name, strings.TrimPrefix(pair[len(name):], "="))
	}
}

// setMissing is setAll without the variables that exist.
func (v *variables) setMissing(pairs []string) {
	for _, pair := range pairs {
		if _, ok := v.get(nameOf(pair)); !ok {
			v.pairs = append(v.pairs, pair)
		}
	}
}

// remove removes the variables whose names match. Where letter case does not count, the
// names are given in upper case as well.
func (v *variables) remove(matches func(name string) bool) {
	v.pairs = slices.DeleteFunc(slices.Clone(v.pairs), func(pair string) bool {
		name := nameOf(pair)
		return matches(name) || v.fold && matches(strings.ToUpper(name))
	})
}
