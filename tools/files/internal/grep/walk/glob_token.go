package walk

// A token is a part of a glob.
type token struct {
	op     op
	text   string    // of opText
	set    *byteSet  // of opSet
	either [][]token // of opEither
}

// op is what a token of a glob stands for.
type op byte

const (
	opText   op = iota // itself
	opOne              // ?: a byte but a slash
	opStar             // *: bytes but slashes
	opSet              // [...]: a byte of a set
	opPrefix           // **/ at the beginning: nothing, or anything that a slash ends
	opMiddle           // /**/: a slash, or anything between two
	opSuffix           // /** at the end: a slash and anything
	opEither           // {...}: one of several
)
