package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

const (
	eventually = time.Minute
	tick       = time.Millisecond
)

// build compiles the program once for a test.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "demo.exe")
	out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	return binary
}

// TestDemoOnce ends by itself in this repository, in a small folder and in an empty one, and
// leaves nothing there.
func TestDemoOnce(t *testing.T) {
	t.Parallel()
	binary := build(t)
	small := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(small, "sub"), 0o700))
	for _, name := range []string{"a.md", "sub/b.md", ".env"} {
		require.NoError(t, os.WriteFile(filepath.Join(small, name), []byte("the text\n"), 0o600))
	}
	tests := []struct {
		name, dir string
		says      []string
	}{
		{name: "this repository", dir: filepath.Join("..", ".."), says: []string{"Read 20 lines"}},
		{name: "a small folder", dir: small, says: []string{"Read a.md, lines 1 to 20: Read 1 line", "Found 1 match", "There are at least 2 files here"}},
		{name: "an empty folder", dir: t.TempDir(), says: []string{"There are at least 0 files here"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			before, temp := listing(t, tc.dir), t.TempDir()
			cmd := exec.Command(binary, "-once")
			cmd.Dir = tc.dir
			cmd.Env = append(os.Environ(), "TMPDIR="+temp)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, string(out))
			for _, s := range append(tc.says,
				"Read .env: Denied: deny rule", "Timeline of ", "Printed 108893 bytes", "Runs in the background", "Start agent Explore: count the folders: Reported",
				"report.md: yes, because of -once", "waits: Read reads", "report.md: Added 1 line, removed 1 line", "Globb: There is no such tool",
				"completed", "There are at least",
			) {
				require.Contains(t, string(out), s)
			}
			require.NotContains(t, string(out), "token=")
			require.Equal(t, before, listing(t, tc.dir))
			require.Empty(t, listing(t, temp))
		})
	}
}

// listing returns the names below a folder, but for those of git and of tests beside this one.
func listing(t *testing.T, dir string) (names []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if path != dir {
			names = append(names, path)
		}
		return err
	}))
	return names
}

// A log is what a screen prints. It may be read at any time.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// newTestHost returns a host in an empty folder. Its asker is that of the terminal, unless
// one is given.
func newTestHost(t *testing.T, typed io.Reader, ask pegboard.Asker) (*host, *log) {
	t.Helper()
	out, dir := new(log), t.TempDir()
	s := newScreen(out, dir, false)
	if ask == nil {
		ask = s.askIn(typed)
	}
	h, err := newHost(dir, "127.0.0.1:0", ask, s)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.close(context.Background())) })
	return h, out
}

// browse returns a browser that has opened the page with its token.
func browse(t *testing.T, h *host) (get func(path string) string, post func(path string, form url.Values) string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	client := &http.Client{Jar: jar}
	send := func(method, path string, form url.Values) string {
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+h.address+"/"+path, strings.NewReader(form.Encode()))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		reply, err := client.Do(r)
		require.NoError(t, err)
		defer reply.Body.Close()
		body, err := io.ReadAll(reply.Body)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, reply.StatusCode, string(body))
		return string(body)
	}
	get = func(path string) string { return send(http.MethodGet, path, nil) }
	post = func(path string, form url.Values) string { return send(http.MethodPost, path, form) }
	get("?token=" + h.token)
	return get, post
}

// TestDemoIsAnsweredWhereTheUserIs: on the page or in the terminal, whichever is first.
func TestDemoIsAnsweredWhereTheUserIs(t *testing.T) {
	t.Parallel()
	reader, typed := io.Pipe()
	t.Cleanup(func() { _ = typed.Close() })
	h, out := newTestHost(t, reader, nil)
	get, post := browse(t, h)
	ended := make(chan error, 1)
	go func() { ended <- h.converse(context.Background()) }()

	// The first question, about the report, is answered on the page.
	require.Eventually(t, func() bool { return strings.Contains(out.String(), "y allows it once") }, eventually, tick)
	page := get("")
	require.Contains(t, page, "report.md")
	id := regexp.MustCompile(`name="id" value="([^"]+)"`).FindStringSubmatch(page)
	require.NotNil(t, id, page)
	post("answer", url.Values{"id": {id[1]}, "answer": {"once"}})

	// The second, about the change of it, in the terminal.
	require.Eventually(t, func() bool { return strings.Count(out.String(), "y allows it once") == 2 }, eventually, tick)
	require.Contains(t, out.String(), "answered on the page")
	_, err := io.WriteString(typed, "perhaps\nn\n")
	require.NoError(t, err)
	require.NoError(t, <-ended)
	require.Contains(t, out.String(), "y allows it once, n denies it.\n")
	require.Contains(t, out.String(), "Denied: the user declined")
	require.NotContains(t, out.String(), h.token)

	for _, section := range []string{"", "timeline", "pools", "rules", "results", "section-1"} {
		require.NotContains(t, get(section), h.token)
	}
}

// run runs a command line in the agent's shell.
func (h *host) run(t *testing.T, command string) string {
	t.Helper()
	input, err := json.Marshal(map[string]any{"command": command, "timeout": 300_000})
	require.NoError(t, err)
	pool := h.tools.Registry.AssemblePool(h.session, pegboard.PoolConfig{})
	out := h.executor.Run(t.Context(), pool, pegboard.Call{ID: fmt.Sprint(len(command)), Name: "Bash", Input: input})[0]
	require.NoError(t, out.Err)
	return out.Result.Text()
}
