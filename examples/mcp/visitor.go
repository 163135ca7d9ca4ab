package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// visit calls the served library with the client of the official SDK.
func visit(ctx context.Context, program string) (err error) {
	client := sdk.NewClient(&sdk.Implementation{Name: "visitor", Version: "1"}, &sdk.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			fmt.Println("  the server asks:", strings.ReplaceAll(r.Params.Message, "\n", "\n  "))
			if strings.HasPrefix(r.Params.Message, "Allow this call?") {
				return &sdk.ElicitResult{Action: "decline"}, nil
			}
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"day": "Monday"}}, nil
		},
	})
	command := exec.CommandContext(ctx, program, "serve") //nolint:gosec // this program
	command.Stderr = os.Stderr
	session, err := client.Connect(ctx, &sdk.CommandTransport{Command: command}, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	fmt.Println("\nThe client of the SDK visits.")
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		fmt.Println("tool:", tool.Name)
	}
	for _, name := range []string{"Reserve", "Sell"} {
		fmt.Println("▸", name)
		result, err := session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: book{"Dracula"}})
		if err != nil {
			return err
		}
		for _, content := range result.Content {
			if text, ok := content.(*sdk.TextContent); ok {
				fmt.Println(" ", text.Text)
			}
		}
	}
	return nil
}
