// Command client is a client for the conformance suite of the protocol. It connects to the
// server whose address is its last argument, as the scenario in MCP_CONFORMANCE_SCENARIO
// wants, and makes each call through a pool and the executor, as a host does.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

const (
	serverName = "suite"
	runTime    = 25 * time.Second // the suite gives up after 30

	// maxLogins is how often the user logs in for one call: once, and once more if the call
	// needs more than was granted.
	maxLogins = 2

	// clientDocument is the address that the suite expects of a client id metadata document.
	clientDocument = "https://conformance-test.local/client-metadata.json"
)

// settings are the JSON in MCP_CONFORMANCE_CONTEXT.
type settings struct {
	ClientID     string     `json:"client_id"`
	ClientSecret string     `json:"client_secret"`
	ToolCalls    []toolCall `json:"toolCalls"`
}

type toolCall struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: client ADDRESS")
		os.Exit(2)
	}
	if err := run(os.Args[len(os.Args)-1], os.Getenv("MCP_CONFORMANCE_SCENARIO")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(address, scenario string) error {
	ctx, cancel := context.WithTimeout(context.Background(), runTime)
	defer cancel()
	var given settings
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &given); err != nil {
			return err
		}
	}
	play, ok := scenarios()[scenario]
	if !ok {
		play = callOnly("test-tool") // those of authorization
	}
	folder, err := os.MkdirTemp("", "conformance")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	session, err := newSession(folder, scenario)
	if err != nil {
		return err
	}
	h := &host{session: session}
	h.servers = mcp.Start(session, &h.registry, mcp.Options{Authorize: openAddress, Tokens: mcp.FileTokens(folder)}, given.server(address))
	if err := h.registry.Add(h.servers.Tools()...); err != nil {
		return err
	}
	return errors.Join(play(ctx, h, given), session.Close(ctx))
}

// server returns the configuration of the suite's server.
func (s settings) server(address string) mcpjson.Server {
	return mcpjson.Server{
		Name: serverName, Type: mcpjson.HTTP, URL: address,
		OAuth: &mcpjson.OAuth{ClientID: s.ClientID, ClientSecret: s.ClientSecret, ClientMetadataURL: clientDocument},
	}
}

// newSession returns a session whose user allows every call and accepts every form.
func newSession(folder, scenario string) (*pegboard.Session, error) {
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"mcp__" + serverName}})
	if err != nil {
		return nil, err
	}
	content := json.RawMessage(`{}`)
	if scenario == "sep-2322-client-request-state" {
		content = json.RawMessage(`{"confirmed":true}`)
	}
	return pegboard.NewSession(pegboard.SessionConfig{
		Dir: folder, Permissions: permissions,
		Ask: func(context.Context, *pegboard.Question) (policy.Decision, error) {
			return policy.Decision{Behavior: policy.Allow}, nil
		},
		Elicit: func(context.Context, *pegboard.Elicitation) (pegboard.ElicitResult, error) {
			return pegboard.ElicitResult{Action: pegboard.ElicitAccept, Content: content}, nil
		},
	})
}

// openAddress opens an address as a browser does, and returns where it is led back to. The
// suite's authorization server shows no page.
func openAddress(ctx context.Context, _, address string) (callback string, err error) {
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return "", err
	}
	answer, err := client.Do(request)
	if err != nil {
		return "", err
	}
	return answer.Header.Get("Location"), answer.Body.Close()
}

// host makes calls as a host does.
type host struct {
	session  *pegboard.Session
	registry pegboard.Registry
	servers  *mcp.Servers
	executor pegboard.Executor
	calls    int
}

// connected waits until the server is connected, and has the user log in if it wants that.
func (h *host) connected(ctx context.Context) error {
	for range maxLogins {
		err := h.servers.Ready(ctx)
		if !h.needsLogin() {
			return err
		}
		if err := h.logIn(ctx); err != nil {
			return err
		}
	}
	return h.servers.Ready(ctx)
}

func (h *host) needsLogin() bool {
	return h.servers.States()[0].Status == mcp.NeedsAuthorization
}

func (h *host) logIn(ctx context.Context) error {
	if out := h.run(ctx, "McpAuth", map[string]any{"server": serverName}); out.Err != nil {
		return out.Err
	}
	return nil
}

// call makes a call of a tool of the server.
func (h *host) call(ctx context.Context, tool string, input map[string]any) error {
	for range maxLogins {
		out := h.run(ctx, "mcp__"+serverName+"__"+tool, input)
		if out.Err == nil || !h.wantsLogin(ctx, out.Err) {
			return out.Err
		}
		if err := h.logIn(ctx); err != nil {
			return err
		}
		if err := h.servers.Ready(ctx); err != nil {
			return err
		}
	}
	return errors.New("the server wants the user to log in again and again")
}

// wantsLogin reports whether a call failed because the user must log in.
func (h *host) wantsLogin(ctx context.Context, err error) bool {
	var refused *mcp.ServerError
	if !errors.As(err, &refused) || refused.Status != mcp.NeedsAuthorization {
		return false
	}
	_ = h.servers.Ready(ctx) // until the state says so, too
	return h.needsLogin()
}

// run runs a call in a pool of this moment.
func (h *host) run(ctx context.Context, tool string, input map[string]any) pegboard.Outcome {
	h.servers.Sync(ctx)
	if input == nil {
		input = map[string]any{}
	}
	raw, err := json.Marshal(input)
	if err != nil {
		return pegboard.Outcome{Err: err}
	}
	h.calls++
	pool := h.registry.AssemblePool(h.session, pegboard.PoolConfig{Gates: pegboard.Gates{Resources: true}})
	out := h.executor.Run(ctx, pool, pegboard.Call{ID: strconv.Itoa(h.calls), Name: tool, Input: raw})[0]
	fmt.Fprintf(os.Stderr, "%s: %v\n", tool, out.Err)
	return out
}
