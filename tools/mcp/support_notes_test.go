package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// notesMode makes this binary the server of the examples.
const notesMode = "notes"

// exampleProgram returns the program of the examples' server: this one.
func exampleProgram() string {
	path, err := os.Executable()
	check(err)
	return path
}

func exampleEnv() map[string]string { return map[string]string{modeName: notesMode} }

// notesConfig returns a configuration file with the server.
func notesConfig() []byte {
	server := map[string]any{"command": exampleProgram(), "env": exampleEnv()}
	raw, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"notes": server}})
	check(err)
	return raw
}

// noteBook is the server of the examples: it keeps notes in memory.
type noteBook struct {
	server *sdk.Server

	mu    sync.Mutex
	notes []string
}

// playNotes serves a note book on standard input and output.
func playNotes() int {
	b := &noteBook{server: sdk.NewServer(&sdk.Implementation{Name: "notes", Version: "1.0.0"}, nil)}
	sdk.AddTool(b.server, &sdk.Tool{Name: "add", Description: "Adds a note."}, b.add)
	sdk.AddTool(b.server, &sdk.Tool{Name: "forget", Description: "Forgets all notes, if the user is sure."}, b.forget)
	b.server.AddResource(&sdk.Resource{Name: "all", URI: "notes://all", MIMEType: "text/plain"}, b.read)
	b.server.AddPrompt(&sdk.Prompt{Name: "tidy", Description: "Tidies the notes.", Arguments: []*sdk.PromptArgument{{Name: "about", Required: true}}}, b.tidy)
	if b.server.Run(context.Background(), &sdk.StdioTransport{}) != nil {
		return 1
	}
	return 0
}

type addInput struct {
	Text string `json:"text"`
}

func (b *noteBook) add(_ context.Context, _ *sdk.CallToolRequest, in addInput) (*sdk.CallToolResult, any, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notes = append(b.notes, in.Text)
	if strings.HasSuffix(in.Text, "new tool") {
		sdk.AddTool(b.server, &sdk.Tool{Name: "new", Description: "Is new."}, b.add)
	}
	return answer(fmt.Sprintf("note %d: %s", len(b.notes), in.Text)), nil, nil
}

func (b *noteBook) forget(_ context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
	filled, asked := r.Params.InputResponses["sure"].(*sdk.ElicitResult)
	if !asked {
		schema := json.RawMessage(`{"type":"object","properties":{"sure":{"type":"boolean"}},"required":["sure"]}`)
		question := &sdk.ElicitParams{Message: "Forget all notes?", RequestedSchema: schema}
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"sure": question}}, nil, nil
	}
	return answer(fmt.Sprintf("forgotten: %v", filled.Content["sure"])), nil, nil
}

func (b *noteBook) read(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	text := strings.Join(b.notes, "\n")
	if text == "" {
		text = "no notes"
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "notes://all", MIMEType: "text/plain", Text: text}}}, nil
}

func (b *noteBook) tidy(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	text := "Tidy the notes about " + r.Params.Arguments["about"] + "."
	return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}, nil
}
