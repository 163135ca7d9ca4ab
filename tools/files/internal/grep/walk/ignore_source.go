package walk

// An ignoreSource is a kind of ignore file. Sources with a lower number have priority.
type ignoreSource int

const (
	rgIgnoreSource   ignoreSource = iota // .rgignore
	dotIgnoreSource                      // .ignore
	gitIgnoreSource                      // .gitignore
	gitExcludeSource                     // .git/info/exclude
	numSources
)

// maxIgnoreFileBytes is the maximum number of bytes that are read of an ignore file.
// The rest has no effect.
const maxIgnoreFileBytes = 4 << 20
