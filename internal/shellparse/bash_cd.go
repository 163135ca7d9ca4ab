package shellparse

import "strings"

// cdUse is cd and pushd to a directory that can be known.
func cdUse(args []arg) shellUse {
	dir, ok := cdTarget(args)
	if !ok {
		return shellUse{unknown("the directory that the line changes to cannot be known"), true}
	}
	if dir == nil {
		return shellUse{}
	}
	return shellUse{use: use{files: []file{{arg: *dir}}}}
}

// cdTarget is the directory that the arguments of cd name, or nil for the home
// directory. It reports false if it cannot be known.
func cdTarget(args []arg) (dir *arg, ok bool) {
	for len(args) > 0 && args[0].known && has("-L -P -e --", args[0].value) {
		args = args[1:]
	}
	if len(args) == 0 {
		return nil, true
	}
	a := args[0]
	if len(args) > 1 || !a.known || a.glob || a.value == "" || strings.ContainsAny(a.value[:1], "-+") {
		return nil, false
	}
	return &a, true
}

// move is where the shell is after a command worked.
func (w *walker) move(c *Command, s stripped, in place) place {
	if s.program || len(s.args) == 0 {
		return in
	}
	switch s.args[0].value {
	case "cd", "pushd":
	case "popd", "source", ".", "eval", "trap":
		return place{}
	default:
		return in
	}
	dir, ok := cdTarget(s.args[1:])
	switch {
	case !ok, dir == nil && (w.home() == "" || s.args[0].value == "pushd"):
		return place{}
	case dir == nil:
		c.Paths = append(c.Paths, Path{Name: w.home()})
		return in.enter(w.home())
	}
	return in.enter(dir.value)
}
