package code_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/reference"
	"github.com/seed49eaa51d/pegboard/tools/code"
)

// TestLSPOfTypeScript holds operations of a server that counts UTF-16 against a table made by
// hand.
func TestLSPOfTypeScript(t *testing.T) {
	server := code.Known()[1]
	require.Equal(t, "typescript-language-server", server.Name)
	server.Command = reference.Args(t, reference.TypeScript, "--stdio")
	g := newGround(t, code.Options{Servers: []code.Server{server}}, pegboard.SessionConfig{}, map[string]string{
		"tsconfig.json": `{"compilerOptions": {"strict": true, "types": []}, "include": ["*.ts"]}`,
		"greet.ts":      "export interface Greeter { greet(): string }\n\n/** hello greets. */\nexport function hello(): string { return \"hello\" }\n\nexport class English implements Greeter {\n\tgreet() { return hello() }\n}\n",
		"use.ts":        "import { hello } from \"./greet\"\n\nexport const both = [\"😀\", hello()]\n",
	})
	const (
		declared = "  4:17: export function hello(): string { return \"hello\" }"
		method   = "  7:19: greet() { return hello() }"
		imported = "  1:10: import { hello } from \"./greet\""
		emoji    = "  3:27: export const both = [\"😀\", hello()]"
	)
	tests := []struct {
		name, operation, file string
		line, character       int
		want                  string
	}{
		{name: "definition behind an emoji", operation: "goToDefinition", file: "use.ts", line: 3, character: 27, want: "greet.ts\n" + declared},
		{name: "references", operation: "findReferences", file: "greet.ts", line: 4, character: 17, want: "greet.ts\n" + declared + "\n" + method + "\nuse.ts\n" + imported + "\n" + emoji},
		{name: "hover", operation: "hover", file: "use.ts", line: 3, character: 27, want: "hello greets."},
		{name: "workspace symbols", operation: "workspaceSymbol", file: "use.ts", line: 1, character: 1, want: "greet.ts\n  6:1: class English"},
		{name: "implementation", operation: "goToImplementation", file: "greet.ts", line: 1, character: 18, want: "greet.ts\n  6:14:"},
		{name: "incoming calls", operation: "incomingCalls", file: "greet.ts", line: 4, character: 17, want: "(calls it at 3:27)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := g.ask(t, tt.operation, tt.file, tt.line, tt.character)
			require.NoError(t, out.Err)
			require.Contains(t, out.Result.Text(), tt.want)
		})
	}
	g.put(t, "greet.ts", "export const first = 1\n\nexport function hello(): string { return \"hello\" }\n")
	require.Contains(t, g.ask(t, "goToDefinition", "use.ts", 3, 27).Result.Text(), "greet.ts\n  3:17: ")
}
