package schema_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/schema"
)

func TestNamesPlace(t *testing.T) {
	t.Parallel()
	for property, want := range map[string]bool{
		"path": true, "file_path": true, "filePath": true, "URL": true, "baseURL": true, "outDir": true, "host": true, "target-url": true, "files": true,
		"profile": false, "query": false, "text": false, "directive": false, "curl": false, "x": false, "": false, "_": false, "路径": false,
	} {
		require.Equal(t, want, schema.NamesPlace(property), property)
	}
}
