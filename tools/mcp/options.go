package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

// The defaults of [Options]. Those of times and numbers are what Claude Code documents, but
// for MaxMessage, which is ours.
const (
	DefaultLocal         = 3
	DefaultRemote        = 20
	DefaultBegin         = 30 * time.Second
	DefaultIdleLocal     = 30 * time.Minute
	DefaultIdleRemote    = 5 * time.Minute
	DefaultCall          = 100_000_000 * time.Millisecond
	DefaultBackground    = 2 * time.Minute
	DefaultMaxMessage    = 64 << 20
	DefaultHeadersHelper = 10 * time.Second // for the command of mcpjson.Server.HeadersHelper
)

// Options configure the servers of one conversation. The zero value works.
type Options struct {
	// Trusted reports whether the host trusts a server: its hints then count as they are, and
	// the command of its HeadersHelper is run. Nil trusts none.
	Trusted func(mcpjson.Server) bool
	// Sample asks a model on behalf of a server: request holds the params of
	// sampling/createMessage, and the answer its result. Nil declares no such capability. The
	// protocol calls it deprecated.
	Sample func(ctx context.Context, server string, request json.RawMessage) (json.RawMessage, error)
	// Authorize shows the user an address to log in at, and returns the address that the
	// browser was led back to. Nil shows it by [pegboard.Session.Elicit] and waits for the
	// browser on a port of this machine.
	Authorize func(ctx context.Context, server, url string) (callback string, err error)
	// Tokens keeps what servers grant. Nil means FileTokens("").
	Tokens TokenStore

	Local, Remote int           // how many servers connect at once; 0 means DefaultLocal and DefaultRemote
	Begin         time.Duration // how long a server may take to connect and list its tools; 0 means DefaultBegin
	// Idle is how long a server may say nothing of a call: neither answer nor report progress.
	// It stands still while the user fills a form. 0 means DefaultIdleLocal for a process and
	// DefaultIdleRemote over a network, a negative value no limit.
	Idle time.Duration
	// Call is how long a call may take in all, if the configuration of its server does not
	// say. 0 means DefaultCall.
	Call time.Duration
	// Background is when a call of the main agent goes on in the background. 0 means
	// DefaultBackground, a negative value never.
	Background time.Duration
	// MaxMessage is how many bytes a message of a server may have; 0 means DefaultMaxMessage. A
	// longer one is not read, and the request that it answers fails.
	MaxMessage int

	// OnState is called with each change of a server's state, one after the other for a
	// server. It must return soon: the states after it are told later.
	OnState func(State)
	// Logger gets what servers log and what goes wrong beside the calls, never inputs,
	// results or tokens. Nil discards it.
	Logger *slog.Logger
}

// withDefaults returns o without zero values.
func (o Options) withDefaults() Options {
	o.Local, o.Remote = cmp.Or(max(o.Local, 0), DefaultLocal), cmp.Or(max(o.Remote, 0), DefaultRemote)
	o.Begin = cmp.Or(max(o.Begin, 0), DefaultBegin)
	o.Call = cmp.Or(max(o.Call, 0), DefaultCall)
	o.Background = cmp.Or(o.Background, DefaultBackground)
	o.MaxMessage = cmp.Or(max(o.MaxMessage, 0), DefaultMaxMessage)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Logger = newHostLogger(o.Logger)
	return o
}

// idle returns the limit of a call without progress; 0 means none.
func (o Options) idle(local bool) time.Duration {
	switch {
	case o.Idle < 0:
		return 0
	case o.Idle > 0:
		return o.Idle
	case local:
		return DefaultIdleLocal
	}
	return DefaultIdleRemote
}

// trusts reports whether the host trusts a server. It is false if ctx ends before the host has
// answered.
func (o Options) trusts(ctx context.Context, s mcpjson.Server) bool {
	if o.Trusted == nil {
		return false
	}
	trusted := false
	done := goroutine.Go(func() { trusted = o.Trusted(s) })
	select {
	case err := <-done:
		if err != nil {
			o.Logger.ErrorContext(ctx, "a func of the host failed", "server", s.Name, "func", "Options.Trusted", "error", err)
		}
		return err == nil && trusted
	case <-ctx.Done():
		return false
	}
}
