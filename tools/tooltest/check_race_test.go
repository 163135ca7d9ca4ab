package tooltest_test

import (
	"context"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// racyStage tells a copy of this test which stage of a tool should race.
const racyStage = "TOOLTEST_RACY_STAGE"

// racyTools are tools of which one stage counts without a lock.
func racyTools() map[string]pegboard.Tool {
	var count int
	good := good()
	return map[string]pegboard.Tool{
		"none":     good,
		"Info":     bent{Tool: good, info: func() pegboard.Info { count++; return good.Info() }},
		"Declare":  declaring(func(*pegboard.Session, *pegboard.Declaration) { count++ }),
		"Traits":   traitsFrom(func(*pegboard.Call, *pegboard.Traits) { count++ }),
		"Validate": bent{Tool: good, validate: func(*pegboard.Call) error { count++; return nil }},
		"Permit":   bent{Tool: good, permit: func(*pegboard.Call) pegboard.Decision { count++; return pegboard.Decision{} }},
		"Call":     bent{Tool: good, call: func(context.Context, *pegboard.Call) { count++ }},
	}
}

// TestCheckShowsDataRaces runs this test again for each racy tool, since the
// race detector fails the test in which it finds something.
func TestCheckShowsDataRaces(t *testing.T) {
	t.Parallel()
	if stage := os.Getenv(racyStage); stage != "" {
		require.NoError(t, tooltest.Check(racyTools()[stage], goodInput))
		return
	}
	if !detectsRaces() {
		t.Skip("built without -race")
	}
	for stage := range racyTools() {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCheckShowsDataRaces$")
			again.Env = append(os.Environ(), racyStage+"="+stage)
			out, err := again.CombinedOutput()
			if stage == "none" {
				require.NoError(t, err, "%s", out)
				return
			}
			require.Error(t, err)
			require.Contains(t, string(out), "DATA RACE")
		})
	}
}

// detectsRaces reports whether the test was built with -race.
func detectsRaces() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}
