package mcp

//lint:file-ignore SA1019 the newest version of the protocol deprecates sampling and logging; servers of older ones use them

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// newClient returns the SDK's client for one connection, so that each handler knows its
// server.
func (c *connection) newClient() *mcp.Client {
	o := &mcp.ClientOptions{
		Logger: c.server.servers.options.Logger.With("server", c.server.config.Name),
		Capabilities: &mcp.ClientCapabilities{
			RootsV2:     &mcp.RootCapabilities{ListChanged: true},
			Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}},
		},
		ElicitationHandler: c.elicit,
		ElicitationCompleteHandler: func(_ context.Context, r *mcp.ElicitationCompleteNotificationRequest) {
			c.complete(r.Params.ElicitationID)
		},
		ToolListChangedHandler:   func(context.Context, *mcp.ToolListChangedRequest) { c.toolsChanged() },
		PromptListChangedHandler: func(context.Context, *mcp.PromptListChangedRequest) { c.lists.forget("prompts") },
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) {
			c.lists.forget("resources", "resourceTemplates")
		},
		LoggingMessageHandler: c.log,
	}
	if c.server.servers.options.Sample != nil {
		o.CreateMessageWithToolsHandler = c.sample
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "pegboard", Version: libraryVersion()}, o)
	client.AddReceivingMiddleware(recovering)
	return client
}

// recovering turns a panic into the error of a request. The SDK handles requests on
// goroutines of its own and panics on some that have no params.
func recovering(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (result mcp.Result, err error) {
		err = goroutine.Try(func() (err error) { result, err = next(ctx, method, r); return err })
		return result, err
	}
}

// libraryVersion returns the version of this module that is built into the program.
func libraryVersion() string {
	const module = "github.com/seed49eaa51d/pegboard"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if info.Main.Path == module {
		return info.Main.Version
	}
	for _, m := range info.Deps {
		if m.Path == module {
			return m.Version
		}
	}
	return "unknown"
}

// sample has the host's model asked on behalf of the server.
func (c *connection) sample(ctx context.Context, r *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
	request, err := json.Marshal(r.Params)
	if err != nil {
		return nil, err
	}
	answer, err := c.askHost(ctx, request)
	if err != nil {
		return nil, err
	}
	result := new(mcp.CreateMessageWithToolsResult)
	if err := json.Unmarshal(answer, result); err != nil {
		return nil, fmt.Errorf("the answer of Options.Sample: %w", err)
	}
	return result, nil
}

// askHost calls Options.Sample. It does not wait for it longer than for the connection.
func (c *connection) askHost(ctx context.Context, request json.RawMessage) (json.RawMessage, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.ctx, func() { cancel(context.Cause(c.ctx)) })()
	var answer json.RawMessage
	var err error
	done := goroutine.Go(func() { answer, err = c.server.servers.options.Sample(ctx, c.server.config.Name, request) })
	select {
	case failed := <-done:
		return answer, cmpErr(failed, err)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// The levels of the protocol, each with the one of package slog that is used for it.
var logLevels = []struct {
	name  mcp.LoggingLevel
	level slog.Level
}{
	{"debug", slog.LevelDebug}, {"info", slog.LevelInfo}, {"notice", slog.LevelInfo}, {"warning", slog.LevelWarn},
	{"error", slog.LevelError}, {"critical", slog.LevelError}, {"alert", slog.LevelError}, {"emergency", slog.LevelError},
}

// setLogLevel asks the server for the messages that the host's logger shows.
func (c *connection) setLogLevel() {
	if c.capabilities().Logging == nil {
		return
	}
	for _, l := range logLevels {
		if c.server.servers.options.Logger.Enabled(c.ctx, l.level) {
			// A server that refuses sends messages of any level.
			_ = c.session.SetLoggingLevel(c.ctx, &mcp.SetLoggingLevelParams{Level: l.name})
			return
		}
	}
}

// log hands a message of the server to the host's logger.
func (c *connection) log(ctx context.Context, r *mcp.LoggingMessageRequest) {
	level := slog.LevelInfo
	if i := slices.IndexFunc(logLevels, func(l struct {
		name  mcp.LoggingLevel
		level slog.Level
	}) bool {
		return l.name == r.Params.Level
	}); i >= 0 {
		level = logLevels[i].level
	}
	c.server.servers.options.Logger.Log(ctx, level, "message of an MCP server", "server", c.server.config.Name, "logger", r.Params.Logger, "data", r.Params.Data)
}
