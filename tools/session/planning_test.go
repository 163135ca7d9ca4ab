package session_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/session"
)

// TestPlanning is about sentences that people write. The hint may be wrong; these it gets right.
func TestPlanning(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Make a plan first, then we talk about it.":  true,
		"please plan this before you touch anything": true,
		"Enter plan mode": true,
		"How would you approach moving the store to SQLite?":              true,
		"Propose an approach for the migration.":                          true,
		"Don't change anything yet, just look around.":                    true,
		"think it through before coding":                                  true,
		"I'd like to see a short plan":                                    true,
		"What is your plan?":                                              true,
		"Outline the steps without editing files":                         true,
		"Give me a road map for the rewrite":                              true,
		"":                                                                false,
		"Fix the typo in README.md":                                       false,
		"Why is the query plan of this SELECT so slow?":                   false,
		"run terraform plan and show the output":                          false,
		"Rename the field Plane to Aircraft":                              false,
		"The subscription plans are in billing.go; add a field":           false,
		"explain what this function does":                                 false,
		"run the tests":                                                   false,
		"add the pricing plan to the invoice":                             false,
		"what does EXPLAIN say about the execution plan of this command?": false,
	} {
		require.Equal(t, want, session.Planning(text), text)
	}
}
