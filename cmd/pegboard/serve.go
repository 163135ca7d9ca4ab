package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"runtime/debug"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/builtin"
	"github.com/seed49eaa51d/pegboard/serve"
)

const serveHelp = `Is an MCP server on standard input and output with the tools, under the rules and hooks
of the settings. Where a rule asks, the client's user is asked, if the client can do that;
otherwise the call is denied with the reason.

  {"mcpServers": {"pegboard": {"command": "pegboard", "args": ["serve", "-dir", "/src/app"]}}}
`

func newServe(p *program, flags *flag.FlagSet) func(context.Context, []string) error {
	var at place
	at.addFlags(flags, false)
	return func(ctx context.Context, args []string) (err error) {
		if len(args) > 0 {
			return fmt.Errorf("there is an argument too many: %s", args[0])
		}
		files, loaded, err := p.load(ctx, at)
		if err != nil {
			return err
		}
		for _, w := range loaded.Warnings {
			p.tell("pegboard serve: %v\n", w)
		}
		var server *serve.Server
		server, err = serve.New(serve.Options{
			Name: "pegboard", Version: version(),
			Open: func(ctx context.Context, _ serve.Client) (*pegboard.Session, func() *pegboard.Pool, error) {
				o, err := open(builtin.Options{Files: files, Settings: loaded}, pegboard.SessionConfig{Ask: server.Ask, Elicit: server.Elicit})
				return o.session, func() *pegboard.Pool { return o.pool(context.WithoutCancel(ctx)) }, err
			},
		})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, server.Close(context.WithoutCancel(ctx))) }()
		err = server.Stdio(ctx)
		if ctx.Err() != nil {
			return nil // it was told to stop
		}
		return err
	}
}

// version is that of the module that the program was built from.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return ""
}
