package acp

import (
	"github.com/seed49eaa51d/pegboard"
)

// modes are the modes of permissions with the words in which the editor shows them, in the
// order in which it does.
var modes = [...]struct {
	mode        pegboard.Mode
	name, about string
}{
	{pegboard.ModeDefault, "Default", "Reads the working directories, and asks about everything else"},
	{pegboard.ModeAcceptEdits, "Accept edits", "Also changes files in the working directories without asking"},
	{pegboard.ModePlan, "Plan", "Changes nothing"},
	{pegboard.ModeAuto, "Auto", "Asks only where a classifier does not decide"},
	{pegboard.ModeBypass, "Bypass permissions", "Does not ask, unless a rule or a tool insists"},
	{pegboard.ModeAsk, "Ask", "Asks about every call"},
	{pegboard.ModeDontAsk, "Don't ask", "Denies what the default mode asks about"},
	{pegboard.ModeDeny, "Deny", "Denies every call that no rule allows"},
}

// modesOf returns the modes that permissions offer, and the one that they are in.
func modesOf(p pegboard.Permissions) *modeState {
	s := &modeState{Current: string(p.Mode())}
	for _, m := range modes {
		if p.Offers(m.mode) || p.Mode() == m.mode {
			s.Available = append(s.Available, sessionMode{ID: string(m.mode), Name: m.name, Description: m.about})
		}
	}
	return s
}
