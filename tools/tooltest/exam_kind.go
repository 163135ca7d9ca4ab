package tooltest

import "github.com/seed49eaa51d/pegboard"

// checkKind compares the kind of a call with its other traits.
func (x *exam) checkKind(input string, tr pegboard.Traits) {
	switch tr.Kind {
	case pegboard.KindEdit:
		if tr.ReadOnly && !tr.Destructive {
			x.addViolation(ruleKind, input, "the kind is edit, and the call is read-only")
		}
	case pegboard.KindSearch, pegboard.KindRead, pegboard.KindList, pegboard.KindThink:
		if tr.Destructive {
			x.addViolation(ruleKind, input, "the kind is %v, and the call is destructive", tr.Kind)
		}
		for _, target := range tr.Targets {
			if target.Kind == pegboard.TargetPath && target.Access == pegboard.AccessWrite {
				x.addViolation(ruleKind, input, "the kind is %v, and one of the targets is to %s", tr.Kind, target)
				return
			}
		}
	}
}

// checkOwn examines a call that says that it changes nothing but its conversation.
func (x *exam) checkOwn(input string, tr pegboard.Traits) {
	if !tr.Own || tr.ReadOnly {
		return
	}
	if len(tr.Targets) == 0 {
		x.addViolation(ruleOwn, input, "Own is set, and the call names no target, so it may change anything")
	}
	for _, target := range tr.Targets {
		switch target.Kind {
		case pegboard.TargetPath, pegboard.TargetCommand, pegboard.TargetHost, pegboard.TargetOpaque:
			if target.Access != pegboard.AccessRead {
				x.addViolation(ruleOwn, input, "Own is set, and one of the targets is to %s", target)
				return
			}
		}
	}
}
