// Package browser drives headless Chromium in tests.
//
// It speaks the DevTools protocol over two pipes (--remote-debugging-pipe), so that no port
// is opened and no client library is needed. A test that asks for a browser is skipped where
// Chromium is missing, and says so. The package is for tests alone; no shipped code imports
// it.
package browser

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/internal/reference"
)

// limit is how long one command, or a condition that is waited for, may take.
const limit = 2 * time.Minute

// Rebound is the name of another site whose owner makes it lead to this machine.
const Rebound = "rebound.example"

// A Browser is a running Chromium with an empty profile. Its methods may be called
// concurrently.
type Browser struct {
	pipe *pipe
}

// Start starts a browser that ends with the test. The test is skipped if Chromium is not
// installed, or [reference.Variable] does not ask for the programs of others.
func Start(tb testing.TB) *Browser {
	tb.Helper()
	program := find(tb)
	var table proc.Table
	profile, err := os.MkdirTemp("", "b") //nolint:usetesting // the browser makes a socket there, whose name may have hardly a hundred bytes
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := os.RemoveAll(profile); err != nil {
			tb.Errorf("remove the browser's files: %v", err)
		}
	})
	tb.Cleanup(func() {
		if err := table.Close(context.Background()); err != nil {
			tb.Errorf("end the browser: %v", err)
		}
	})
	p := newPipe()
	process, err := table.Start(context.Background(), proc.Command{
		Args:  arguments(program, profile),
		Dir:   profile,
		Env:   append(os.Environ(), "HOME="+profile, "TMPDIR="+profile, "XDG_CONFIG_HOME="+profile, "XDG_CACHE_HOME="+profile),
		Stdin: true, Output: p.receive, Errors: func([]byte) {},
		Keep: 1, MaxOutput: -1, Unlisted: true, Grace: time.Millisecond,
	})
	if err != nil {
		tb.Fatalf("start %s: %v", program, err)
	}
	p.connect(process)
	return &Browser{pipe: p}
}

// find returns the path of Chromium.
func find(tb testing.TB) string {
	tb.Helper()
	if runtime.GOOS == "windows" {
		tb.Skipf("%s is skipped: a browser is driven over pipes that a shell connects", tb.Name())
	}
	reference.Folder(tb, "Chromium")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if program, err := proc.LookPath(name); err == nil {
			return program
		}
	}
	tb.Skipf("%s is skipped: Chromium is not installed; .ci/run programs_all installs it where it can", tb.Name())
	return ""
}

// arguments returns the command line. The shell gives the browser the pipes of its own
// standard input and output as files 3 and 4, where DevTools expects them.
func arguments(program, profile string) []string {
	return []string{
		"/bin/sh", "-c", `exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null`,
		program,
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage",
		"--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--disable-extensions", "--no-default-browser-check",
		"--host-resolver-rules=MAP " + Rebound + " 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1", // nothing but this machine
		"--force-color-profile=srgb", "--hide-scrollbars", "--remote-debugging-pipe",
		"--user-data-dir=" + filepath.Join(profile, "chromium"), "about:blank",
	}
}
