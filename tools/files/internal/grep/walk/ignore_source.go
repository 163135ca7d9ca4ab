package walk

// ignoreSource is a kind of ignore file, those that count most first.
type ignoreSource int

const (
	rgIgnoreSource ignoreSource = iota
	dotIgnoreSource
	gitIgnoreSource
	gitExcludeSource
	numSources
)

// maxIgnoreFileBytes is how many bytes of an ignore file are read. What follows does not
// count.
const maxIgnoreFileBytes = 4 << 20
