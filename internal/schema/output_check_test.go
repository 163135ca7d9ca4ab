package schema_test

import (
	"encoding/json"
	"io"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/schema"
)

type encodesChan chan int

func (encodesChan) MarshalText() ([]byte, error) { return nil, nil }

func TestCheckOutput(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		of   reflect.Type
		want string // "" if it is accepted
	}{
		{name: "string", of: reflect.TypeFor[string]()},
		{name: "any", of: reflect.TypeFor[any]()},
		{name: "interface", of: reflect.TypeFor[struct{ R io.Reader }]()},
		{name: "raw", of: reflect.TypeFor[json.RawMessage]()},
		{name: "struct", of: reflect.TypeFor[looseInput]()},
		{name: "recursive", of: reflect.TypeFor[*tree]()},
		{name: "embeds itself", of: reflect.TypeFor[Loop]()},
		{name: "time", of: reflect.TypeFor[[]time.Time]()},
		{name: "encodes itself", of: reflect.TypeFor[encodesChan]()},
		{name: "keys that encode themselves", of: reflect.TypeFor[map[encodesChan]int]()},
		{name: "left out", of: reflect.TypeFor[struct {
			C chan int `json:"-"`
			f func()
		}]()},
		{name: "chan", of: reflect.TypeFor[chan int](), want: "chan int: a chan int has no JSON form"},
		{name: "func", of: reflect.TypeFor[*func()](), want: "a func() has no JSON form"},
		{name: "func in a list", of: reflect.TypeFor[struct{ L []map[string]func() }](), want: ".L[][]: a func() has no JSON form; leave it out with the tag"},
		{name: "keys", of: reflect.TypeFor[map[bool]int](), want: "the keys of map[bool]int are no strings"},
		{name: "complex", of: reflect.TypeFor[complex64](), want: "complex64 has no JSON form"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := schema.CheckOutput(tt.of)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.want)
		})
	}
}
