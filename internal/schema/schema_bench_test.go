package schema_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	bare "github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

const benchInput = `{"path":"/var/log/syslog","limit":200,"recursive":true}`

func benchSchema(open bool) string {
	closed := `,"additionalProperties":false`
	if open {
		closed = ""
	}
	return `{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"},"recursive":{"type":"boolean"}},"required":["path"]` + closed + `}`
}

func BenchmarkValidate(b *testing.B) {
	v, err := strictjson.Decode([]byte(benchInput), strictjson.Limits{})
	require.NoError(b, err)
	for _, open := range []bool{false, true} {
		name := "closed"
		if open {
			name = "open"
		}
		s, err := schema.Compile(json.RawMessage(benchSchema(open)))
		require.NoError(b, err)
		c := bare.NewCompiler()
		require.NoError(b, c.AddResource("x:///", bytes.NewReader([]byte(benchSchema(open)))))
		root, err := c.Compile("x:///")
		require.NoError(b, err)
		b.Run(name+"/own", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if s.Validate(v) != nil {
					b.Fatal()
				}
			}
		})
		b.Run(name+"/bare", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if root.Validate(v) != nil {
					b.Fatal()
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	raw := json.RawMessage(benchSchema(false))
	for b.Loop() {
		if _, err := schema.Compile(raw); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReflect(b *testing.B) {
	for b.Loop() {
		if _, err := schema.Reflect(reflect.TypeFor[plainInput]()); err != nil {
			b.Fatal(err)
		}
	}
}
