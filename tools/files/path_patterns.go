package files

import "slices"

// pathPatterns are patterns of the paths below one directory.
type pathPatterns []pathPattern

// matchesFile reports whether one of the patterns finds a file at rel.
func (ps pathPatterns) matchesFile(rel string) bool {
	for i := range ps {
		if p := &ps[i]; !p.ofDirs && p.matches(rel) {
			return true
		}
	}
	return false
}

// matchesDir reports whether one of the patterns matches a directory at rel, and whether
// it is a pattern that finds directories.
func (ps pathPatterns) matchesDir(rel string) (matches, wanted bool) {
	for i := range ps {
		if p := &ps[i]; p.matches(rel) {
			matches, wanted = true, wanted || p.ofDirs
		}
	}
	return matches, wanted
}

// canContain reports whether the directory at rel can contain matches, provided that its
// parent directories can.
func (ps pathPatterns) canContain(rel string) bool {
	return slices.ContainsFunc(ps, func(p pathPattern) bool { return (&p).canContain(rel) })
}

// maxDepth returns the maximum number of names in a match; 0 means any number.
func (ps pathPatterns) maxDepth() int {
	depth := 0
	for _, p := range ps {
		if p.maxDepth == 0 {
			return 0
		}
		depth = max(depth, p.maxDepth)
	}
	return depth
}

// onlyDirs reports whether all patterns find directories only.
func (ps pathPatterns) onlyDirs() bool {
	return !slices.ContainsFunc(ps, func(p pathPattern) bool { return !p.ofDirs })
}
