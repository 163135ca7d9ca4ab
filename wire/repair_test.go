package wire_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/wire"
)

func TestRepairKindString(t *testing.T) {
	t.Parallel()
	for kind, want := range map[wire.RepairKind]string{
		wire.MissingResult: "missing result", wire.MisplacedResult: "misplaced result", wire.StrayResult: "stray result",
		wire.DuplicateResult: "duplicate result", wire.DuplicateCall: "duplicate call", wire.StrayCall: "stray call",
		wire.SplitMessage: "split message", wire.EmptyMessage: "empty message", wire.UnreadableMessage: "unreadable message",
		wire.StaleReference: "stale reference", wire.DuplicateMessage: "duplicate message", wire.SuspendedCall: "suspended call",
		-1: "RepairKind(-1)", wire.SuspendedCall + 1: "RepairKind(12)",
	} {
		require.Equal(t, want, kind.String())
	}
}
