package serve_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/reference"
)

// offline returns the command that serves the suite's tools in a network of their own and
// runs args there, with the server's address in place of URL.
func offline(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	unshare, err := exec.LookPath("unshare")
	if err != nil || os.Geteuid() != 0 {
		t.Skip("a network that holds only loopback needs unshare and root")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), unshare, append([]string{"-n", self}, args...)...)
	cmd.Env = append(os.Environ(), programVariable+"=offline")
	return cmd
}

// notOurs are the checks, of scenarios that are about tools, that ask for something else or
// recommend it.
var notOurs = map[string]string{
	"sep-2575-server-declares-prompts-in-discover":  "the SDK answers prompts/list; there are no prompts",
	"sep-2575-server-rejects-undeclared-capability": "its tool asks the client's model",
	"sep-2575-missing-capability-http-400":          "its tool asks the client's model",
	"sep-2575-server-no-log-without-loglevel":       "its tool writes to the client's log",
	"server-sse-retry-field":                        "a recommendation for streams that are closed in mid-call; ours stay open",
	"server-sse-priming-event":                      "a recommendation; 0.1.16 speaks a version in which the SDK sends none",
}

// asksNothing is the error of a check that only a request to the client's model passes, which is
// not served. Its client can be asked for nothing else. Had the server sent it a form all the
// same, which the check is there to find, the error would name that.
const asksNothing = "Server returned complete result; expected InputRequiredResult with sampling-only inputRequests"

// TestConformance runs the protocol's own test suites against a served pool.
func TestConformance(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the suites take some seconds")
	}
	tests := []struct {
		name      string
		suite     reference.Program
		args      []string
		scenarios []string
	}{
		{
			name: "0.1.16", suite: reference.Conformance, args: []string{"--suite", "all"},
			scenarios: []string{
				"server-initialize", "ping", "tools-list", "tools-call-simple-text", "tools-call-image", "tools-call-audio", "tools-call-embedded-resource",
				"tools-call-mixed-content", "tools-call-error", "tools-call-with-progress", "tools-call-elicitation", "json-schema-2020-12",
				"elicitation-sep1034-defaults", "elicitation-sep1330-enums", "server-sse-polling", "server-sse-multiple-streams", "resources-list", "dns-rebinding-protection",
			},
		},
		{
			name: "0.2.0-alpha.12, all", suite: reference.ConformanceNext, args: []string{"--suite", "all"},
			scenarios: []string{"server-initialize", "server-session-lifecycle", "server-stateless", "tools-call-elicitation", "server-sse-polling", "caching"},
		},
		{
			name: "0.2.0-alpha.12, 2025-11-25", suite: reference.ConformanceNext, args: []string{"--requirements", "2025-11-25"},
			scenarios: []string{
				"server-initialize", "server-session-lifecycle", "ping", "tools-list", "tools-call-simple-text", "tools-call-image", "tools-call-audio", "tools-call-embedded-resource",
				"tools-call-mixed-content", "tools-call-error", "tools-call-with-progress", "tools-call-elicitation", "json-schema-2020-12",
				"elicitation-sep1034-defaults", "elicitation-sep1330-enums", "server-sse-polling", "server-sse-multiple-streams", "resources-list", "dns-rebinding-protection",
			},
		},
		{
			name: "0.2.0-alpha.12, 2026-07-28", suite: reference.ConformanceNext, args: []string{"--requirements", "2026-07-28"},
			scenarios: []string{
				"server-stateless", "tools-list", "tools-call-simple-text", "tools-call-image", "tools-call-audio", "tools-call-embedded-resource",
				"tools-call-mixed-content", "tools-call-error", "tools-call-with-progress", "json-schema-2020-12", "server-sse-multiple-streams",
				"resources-list", "sep-2164-resource-not-found", "dns-rebinding-protection", "caching", "http-header-validation", "http-custom-header-server-validation",
				"input-required-result-basic-elicitation", "input-required-result-request-state", "input-required-result-multi-round", "input-required-result-missing-input-response",
				"input-required-result-result-type", "input-required-result-unsupported-methods", "input-required-result-tampered-state",
				"input-required-result-ignore-extra-params", "input-required-result-validate-input", "input-required-result-capability-check",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			results := t.TempDir()
			args := append(reference.Args(t, tt.suite, "server", "--url", "URL", "-o", results), tt.args...)
			out, _ := offline(t, args...).CombinedOutput() // it fails for what is not ours
			checks := suiteChecks(t, results)
			passed := 0
			for _, scenario := range tt.scenarios {
				require.NotEmpty(t, checks[scenario], "%s was not run:\n%s", scenario, out)
				for _, c := range checks[scenario] {
					if c.Status == "SUCCESS" {
						passed++
					}
					if c.Status != "SUCCESS" && c.Status != "INFO" && c.Status != "SKIPPED" && notOurs[c.ID] == "" && c.Error != asksNothing {
						t.Errorf("%s: %s: %s: %s", scenario, c.ID, c.Status, c.Error)
					}
				}
			}
			t.Logf("%d checks of %d scenarios passed", passed, len(tt.scenarios))
		})
	}
}

// A suiteCheck is one result of a suite.
type suiteCheck struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Error  string `json:"errorMessage"`
}

var suiteFolder = regexp.MustCompile(`^server-(.+)-\d{4}-\d\d-\d\dT`)

// suiteChecks reads the results that a suite has written, by scenario.
func suiteChecks(t *testing.T, folder string) map[string][]suiteCheck {
	t.Helper()
	all := map[string][]suiteCheck{}
	files, err := filepath.Glob(filepath.Join(folder, "*", "checks.json"))
	require.NoError(t, err)
	for _, file := range files {
		scenario := suiteFolder.FindStringSubmatch(filepath.Base(filepath.Dir(file)))
		require.NotNil(t, scenario, file)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var checks []suiteCheck
		require.NoError(t, json.Unmarshal(text, &checks))
		all[scenario[1]] = append(all[scenario[1]], checks...)
	}
	return all
}

// TestInspector lists and calls the served tools with the protocol's Inspector.
func TestInspector(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the Inspector takes some seconds")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	for _, way := range []string{"stdio", "http"} {
		inspect := func(t *testing.T, args ...string) []byte {
			t.Helper()
			var cmd *exec.Cmd
			if way == "http" {
				cmd = offline(t, append(reference.Args(t, reference.Inspector, "--cli", "URL", "--transport", "http"), args...)...)
			} else {
				line := append(reference.Args(t, reference.Inspector, "--cli", "-e", programVariable+"=stdio", self), args...)
				cmd = exec.CommandContext(t.Context(), line[0], line[1:]...)
			}
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			require.NoError(t, err)
			return out
		}
		t.Run(way+"/list", func(t *testing.T) {
			t.Parallel()
			var list struct {
				Tools []struct {
					Name string `json:"name"`
				} `json:"tools"`
			}
			require.NoError(t, json.Unmarshal(inspect(t, "--method", "tools/list"), &list))
			names := make([]string, len(list.Tools))
			for i, tool := range list.Tools {
				names[i] = tool.Name
			}
			require.True(t, slices.IsSorted(names))
			require.Contains(t, names, "test_simple_text")
		})
		t.Run(way+"/call", func(t *testing.T) {
			t.Parallel()
			require.JSONEq(t, `{"content":[{"type":"text","text":"{\"level\":3,\"region\":\"eu\"}"}]}`,
				string(inspect(t, "--method", "tools/call", "--tool-name", "test_x_mcp_header", "--tool-arg", "level=3", "region=eu")))
		})
	}
}
