package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/remote"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/stdio"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

// dial is the dialer for real servers.
func dial(ctx context.Context, c *connection) (wire, error) {
	switch config := c.server.config; config.Type {
	case mcpjson.Stdio:
		return dialStdio(ctx, c)
	case mcpjson.HTTP, mcpjson.SSE:
		return dialRemote(ctx, c)
	default:
		return nil, &lastingError{fmt.Errorf("unknown type of server: %q", config.Type)}
	}
}

// stdioWire is the process of a server.
type stdioWire struct{ *stdio.Connection }

func dialStdio(ctx context.Context, c *connection) (wire, error) {
	config, m := c.server.config, c.server.servers
	dir := m.session.Dir()
	if config.Cwd != "" {
		dir = config.Cwd
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(m.session.Dir(), dir)
		}
	}
	logger := m.options.Logger.With("server", config.Name)
	process, err := stdio.Start(ctx, m.processes, stdio.Server{
		Args: append([]string{config.Command}, config.Args...), Dir: dir,
		Env: environment(config.Env), MaxMessage: m.options.MaxMessage,
		Log: func(line string) { logger.Debug("stderr of an MCP server", "line", line) },
	}, c.exchange)
	if err != nil {
		return nil, &lastingError{fmt.Errorf("the server cannot be started: %w", err)}
	}
	return stdioWire{process}, nil
}

// environment returns the environment of this process with more variables.
func environment(more map[string]string) []string {
	env := proc.Quiet(os.Environ())
	for _, name := range slices.Sorted(maps.Keys(more)) {
		env = append(env, name+"="+more[name])
	}
	return env
}

func (w stdioWire) Shut() { _ = w.Close() }

// remoteWire is the connection to a server over a network.
type remoteWire struct {
	mcp.Transport
	http *remote.Transport
}

func dialRemote(ctx context.Context, c *connection) (wire, error) {
	config, m := c.server.config, c.server.servers
	address, err := url.Parse(config.URL)
	if err != nil {
		return nil, &lastingError{err}
	}
	headers, err := c.server.headers(ctx)
	if err != nil {
		return nil, err
	}
	transport := remote.NewTransport(ctx, remote.Server{URL: address, Headers: headers, MaxMessage: m.options.MaxMessage, OldSSE: config.Type == mcpjson.SSE}, c.exchange)
	if config.Type == mcpjson.SSE {
		return remoteWire{&mcp.SSEClientTransport{Endpoint: config.URL, HTTPClient: &http.Client{Transport: c.server.auth.transport(transport)}, MaxEventSize: -1}, transport}, nil
	}
	return remoteWire{&mcp.StreamableClientTransport{Endpoint: config.URL, HTTPClient: transport.Client(), OAuthHandler: c.server.auth.handler(), MaxEventSize: -1}, transport}, nil
}

func (w remoteWire) Shut() { w.http.Shut() }

func (w remoteWire) Fault(err error) error { return err }

// headers returns the headers of the configuration, and those that its command prints.
func (s *server) headers(ctx context.Context) (http.Header, error) {
	h := http.Header{}
	for name, value := range s.config.Headers {
		h.Set(name, value)
	}
	if s.config.HeadersHelper == "" {
		return h, nil
	}
	if !s.servers.options.trusts(ctx, s.config) {
		return nil, &lastingError{errors.New("its headersHelper is not run, because the host does not trust the server (Options.Trusted)")}
	}
	printed, err := s.runHeadersHelper(ctx)
	if err != nil {
		return nil, &lastingError{fmt.Errorf("headersHelper: %w", err)}
	}
	for name, value := range printed {
		h.Set(name, value)
	}
	return h, nil
}

// runHeadersHelper runs the command that prints headers.
func (s *server) runHeadersHelper(ctx context.Context) (headers map[string]string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, DefaultHeadersHelper, fmt.Errorf("it took longer than %v", DefaultHeadersHelper))
	defer cancel()
	args := []string{"sh", "-c", s.config.HeadersHelper}
	if runtime.GOOS == "windows" {
		args = []string{"cmd", "/c", s.config.HeadersHelper}
	}
	p, err := s.servers.processes.Start(ctx, proc.Command{
		Args: args, Dir: s.servers.session.Dir(),
		Env:       environment(map[string]string{"CLAUDE_CODE_MCP_SERVER_NAME": s.config.Name, "CLAUDE_CODE_MCP_SERVER_URL": s.config.URL}),
		MaxOutput: 1 << 20, Errors: func([]byte) {},
	})
	if err != nil {
		return nil, err
	}
	exit := p.Exit()
	if err := cmpErr(exit.Err, exitError(exit.Code)); err != nil {
		return nil, err
	}
	// What it printed may be secret, so it is no part of an error.
	if json.Unmarshal(bytes.TrimSpace([]byte(exit.Output.Text())), &headers) != nil || headers == nil {
		return nil, errors.New("it must print a JSON object of strings")
	}
	return headers, nil
}

func exitError(code int) error {
	if code == 0 {
		return nil
	}
	return fmt.Errorf("it ended with exit code %d", cmp.Or(code, -1))
}
