package wire_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/wire/anthropic"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
	"github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

// allTools are the tools of one pool in the form of each provider, a line for each.
func allTools(t *testing.T) string {
	t.Helper()
	p := poolOf(t,
		definition{name: "edit", strict: true, schema: `{"type":"object","properties":{"path":{"type":"string"},"mode":{"enum":["a","b",null]},"lines":{"type":"integer","minimum":1}},"required":["path"]}`},
		definition{name: "notes.add", schema: `{"type":"object","properties":{"note":{"$ref":"#/$defs/note"}},"$defs":{"note":{"type":"object","properties":{"text":{"type":"string"},"next":{"$ref":"#/$defs/note"}}}}}`},
		definition{name: "search", deferred: true, schema: `{"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}],"properties":{"a":{"type":"string"},"b":{"type":["string","null"]}}}`},
	)
	return fmt.Sprintf("%s\n%s\n%s\n%s\n", anthropic.New(p, anthropic.Config{Cache: true}).Tools(), chat.New(p, chat.Config{}).Tools(), responses.New(p, responses.Config{}).Tools(), gemini.New(p, gemini.Config{}).Tools())
}

// TestInvariant7AcrossProcesses compares the tools of every wire with those that
// other processes make.
func TestInvariant7AcrossProcesses(t *testing.T) {
	const variable = "PEGBOARD_TEST_TOOLS" // the file that the other process writes to
	here := allTools(t)
	if path := os.Getenv(variable); path != "" {
		require.NoError(t, os.WriteFile(path, []byte(here), 0o600))
		return
	}
	program, err := os.Executable()
	require.NoError(t, err)
	for i := range 3 {
		path := filepath.Join(t.TempDir(), fmt.Sprint(i))
		other := exec.CommandContext(t.Context(), program, "-test.run=^TestInvariant7AcrossProcesses$", "-test.count=1")
		other.Env = append(os.Environ(), variable+"="+path)
		output, err := other.CombinedOutput()
		require.NoError(t, err, "%s", output)
		there, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, here, string(there))
	}
}
