package shell_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/script"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// TestSecretsOfTheHostAreWithheld from commands and scripts, unless the host says otherwise.
func TestSecretsOfTheHostAreWithheld(t *testing.T) {
	needBash(t)
	for _, name := range []string{
		"OPENAI_API_KEY", "GH_TOKEN", "CLIENT_SECRET", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "PGPASSWORD",
		"GOOGLE_APPLICATION_CREDENTIALS", "ARM_CLIENT_SECRET", "npm_config__auth", "DB_PASSWORD", "SIGNING_PRIVATE_KEY", "TOKEN",
		"AZURE_STORAGE_CONNECTION_STRING", "PLAIN", "TOKENS_PER_MINUTE", "SSH_AUTH_SOCK", "KEY",
	} {
		t.Setenv(name, "of "+name)
	}
	const shown = "OPENAI_API_KEY GH_TOKEN CLIENT_SECRET AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN PGPASSWORD " +
		"GOOGLE_APPLICATION_CREDENTIALS ARM_CLIENT_SECRET npm_config__auth DB_PASSWORD SIGNING_PRIVATE_KEY TOKEN AZURE_STORAGE_CONNECTION_STRING"
	passes := func(t *testing.T, o shell.Options, names string) string {
		t.Helper()
		out := bash(t, session(t, tempDir(t), "Bash"), o, fmt.Sprintf(`{"command":"for v in %s; do printenv $v; done; true"}`, names))
		return outputOf(t, out).Stdout
	}
	for _, tc := range []struct {
		name     string
		withheld []string
		names    string
		want     string
	}{
		{name: "those of the list", names: shown},
		{name: "others pass", names: "PLAIN TOKENS_PER_MINUTE SSH_AUTH_SOCK KEY", want: "of PLAIN\nof TOKENS_PER_MINUTE\nof SSH_AUTH_SOCK\nof KEY"},
		{name: "an exception", withheld: append(shell.DefaultWithheld(), "!GH_TOKEN"), names: "GH_TOKEN CLIENT_SECRET", want: "of GH_TOKEN"},
		{name: "the last counts", withheld: []string{"!GH_TOKEN", "GH_*"}, names: "GH_TOKEN"},
		{name: "a list of its own", withheld: []string{"plain"}, names: "PLAIN GH_TOKEN", want: "of GH_TOKEN"},
		{name: "none", withheld: []string{}, names: "GH_TOKEN PLAIN", want: "of GH_TOKEN\nof PLAIN"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, passes(t, shell.Options{Withheld: tc.withheld}, tc.names))
		})
	}
	t.Run("a host's own environment is not touched", func(t *testing.T) {
		require.Equal(t, "mine", passes(t, shell.Options{Env: []string{"GH_TOKEN=mine", "PATH=/usr/bin:/bin"}}, "GH_TOKEN"))
	})
	t.Run("variables that the host adds", func(t *testing.T) {
		vars := map[string]string{"GH_TOKEN": "mine", "REGION": "north"}
		require.Equal(t, "mine\nnorth\nof PLAIN", passes(t, shell.Options{Vars: vars}, "GH_TOKEN REGION PLAIN"))
		require.Equal(t, "mine", passes(t, shell.Options{Vars: vars, Env: []string{"GH_TOKEN=other", "PATH=/usr/bin:/bin"}}, "GH_TOKEN PLAIN"))
		shown := bash(t, session(t, tempDir(t), "Bash"), shell.Options{Vars: vars}, `{"command":"echo [$GH_TOKEN]"}`)
		require.Equal(t, "[mine]", shown.Result.Text())
		asked := bash(t, session(t, tempDir(t)), shell.Options{Vars: vars}, `{"command":"echo $REGION"}`)
		require.ErrorIs(t, asked.Err, pegboard.ErrNoApprover, "a rule or a person shows its value")
	})
	t.Run("programs are found in a PATH that the host adds", func(t *testing.T) {
		dir := tempDir(t)
		script.Write(t, filepath.Join(dir, "ours"), "#!/bin/sh\necho here\n")
		out := bash(t, session(t, tempDir(t), "Bash"), shell.Options{Vars: map[string]string{"PATH": dir + ":/usr/bin:/bin"}}, `{"command":"ours"}`)
		require.Equal(t, "here", outputOf(t, out).Stdout)
	})
	t.Run("a line that names one is told", func(t *testing.T) {
		for command, want := range map[string]string{
			"echo [$GH_TOKEN]":      "Commands do not get GH_TOKEN: what may be a secret of the host is withheld.\n[]",
			"echo [${DB_PASSWORD}]": "Commands do not get DB_PASSWORD: what may be a secret of the host is withheld.\n[]",
			"echo [$GH_TOKENS]":     "[]",
			"echo [$PLAIN]":         "[of PLAIN]",
		} {
			require.Equal(t, want, bash(t, session(t, tempDir(t), "Bash"), shell.Options{}, fmt.Sprintf(`{"command":%q}`, command)).Result.Text())
		}
	})
	t.Run("scripts", func(t *testing.T) {
		if _, err := exec.LookPath("python3"); err != nil {
			t.Skip("python3 is not installed")
		}
		code := jsonOf(t, `import os; print(os.environ.get("GH_TOKEN"), os.environ.get("PLAIN"), os.environ.get("EDITOR"))`)
		for want, o := range map[string]shell.REPLOptions{"None of PLAIN false": {}, "of GH_TOKEN of PLAIN false": {Withheld: []string{}}, "mine of PLAIN false": {Vars: map[string]string{"GH_TOKEN": "mine"}}} {
			var ex pegboard.Executor
			out := ex.Run(t.Context(), poolOf(t, session(t, tempDir(t), "REPL"), shell.REPL(o)), pegboard.Call{Name: "REPL", Input: []byte(`{"code":` + code + `}`)})[0]
			require.Equal(t, want, out.Result.Text())
		}
	})
}

// TestDefaultWithheldIsACopy: a host may change it.
func TestDefaultWithheldIsACopy(t *testing.T) {
	t.Parallel()
	shell.DefaultWithheld()[0] = "*"
	require.NotContains(t, shell.DefaultWithheld(), "*")
}
