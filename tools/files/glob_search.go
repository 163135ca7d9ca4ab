package files

import "slices"

// A globSearch is the search of one directory, or for one path.
type globSearch struct {
	base     string       // where the search starts, or the path that is looked for
	named    bool         // the pattern names base, so that it is no error if it does not exist
	literal  bool         // the pattern is a path without wildcards: if it is a directory, patterns apply in it
	ofDirs   bool         // a literal path ends in a slash, so it names a directory
	patterns pathPatterns // of the paths below base
}

// addTo adds s to searches, or its patterns to a search in the same directory.
func (s globSearch) addTo(all []globSearch) []globSearch {
	same := slices.IndexFunc(all, func(other globSearch) bool { return other.base == s.base && other.literal == s.literal })
	if same < 0 {
		return append(all, s)
	}
	if !s.literal {
		all[same].patterns = append(all[same].patterns, s.patterns...)
	}
	return all
}
