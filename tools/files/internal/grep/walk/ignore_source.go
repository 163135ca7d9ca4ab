package walk

// source is a kind of ignore file, those that count most first.
type source int

const (
	ofRipgrep source = iota
	ofAnyTool
	ofGit
	ofExclude
	sources
)

// maxRules is how many bytes of an ignore file are read. What follows does not
// count.
const maxRules = 4 << 20
