package pegboard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// observed implements [Call.Observed].
func (s *inputSpec) observed(c *Call) (json.RawMessage, error) {
	input := slices.Clone(c.Input)
	if len(bytes.TrimSpace(input)) == 0 {
		input = json.RawMessage("{}")
	}
	filled, err := jsonobject.Parse(input)
	if err != nil {
		return input, nil //nolint:nilerr // what is no object has no properties
	}
	changed := false
	set := func(name string, value json.RawMessage) {
		if !bytes.Equal(filled.Get(name), value) {
			filled.Set(name, value)
			changed = true
		}
	}
	text := func() json.RawMessage {
		if changed {
			return filled.Encode()
		}
		return input
	}
	defaults := s.schema.Defaults()
	for _, name := range slices.Sorted(maps.Keys(defaults)) {
		if filled.Get(name) == nil {
			set(name, defaults[name])
		}
	}
	if s.observe == nil {
		return text(), nil
	}
	added, err := s.added(c)
	if err != nil {
		return text(), err
	}
	for _, m := range added {
		set(m.Name, m.Value)
	}
	return text(), nil
}

// added returns what Observe adds to the input of c, in order. It decodes the input anew, since
// the tool may be changing what it was given.
func (s *inputSpec) added(c *Call) (added jsonobject.Object, err error) {
	own := c.copied()
	if own.decoded, err = s.decode(c.Input, c.Session()); err != nil {
		return nil, err
	}
	err = goroutine.Try(func() error {
		properties := s.observe(own.decoded, own)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if value, ok := properties[name].(string); ok {
				added.Set(name, jsonobject.Quote(value))
				continue
			}
			value, err := json.Marshal(properties[name])
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			added.Set(name, value)
		}
		return nil
	})
	return added, err
}
