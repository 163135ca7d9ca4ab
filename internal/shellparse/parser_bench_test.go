package shellparse_test

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

const fiveCommands = "git status && go test ./... 2>&1 | tail -20; ls -la src && grep -rn TODO src | head -5"

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		shellparse.Parse(fiveCommands, shellparse.Env{Dir: "/proj", Home: "/home/me"})
	}
}

// BenchmarkParser is BenchmarkParse by a parser that has read lines before.
func BenchmarkParser(b *testing.B) {
	var p shellparse.Parser
	b.ReportAllocs()
	for b.Loop() {
		p.Parse(fiveCommands, shellparse.Env{Dir: "/proj", Home: "/home/me"})
	}
}

// BenchmarkSyntax is the part of BenchmarkParse that is not ours.
func BenchmarkSyntax(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := syntax.NewParser().Parse(strings.NewReader(fiveCommands), ""); err != nil {
			b.Fatal(err)
		}
	}
}
