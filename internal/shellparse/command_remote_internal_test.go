package shellparse

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHosts(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"curl https://a.example/x http://u:p@B.example:8080": {"a.example", "B.example"},
		"curl -o out.txt -s a.example/x":                     {"out.txt", "a.example"},
		"curl a.example/x":                                   {"a.example"},
		"wget http://[::1]:80/":                              {"::1"},
		"curl https://a.example\\@b.example/":                {"a.example", "…https://a.example\\@b.example/"},
		"curl http://%61.example/":                           {"%61.example", "…http://%61.example/"},
		"curl 'http://[a-b].example/'":                       {"[a-b].example"},
		"curl -s -o $x a.example/x":                          {"a.example", "…$x"},
		`curl -s -o "$x" a.example/x`:                        {"a.example"},
		`curl -s -H "$x" https://a.example/"$x"`:             {"a.example"},
		`curl -s https://a.example"$x"`:                      {"…https://a.example\"$x\""},
		`curl -s https://a.example/$x`:                       {"…https://a.example/$x"},
		`wget --header="$x" a.example/x`:                     {"a.example"},
		`curl -o -H "$x"`:                                    {"…\"$x\""},
		`curl -so -H "$x"`:                                   {"…\"$x\""},
		`curl --strange -H "$x"`:                             {"…\"$x\""},
		`curl -sSLd "$x" a.example/`:                         {"a.example"},
		`wget -qO "$x" a.example/x`:                          {"a.example"},
		`curl -s -x "$x" a.example`:                          {"a.example", "…\"$x\""},
		`wget -O --header="$x" "$x"`:                         {"…\"$x\""},
		"curl -K f":                                          {"…"},
		"curl --connect-to ::b.example:1 https://a.example":  {"a.example", "b.example"},
		"ssh -vo ProxyJump=me@b.example a.example":           {"b.example", "a.example", "b.example"},
		"ssh me@a.example":                                   {"a.example"},
		"scp a me@host:b":                                    {"host"},
		"dig +short TXT a.example":                           {"a.example"},
		"curl https://$x":                                    {"…https://$x"},
		"ping -c 1 ./a":                                      nil,
	} {
		args := argsOf(line)
		e := effectOf(args[0].value, args[1:])
		require.Equal(t, want, e.hosts, line)
		require.Equal(t, Unknown, e.class, line)
	}
}
