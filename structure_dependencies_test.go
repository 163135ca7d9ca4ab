package pegboard_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rootDependencies are the packages of other modules that a program with the root package links.
// One more is a decision: the reason stands in the message of the commit that adds it.
var rootDependencies = []string{
	"github.com/bahlo/generic-list-go",
	"github.com/blevesearch/snowballstem",
	"github.com/blevesearch/snowballstem/english",
	"github.com/buger/jsonparser",
	"github.com/dlclark/regexp2",
	"github.com/dlclark/regexp2/syntax",
	"github.com/invopop/jsonschema",
	"github.com/pb33f/ordered-map/v2",
	"github.com/santhosh-tekuri/jsonschema/v5",
	"go.yaml.in/yaml/v4",
	"go.yaml.in/yaml/v4/internal/libyaml",
	"go.yaml.in/yaml/v4/internal/plugin",
	"go.yaml.in/yaml/v4/internal/plugin/mergekey",
	"go.yaml.in/yaml/v4/plugin/aliasdata",
	"go.yaml.in/yaml/v4/plugin/errorformat/v3",
	"go.yaml.in/yaml/v4/plugin/errorformat/v4",
	"go.yaml.in/yaml/v4/plugin/loaderlimits",
	"go.yaml.in/yaml/v4/plugin/mergekey",
}

// TestRootDependencies: what the root package imports, and what that imports, is on the list. Of
// its own module these are packages below internal alone.
func TestRootDependencies(t *testing.T) {
	t.Parallel()
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".")
	list.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=") // the same on each machine
	list.Stderr = os.Stderr
	out, err := list.Output()
	require.NoError(t, err)
	var others []string
	for _, path := range strings.Fields(string(out)) {
		if within, ok := strings.CutPrefix(path, modulePath); ok {
			require.True(t, within == "" || strings.HasPrefix(within, "/internal/"), "%s is a dependency of the root", path)
			continue
		}
		others = append(others, path)
	}
	require.ElementsMatch(t, rootDependencies, others)
}
