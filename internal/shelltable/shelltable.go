// Package shelltable holds tables about shell commands that both shellparse, which
// determines the effects of a line, and suggest, which proposes rules, read. It imports
// only the standard library, so that the root package may depend on it without a parser
// of shell syntax.
package shelltable

// AddedArgsMark ends the text of a command to which xargs adds arguments, so that no
// exact rule for the text allows it.
const AddedArgsMark = " …"
