package definition_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/definition"
)

func TestUI(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		meta     string
		appOnly  bool
		resource string
		warnings int
	}{
		{name: "none", meta: `{}`},
		{name: "for both", meta: `{"ui":{"resourceUri":"ui://a/b.html","visibility":["model","app"]}}`, resource: "ui://a/b.html"},
		{name: "for both if nothing is said", meta: `{"ui":{"resourceUri":"ui://a/b.html","visibility":null}}`, resource: "ui://a/b.html"},
		{name: "for the model", meta: `{"ui":{"visibility":["model"]}}`},
		{name: "for the app", meta: `{"ui":{"visibility":["app"],"resourceUri":"ui://a"}}`, appOnly: true, resource: "ui://a"},
		{name: "for nothing", meta: `{"ui":{"visibility":[]}}`, appOnly: true},
		{name: "for something unknown", meta: `{"ui":{"visibility":["Model"]}}`, appOnly: true},
		{name: "not as the extension says", meta: `{"ui":{"visibility":"model"}}`, appOnly: true, warnings: 1},
		{name: "no object", meta: `{"ui":["app"]}`},
		{name: "the older key", meta: `{"ui/resourceUri":"ui://a"}`, resource: "ui://a"},
		{name: "another scheme", meta: `{"ui":{"resourceUri":"https://a"}}`},
		{name: "no text", meta: `{"ui":{"resourceUri":1}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			raw := `{"name":"get","_meta":` + tt.meta + `,` + anyObject + `}`
			d := definition.Read(definition.Server{Name: "srv"}, json.RawMessage(raw), nothing)
			require.Equal(t, "get", d.Name)
			require.Equal(t, tt.appOnly, d.AppOnly)
			require.Equal(t, tt.resource, d.ResourceURI)
			require.Len(t, d.Warnings, tt.warnings)
			_, _, err := attached(t, definition.Server{Name: "srv"}, raw)
			require.NoError(t, err, "an app can call it")
		})
	}
}
