package shellparse

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSettingsOfPrograms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line   string
		writes string // files that are written for sure
		asks   bool   // in every mode
		exact  bool
	}{
		{line: "go env -w CC=./x", writes: "/home/me/.config/go/env", asks: true, exact: true},
		{line: "go env -u GOFLAGS", writes: "/home/me/.config/go/env", asks: true, exact: true},
		{line: "go env GOPATH"},
		{line: "npm config set script-shell ./x", writes: "/home/me/.npmrc", asks: true, exact: true},
		{line: "npm --location=project c set script-shell ./x", writes: "/home/me/.npmrc", asks: true, exact: true},
		{line: "npm config delete x", writes: "/home/me/.npmrc"},
		{line: "npm config get registry"},
		{line: "npm pkg set scripts.test=x", writes: "/proj/package.json", exact: true},
		{line: "npm install"},
		{line: "pip3 config set global.index-url http://h.example", writes: "/home/me/.config/pip/pip.conf", asks: true, exact: true},
		{line: "pip config list"},
		{line: "sudo pip config edit", asks: true},
		{line: "conda config --add channels x", writes: "/home/me/.condarc", asks: true, exact: true},
		{line: "conda config --show"},
		{line: "kubectl config use-context x", writes: "/home/me/.kube/config"},
		{line: "poetry config --list"},
		{line: "poetry config x y", writes: "/home/me/.config/pypoetry/config.toml", asks: true, exact: true},
		{line: "gh alias set x '!y'", writes: "/home/me/.config/gh/config.yml", asks: true, exact: true},
		{line: "pre-commit install", writes: "/proj/.git/hooks", asks: true, exact: true},
		{line: "pre-commit run"},
		{line: "yarn config set yarnPath x", writes: "/home/me/.yarnrc", asks: true, exact: true},
	} {
		c := Parse(tt.line, Env{Dir: "/proj", Home: "/home/me"}).Commands[0]
		var sure []string
		for _, p := range c.Paths {
			if p.Write && !p.Guess {
				sure = append(sure, p.Name)
			}
		}
		require.Equal(t, tt.writes, strings.Join(sure, " "), tt.line)
		require.Equal(t, tt.asks, c.AskReason != "", tt.line)
		require.Equal(t, tt.exact, c.NoWildcards, tt.line)
	}
	require.NotEmpty(t, Parse("go env -w CC=x", Env{Dir: "/proj"}).Unknown, "the home directory is not known")
}
