package agents

import (
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// narrowMode returns the mode of an agent that has one so far and is asked to have another, and
// a note for the caller if that is ignored because it is laxer. Under acceptEdits, auto and
// bypassPermissions the mode default is ignored without a note: a caller in these modes decides
// for its agents, and only the modes that are stricter than default narrow. These narrow also
// where the permissions withhold them, see [pegboard.Permissions.Without].
func narrowMode(have, want pegboard.Mode) (mode pegboard.Mode, note string) {
	if want == "manual" { // a former name
		want = pegboard.ModeDefault
	}
	switch {
	case want == "" || want == have:
		return have, ""
	case want.Laxer(have):
		return have, fmt.Sprintf("The mode %s was ignored: it allows more than %s, which the agent has.", want, have)
	case !pegboard.ModeDefault.Laxer(want):
		return have, ""
	}
	return want, ""
}
