package builtin_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/serve"
)

// roleName is the variable that makes a child process of this binary an MCP server.
const roleName = "PEGBOARD_BUILTIN_ROLE"

func TestMain(m *testing.M) {
	if os.Getenv(roleName) != "server" {
		os.Exit(m.Run())
	}
	if err := lend(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type book struct {
	Title string `json:"title"`
}

// lend serves a library on standard input and output.
func lend(ctx context.Context) error {
	var registry pegboard.Registry
	if err := registry.Add(pegboard.BuildFunc("Borrow", "Borrows a book.", func(_ context.Context, b book) (string, error) {
		return strings.TrimSpace(os.Getenv("REGION") + " lent: " + b.Title), nil
	})); err != nil {
		return err
	}
	server, err := serve.New(serve.Options{Name: "lib", Version: "1", Open: func(context.Context, serve.Client) (*pegboard.Session, func() *pegboard.Pool, error) {
		allow, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Borrow"}})
		if err != nil {
			return nil, nil, err
		}
		s, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: allow})
		return s, func() *pegboard.Pool { return registry.AssemblePool(s, pegboard.PoolConfig{}) }, err
	}})
	if err != nil {
		return err
	}
	return server.Stdio(ctx)
}
