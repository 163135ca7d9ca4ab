package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"html"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// canary stands in an input and a result that the page shows to the user.
const canary = "canary-7f3a"

// TestAgentsShellIsKeptOut: whatever the agent runs can reach the page's address. With
// guesses for the token it gets nothing from it.
func TestAgentsShellIsKeptOut(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	h, _ := newTestHost(t, nil, func(context.Context, *pegboard.Question) (policy.Decision, error) {
		return policy.Decision{Behavior: policy.Allow}, nil
	})
	h.run(t, "echo "+canary)
	get, _ := browse(t, h)
	paths := pathsOf(get)
	require.Contains(t, get("timeline"), canary, "the user sees it")
	require.GreaterOrEqual(t, len(paths), 20, paths)

	cookie := cookieName(t, h)
	guess := rand.Text()
	tries := []string{
		"", "-X POST", "-X PUT", "-X OPTIONS", "--head", "-d 'id=1&answer=once'", "-d 'token=" + guess + "'",
		"-H 'Cookie: " + cookie + "=" + guess + "'", "-H 'Cookie: " + cookie + "='", "-H 'Cookie: token=" + guess + "'",
		"-H 'Authorization: Bearer " + guess + "'", "-u pegboard:" + guess,
		"-H 'Host: localhost'", "-H 'Host: evil.example'", "-H 'Host: evil.example' -H 'Cookie: " + cookie + "=" + guess + "'", "-H 'Host:' --http1.0",
		"-H 'X-Forwarded-For: 127.0.0.1' -H 'X-Forwarded-Host: localhost'", "-H 'X-Original-URL: /timeline'",
		"-H 'Origin: http://" + h.address + "' -H 'Sec-Fetch-Site: same-origin'", "-H 'Sec-Fetch-Site: none' -H 'Sec-Fetch-Mode: navigate'",
	}
	var urls []string
	for _, p := range paths {
		address := "http://" + h.address + "/" + p
		sign := "?"
		if strings.Contains(p, "?") {
			sign = "&"
		}
		urls = append(urls, address, address+sign+"token="+guess, address+sign+"token=")
	}
	for _, options := range tries {
		for some := range slices.Chunk(urls, 30) { // whose replies are short enough to be shown whole
			config := "url = " + strings.Join(some, "\nurl = ") + "\n"
			reply := h.run(t, fmt.Sprintf("curl -sS --max-time 60 -w '\nstatus %%{http_code}\n' %s --config - <<'END'\n%sEND", options, config))
			require.NotContains(t, reply, canary, options)
			statuses := regexp.MustCompile(`(?m)^status (\d+)$`).FindAllStringSubmatch(reply, -1)
			require.Len(t, statuses, len(some), "%s\n%s", options, reply)
			for _, s := range statuses {
				require.Contains(t, []string{"401", "403"}, s[1], "%s\n%s", options, reply)
			}
		}
	}
}

// pathsOf returns the paths of the page: those that it links to, and those that only its
// script and its forms know.
func pathsOf(get func(string) string) []string {
	paths := []string{"", "style.css", "script.js"}
	link := regexp.MustCompile(`href="\.?/?([a-z][^":#]*)"`)
	for i := 0; i < len(paths) && i < 60; i++ {
		for _, m := range link.FindAllStringSubmatch(get(paths[i]), -1) {
			if path := html.UnescapeString(m[1]); !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return append(paths, "events?after=0", "rows?calls=1", "rows?questions", "answer", "decide", "logout", "nothing", "../", "?page=1")
}

// cookieName returns the name of the page's cookie, which the agent does not know.
func cookieName(t *testing.T, h *host) string {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := client.Get("http://" + h.address + "/?token=" + h.token)
	require.NoError(t, err)
	defer r.Body.Close()
	require.Len(t, r.Cookies(), 1)
	return r.Cookies()[0].Name
}

// TestTokenIsInTheTerminalOnly: not in the environment and the arguments of the program or
// of its children, not in a file, and not where the output goes.
func TestTokenIsInTheTerminalOnly(t *testing.T) {
	t.Parallel()
	binary := build(t)
	t.Run("without a terminal", func(t *testing.T) {
		t.Parallel()
		setsid, err := exec.LookPath("setsid")
		if err != nil {
			t.Skip("setsid, which leaves the terminal, is not installed")
		}
		out, err := exec.Command(setsid, "--wait", binary).CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), "shown in a terminal only")
		require.NotContains(t, string(out), "token=")
	})
	t.Run("in a terminal", func(t *testing.T) {
		t.Parallel()
		script, err := exec.LookPath("script")
		if err != nil {
			t.Skip("no script, which has pseudo terminals, is installed")
		}
		temp, output := t.TempDir(), filepath.Join(t.TempDir(), "output")
		cmd := exec.Command(script, "--quiet", "--return", "--command", "exec "+binary+" > "+output, "/dev/null")
		cmd.Dir = t.TempDir()
		cmd.Env = append(os.Environ(), "TMPDIR="+temp)
		terminal := new(log)
		cmd.Stdout = terminal
		stdin, err := cmd.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		said := func() string { b, _ := os.ReadFile(output); return string(b) }
		require.Eventually(t, func() bool { return strings.Contains(said(), "y allows it once") }, eventually, tick, "%v", terminal)
		found := regexp.MustCompile(`Look at http://127\.0\.0\.1:\d+/\?token=(\S+)`).FindStringSubmatch(terminal.String())
		require.NotNil(t, found, terminal.String())
		token := found[1]
		require.GreaterOrEqual(t, len(token), 26, "128 bits and more")

		require.NotContains(t, said(), token)
		for _, name := range listing(t, temp) {
			content, _ := os.ReadFile(name) // of a folder there is none
			require.NotContains(t, string(content), token, name)
		}
		for _, pid := range processesOf(t, temp) {
			for _, file := range []string{"environ", "cmdline"} {
				content, _ := os.ReadFile(filepath.Join("/proc", pid, file)) // it may have ended
				require.NotContains(t, string(content), token, file)
			}
		}
		_, err = io.WriteString(stdin, "n\n")
		require.NoError(t, err)
		require.Eventually(t, func() bool { return strings.Contains(said(), "until you press Ctrl-C") }, eventually, tick)
		_, err = io.WriteString(stdin, "\x03")
		require.NoError(t, err)
		require.NoError(t, cmd.Wait())
		require.Empty(t, listing(t, temp))
	})
}

// processesOf returns the ids of the processes with that TMPDIR, at least one.
func processesOf(t *testing.T, temp string) (pids []string) {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(t, err)
	for _, dir := range dirs {
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err == nil && slices.Contains(strings.Split(string(env), "\x00"), "TMPDIR="+temp) {
			pids = append(pids, filepath.Base(dir))
		}
	}
	require.NotEmpty(t, pids)
	return pids
}
