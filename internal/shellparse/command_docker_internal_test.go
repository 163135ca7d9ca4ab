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
