package main_test

import (
	"context"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/reference"
)

// extensions are the scenarios of extensions to authorization that the SDK does not have,
// nor have its own samples.
var extensions = []string{
	"auth/client-credentials-basic", "auth/client-credentials-jwt", "auth/cross-app-access-complete-flow",
	"auth/dpop", "auth/dpop-nonce", "auth/enterprise-managed-authorization", "auth/wif-jwt-bearer",
}

const suiteTime = 5 * time.Minute

// TestConformance has the suite play the server. Every call of the client goes through a pool
// and the executor.
func TestConformance(t *testing.T) {
	tests := []struct {
		name    string
		program reference.Program
		args    []string
		exempt  []string
		least   int // scenarios that pass
	}{
		{name: "newest", program: reference.ConformanceNext, args: []string{"--suite", "all"}, exempt: extensions, least: 42},
		{name: "2026-07-28", program: reference.ConformanceNext, args: []string{"--requirements", "2026-07-28"}, exempt: extensions, least: 33},
		{name: "2025-11-25", program: reference.ConformanceNext, args: []string{"--requirements", "2025-11-25"}, exempt: extensions, least: 19},
		{
			name: "to 2025-11-25", program: reference.Conformance, args: []string{"--suite", "all"}, least: 22,
			exempt: append([]string{"auth/2025-03-26-oauth-metadata-backcompat"}, extensions...),
		},
	}
	client := filepath.Join(t.TempDir(), "client")
	built, err := exec.CommandContext(t.Context(), "go", "build", "-o", client, ".").CombinedOutput()
	require.NoError(t, err, "%s", built)
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if i > 0 && !effort.Full(t) {
				t.Skip("with less than full effort only the newest suite runs")
			}
			passed, failed := play(t, client, tt.program, tt.args...)
			for name, text := range failed {
				if slices.Contains(tt.exempt, name) {
					continue
				}
				// The limits of time of the suite suppose that a scenario runs alone.
				again, _ := play(t, client, tt.program, "--scenario", name)
				require.Contains(t, again, name, "%s", text)
				passed[name] = again[name]
			}
			require.GreaterOrEqual(t, len(passed), tt.least)
		})
	}
}

var (
	summary = regexp.MustCompile(`(?m)^([✓✗]) (\S+): \d+ passed, \d+ failed`)
	alone   = regexp.MustCompile(`(?m)^Passed: \d+/\d+, 0 failed`)
)

// play runs the suite and returns the scenarios that passed and failed, with what the suite
// printed.
func play(t *testing.T, client string, p reference.Program, args ...string) (passed, failed map[string]string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), suiteTime)
	defer cancel()
	line := reference.OnLoopback(t, reference.Args(t, p, append([]string{"client", "--command", client, "-o", t.TempDir()}, args...)...))
	printed, _ := exec.CommandContext(ctx, line[0], line[1:]...).CombinedOutput() // a failed scenario is an error
	require.NoError(t, ctx.Err())
	passed, failed = map[string]string{}, map[string]string{}
	for _, match := range summary.FindAllStringSubmatch(string(printed), -1) {
		if match[1] == "✓" {
			passed[match[2]] = string(printed)
		} else {
			failed[match[2]] = string(printed)
		}
	}
	if args[0] == "--scenario" && alone.Match(printed) {
		passed[args[1]] = string(printed)
	}
	t.Logf("%d scenarios passed, failed: %v", len(passed), slices.Sorted(maps.Keys(failed)))
	return passed, failed
}
