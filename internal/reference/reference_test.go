package reference_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/reference"
)

// recorder stands in for a test and keeps how it ended.
type recorder struct {
	testing.TB
	skipped, failed string
}

func (r *recorder) Helper()      {}
func (r *recorder) Name() string { return "TestRecorded" }

func (r *recorder) Skipf(format string, args ...any) {
	r.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failed = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// record runs f as a test of its own would.
func record(t *testing.T, f func(testing.TB)) *recorder {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return r
}

func TestArgsSkipsWithAReason(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "bin"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "bin", "gopls"), nil, 0o600))
	tests := []struct {
		name, folder    string
		skipped, failed string
	}{
		{name: "unset", skipped: "PEGBOARD_MCP_PROGRAMS is unset: TestRecorded"},
		{name: "relative", folder: "programs", failed: "relative"},
		{name: "empty", folder: t.TempDir(), skipped: "gopls is not installed"},
		{name: "there", folder: folder},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(reference.Variable, tt.folder)
			var args []string
			r := record(t, func(t testing.TB) { args = reference.Args(t, reference.Gopls, "mcp") })
			require.Contains(t, r.skipped, tt.skipped)
			require.Contains(t, r.failed, tt.failed)
			if tt.skipped+tt.failed == "" {
				require.Equal(t, []string{filepath.Join(folder, "bin", "gopls"), "mcp"}, args)
			}
		})
	}
}

// TestServe starts servers and expects that each listens on loopback alone, answers, and is
// gone after its test.
func TestServe(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		program reference.Program
		args    []string
		path    string
		status  int // of a GET without a session
	}{
		{name: "streamable HTTP", program: reference.Everything, args: []string{"streamableHttp"}, path: "/mcp", status: http.StatusBadRequest},
		{name: "SSE", program: reference.Everything, args: []string{"sse"}, path: "/sse", status: http.StatusOK},
		{name: "SDK", program: reference.SDKServer, args: []string{"-http=ADDRESS", "-stateless=false"}, path: "/", status: http.StatusBadRequest},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var address string
			t.Run("running", func(t *testing.T) {
				address = reference.Serve(t, tt.program, tt.args...)
				require.True(t, strings.HasPrefix(address, "127.0.0.1:"), address)
				_, port, err := net.SplitHostPort(address)
				require.NoError(t, err)
				for _, local := range listening(t, port) {
					require.True(t, strings.HasPrefix(local, "0100007F:"), local)
				}
				request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+tt.path, nil)
				require.NoError(t, err)
				request.Header.Set("Accept", "text/event-stream")
				reply, err := http.DefaultClient.Do(request)
				require.NoError(t, err)
				require.NoError(t, reply.Body.Close())
				require.Equal(t, tt.status, reply.StatusCode)
			})
			if address == "" {
				t.Skip("not installed")
			}
			conn, err := net.DialTimeout("tcp", address, time.Second)
			if err == nil {
				_ = conn.Close()
			}
			require.Error(t, err, "the server is still there")
		})
	}
}

// listening returns the addresses of the kernel's tables that listen on a port, in hexadecimal.
func listening(t *testing.T, port string) (found []string) {
	t.Helper()
	var number int
	_, err := fmt.Sscan(port, &number)
	require.NoError(t, err)
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, _ := os.ReadFile(table) // empty elsewhere
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			if len(fields) > 3 && strings.HasSuffix(fields[1], fmt.Sprintf(":%04X", number)) && fields[3] == "0A" {
				found = append(found, fields[1])
			}
		}
	}
	return found
}

func TestNodeIsNewEnoughForTheSuite(t *testing.T) {
	t.Parallel()
	args := reference.Args(t, reference.ConformanceNext, "--help")
	require.Len(t, args, 3)
	require.Contains(t, args[0], "node")
}
