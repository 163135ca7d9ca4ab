package pegboard_test

import (
	"github.com/seed49eaa51d/pegboard"
)

// reading returns a tool named T that reads what it is said to.
func reading(targets ...pegboard.Target) actor {
	for i := range targets {
		targets[i].Kind, targets[i].Access = pegboard.TargetPath, pegboard.AccessRead
	}
	return actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: targets}}
}
