package agents

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/frontmatter"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// ParseJSON reads definitions as the flag --agents of Claude Code has them: an object from names
// to objects with the keys of agent files, and the prompt in the key prompt. Keys that only its
// SDK has are carried to Extra. origin is the name of the flag or file for messages.
//
// The definitions are in the byte order of the names. One that is wrong is left out with a
// problem, as a file is. The error is a *SkippedError: the whole is no JSON object, or has a key
// twice.
func ParseJSON(data []byte, origin string) ([]Definition, []Problem, error) {
	value, err := strictjson.Decode(data, strictjson.Limits{Bytes: frontmatter.MaxBytes, Depth: frontmatter.MaxDepth})
	if err != nil {
		return nil, nil, notJSON(origin, err.Error())
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, nil, notJSON(origin, "it is no JSON object; write an object from names to definitions")
	}
	var definitions []Definition
	var problems []Problem
	for _, name := range slices.Sorted(maps.Keys(object)) {
		r := &definitionReader{Definition: Definition{Name: name, Origin: origin + ": " + strictjson.Cut(name), Custom: true}}
		err := r.readObject(object[name])
		problems = append(problems, r.problems...)
		var skipped *SkippedError
		if errors.As(err, &skipped) {
			problems = append(problems, skipped.Problem)
			continue
		}
		definitions = append(definitions, r.Definition)
	}
	return definitions, problems, nil
}

func notJSON(origin, text string) error {
	return &SkippedError{Problem{Path: origin, Text: text, Skipped: true}}
}

// sdkKeys are the keys that a definition has only in the SDK of Claude Code.
func sdkKeys() []string {
	return []string{"autoCompactWindow", "criticalSystemReminder_EXPERIMENTAL", "observer", "observerMessage", "omitClaudeMd"}
}

// readObject reads a definition of JSON. The error is a *SkippedError.
func (r *definitionReader) readObject(value any) error {
	object, ok := value.(map[string]any)
	if !ok {
		return r.skipped(0, errors.New("it is no object; write an object with description and prompt"))
	}
	own := append(ownKeys()[1:], promptKey) // the name is the key of the object
	var fields []field
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if slices.Contains(sdkKeys(), key) {
			r.carry(key, object[key])
			continue
		}
		fields = append(fields, field{name: key, value: jsonValue{object[key]}})
	}
	if err := r.readAll(fields, own); err != nil {
		return err
	}
	return r.finish(nil)
}

// carry adds a value to Extra.
func (r *definitionReader) carry(key string, value any) {
	raw, err := (jsonValue{value}).JSON()
	if err != nil {
		r.problem(0, "%s: %v; it is left out", key, err)
		return
	}
	if r.Extra == nil {
		r.Extra = map[string]json.RawMessage{}
	}
	r.Extra[key] = raw
}
