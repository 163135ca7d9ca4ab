package mcpjson_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

func TestServersAreShownWithoutSecrets(t *testing.T) {
	t.Parallel()
	const secret = "s3cret"
	oauth := &mcpjson.OAuth{ClientID: "notes", ClientSecret: secret}
	s := mcpjson.Server{
		Name: "notes", Type: mcpjson.HTTP, URL: "https://example.com/?key=" + secret, Args: []string{secret},
		Env: map[string]string{"KEY": secret}, Headers: map[string]string{"Authorization": secret}, OAuth: oauth,
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("server", "server", s, "oauth", fmt.Sprint(oauth, mcpjson.OAuth{}))
	texts := fmt.Sprintf("%v %+v %s %v", s, s, s, []mcpjson.Server{s}) + log.String()
	require.Contains(t, texts, "notes (http)")
	require.Contains(t, texts, "OAuth client notes")
	require.Contains(t, texts, "registers itself")
	require.NotContains(t, texts, secret)
}

// TestNoSDK keeps the package small: a program that only reads a configuration needs no MCP.
func TestNoSDK(t *testing.T) {
	t.Parallel()
	list, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	require.NotContains(t, string(list), "modelcontextprotocol")
}
