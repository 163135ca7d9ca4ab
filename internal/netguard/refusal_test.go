package netguard_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/netguard"
)

// TestRefusalCutsNoCharacter: the text of a long target ends after a whole character.
func TestRefusalCutsNoCharacter(t *testing.T) {
	t.Parallel()
	err := &netguard.RefusalError{Target: "a" + strings.Repeat("ü", 200), Kind: netguard.ErrURL, Reason: "no"}
	require.Contains(t, err.Error(), strings.Repeat("ü", 99)+"...")
	require.NotContains(t, err.Error(), `\x`)
}
