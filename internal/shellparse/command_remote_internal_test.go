package shellparse

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDocker(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]Class{
		"": ReadOnly, "--version": ReadOnly, "ps": ReadOnly, "ps -aq --format x": ReadOnly, "ps -n 5 --filter a=b": ReadOnly, "images": ReadOnly,
		"logs --tail 50 web": ReadOnly, "inspect -f {{.Id}} web": ReadOnly, "container ls -a": ReadOnly, "network inspect a": ReadOnly,
		"volume ls": ReadOnly, "compose ls": ReadOnly, "stats --no-stream": ReadOnly, "top web": ReadOnly, "port web 80": ReadOnly,
		"stats": Unknown, "-H tcp://x ps": Unknown, "--context x ps": Unknown, "ps -H tcp://x": Unknown, "--url x ps": Unknown, "-c x ps": Unknown,
		"--connection x ps": Unknown, "-l debug ps": Unknown, "run alpine": Unknown, "exec web ls": Unknown, "container rm x": Unknown,
		"network create x": Unknown, "compose ps": Unknown, "compose config": Unknown, "compose up": Unknown, "ps ?x": Unknown, "logs *": Unknown,
		"?x": Unknown, "container ?x": Unknown, "system prune": Unknown, "search x": Unknown,
	} {
		e := dockerEffect(wordsOf(line))
		require.Equal(t, want, e.class, line)
		require.Equal(t, want == ReadOnly, e.reason == "", line)
	}
	require.Equal(t, Unknown, ghEffect(nil).class)
}

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
