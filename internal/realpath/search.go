package realpath

import "io/fs"

// Search calls visit with the path of everything in the directories dirs, and in those below
// that enter returns true for. What is near to one of dirs comes before what is deeper. It
// follows no links except in dirs. It ends after limit files and directories, and leaves out
// what cannot be read.
func Search(dirs []string, limit int, enter func(dir string) bool, visit func(path string, mode fs.FileMode)) {
	t := tree{budget: limit, visit: func(path string, mode fs.FileMode) bool { visit(path, mode); return true }}
	seen := map[string]bool{}
	for queue := append([]string(nil), dirs...); len(queue) > 0 && t.budget >= 0; queue = queue[1:] {
		dir := queue[0]
		if seen[dir] {
			continue
		}
		seen[dir] = true
		below, _ := t.list(dir)
		for _, d := range below {
			if !seen[d] && enter(d) {
				queue = append(queue, d)
			}
		}
	}
}
