package pegboard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// Observed returns the input of c for those who watch or restrict calls, such as hooks,
// questions and logs: a copy of Input with the defaults of the schema for what the model left
// out, and with what [Definition].Observe of the tool adds, such as absolute paths. Input
// itself stays as the model wrote it.
//
// A hook or an answer that returns these bytes as Decision.Input has not changed the input.
// Nor does a property that only Observed has become part of the input, if it is returned as it
// was.
//
// It is made when it is first asked for, and may be called concurrently. It is Input if that
// was not decoded yet, or is invalid. If Observe panics, only defaults are filled in.
func (c *Call) Observed() json.RawMessage {
	o, _ := c.observed()
	return slices.Clone(o)
}

// An observation is the result of [Call.Observed] for one input.
type observation struct {
	spec            *inputSpec
	input, observed json.RawMessage
	err             error
}

// observed is Observed, and says why Observe has failed. The caller must not change the bytes.
func (c *Call) observed() (json.RawMessage, error) {
	if c.state == nil || c.state.spec == nil {
		return c.Input, nil
	}
	j, spec := c.state.job, c.state.spec
	if j == nil {
		return spec.observed(c)
	}
	// A hook may have changed the bytes of its copy, so they are compared.
	o := j.observation.Load()
	if o == nil || o.spec != spec || !bytes.Equal(o.input, c.Input) {
		o = &observation{spec: spec, input: slices.Clone(c.Input)}
		if o.observed, o.err = askObserve(j, spec, c); o.err != nil && !errors.Is(o.err, ErrInvalidInput) {
			j.batch.logCrash(c, StageDecode, fmt.Errorf("the tool's Observe: %w", o.err))
		}
		j.observation.Store(o)
	}
	return o.observed, o.err
}

// askObserve makes an observation. If the tool's Observe does not return, it is Input.
func askObserve(j *job, spec *inputSpec, c *Call) (json.RawMessage, error) {
	if spec.observe == nil {
		return spec.observed(c)
	}
	var observed json.RawMessage
	var err error
	if late := j.batch.await("Observe", goroutine.Go(func() { observed, err = spec.observed(c) })); late != nil {
		return c.Input, late
	}
	return observed, err
}

// replacement returns the input with which somebody who has seen c wants to replace that of c,
// or nil if nothing is replaced.
func (c *Call) replacement(input json.RawMessage) json.RawMessage {
	if len(input) == 0 || bytes.Equal(input, c.Input) {
		return nil
	}
	observed, _ := c.observed()
	if bytes.Equal(input, observed) {
		return nil
	}
	if c.state == nil || c.state.spec == nil || c.state.spec.observe == nil {
		return slices.Clone(input)
	}
	return c.withoutDerived(input, observed)
}

// withoutDerived returns input without the properties that are unchanged from observed and
// that are there for observers only.
func (c *Call) withoutDerived(input, observed json.RawMessage) json.RawMessage {
	changed, err := jsonobject.Parse(input)
	if err != nil {
		return slices.Clone(input)
	}
	seen, _ := jsonobject.Parse(observed) // an input that is no object has no properties
	written, _ := jsonobject.Parse(c.Input)
	derived := func(m jsonobject.Member) bool {
		value := seen.Get(m.Name)
		return value != nil && written.Get(m.Name) == nil && !c.state.spec.schema.Declares(m.Name) && sameJSON(value, m.Value)
	}
	if !slices.ContainsFunc(changed, derived) {
		return slices.Clone(input)
	}
	return slices.DeleteFunc(changed, derived).Encode()
}
